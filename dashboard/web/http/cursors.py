"""Signed cursors: the position after which a client continues to read a list."""

from hashlib import sha256
from typing import Any

from itsdangerous import BadData, URLSafeSerializer

from dashboard.validation.field_errors import field_error

#: Longest cursor that is read; those that are issued are shorter.
_CHARACTERS_MAX = 1_000


class Cursors:
    """Encodes positions as text that cannot be forged without the secret key.

    A cursor is valid for the list that it was made for, in every worker and after a restart,
    until the secret key changes.
    """

    def __init__(self, secret_key: str):
        self._serializer = URLSafeSerializer(
            secret_key, signer_kwargs={"digest_method": sha256, "key_derivation": "hmac"}
        )

    def encode(self, list_name: str, position: Any) -> str:
        """The cursor after a position of a list; the position is any JSON value."""
        cursor = self._serializer.dumps(position, salt=_salt(list_name))
        return cursor if isinstance(cursor, str) else cursor.decode()

    def decode(self, list_name: str, cursor: str, pointer: str = "/cursor") -> Any:
        """The position of a cursor; `pointer` names its parameter.

        Raises Invalid for what is no cursor of this list.
        """
        try:
            if len(cursor) <= _CHARACTERS_MAX:
                return self._serializer.loads(cursor, salt=_salt(list_name))
        except BadData:
            pass
        raise field_error(pointer, "unknown_value", "is no cursor of this list")


def _salt(list_name: str) -> str:
    return f"cursor of {list_name}"
