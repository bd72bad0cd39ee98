"""JSON values as signed texts, which nobody can forge without the secret key."""

from hashlib import sha256
from typing import Any

from itsdangerous import BadData, URLSafeSerializer


class NotSigned(Exception):
    """A text that was not signed here, or is too long to be one of ours."""


class SignedTexts:
    """Signs texts that every process can verify, also after a restart. Anybody can read them."""

    def __init__(self, secret_key: str, salt: str, characters_max: int):
        """`salt` keeps texts of one purpose from being accepted for another."""
        self._salt = salt
        self._characters_max = characters_max
        self._serializer = URLSafeSerializer(
            secret_key, signer_kwargs={"digest_method": sha256, "key_derivation": "hmac"}
        )

    def text_of(self, value: Any, about: str = "") -> str:
        """Returns the signed text, which is only valid with the same `about`."""
        text = self._serializer.dumps(value, salt=self._salt + about)
        return text if isinstance(text, str) else text.decode()

    def read(self, text: str, about: str = "") -> Any:
        """Returns the value of a signed text. Raises NotSigned."""
        if len(text) > self._characters_max:
            raise NotSigned()
        try:
            return self._serializer.loads(text.encode("utf-8", "replace"), salt=self._salt + about)
        except BadData:
            raise NotSigned() from None
