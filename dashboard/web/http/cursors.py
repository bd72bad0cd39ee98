"""Signed cursors: the position after which a client continues to read a list."""

from typing import Any

from dashboard.signed_texts import NotSigned, SignedTexts
from dashboard.validation.field_errors import field_error

#: Longest cursor that is read; issued ones are shorter.
_CHARACTERS_MAX = 1_000


class Cursors:
    """Encodes positions as text that cannot be forged without the secret key.

    A cursor is valid for the list that it was made for, in every worker and after a restart, until
    the secret key changes.
    """

    def __init__(self, secret_key: str):
        self._texts = SignedTexts(secret_key, "cursor of ", _CHARACTERS_MAX)

    def encode(self, list_name: str, position: Any) -> str:
        """Returns the cursor after a position of a list; the position is any JSON value."""
        return self._texts.text_of(position, list_name)

    def decode(self, list_name: str, cursor: str, pointer: str = "/cursor") -> Any:
        """Returns the position of a cursor; `pointer` names its parameter.

        Raises Invalid for a text that is no cursor of this list.
        """
        try:
            return self._texts.read(cursor, list_name)
        except NotSigned:
            detail = "is no cursor of this list"
            raise field_error(pointer, "unknown_value", detail) from None
