"""JSON values as texts that nobody can make who does not know the secret key."""

from hashlib import sha256
from typing import Any

from itsdangerous import BadData, URLSafeSerializer


class NotSigned(Exception):
    """A text that was not made here, or is too long to be one of ours."""


class SignedTexts:
    """What one process makes, each can read, also after a restart. They can be read by anybody."""

    def __init__(self, secret_key: str, salt: str, characters_max: int):
        """`salt` keeps the texts of one purpose from being taken for those of another."""
        self._salt = salt
        self._characters_max = characters_max
        self._serializer = URLSafeSerializer(
            secret_key, signer_kwargs={"digest_method": sha256, "key_derivation": "hmac"}
        )

    def text_of(self, value: Any, about: str = "") -> str:
        """The text is read again with the same `about` alone."""
        text = self._serializer.dumps(value, salt=self._salt + about)
        return text if isinstance(text, str) else text.decode()

    def read(self, text: str, about: str = "") -> Any:
        """Raises NotSigned."""
        if len(text) > self._characters_max:
            raise NotSigned()
        try:
            return self._serializer.loads(text.encode("utf-8", "replace"), salt=self._salt + about)
        except BadData:
            raise NotSigned() from None
