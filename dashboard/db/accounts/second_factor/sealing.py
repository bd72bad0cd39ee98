"""Encrypts the secrets of authenticator apps with keys that are derived from the secret key."""

import base64
import hmac

from cryptography.fernet import Fernet, InvalidToken


class Sealing:
    """Encrypts with one key per admin: a secret of one admin cannot be read as that of another.

    With another secret key nothing can be read: then only recovery codes work.
    """

    def __init__(self, secret_key: str):
        self._secret_key = secret_key.encode()

    def seal(self, admin_id: int, secret: str) -> str:
        """Returns the encrypted text to store."""
        return self._fernet(admin_id).encrypt(secret.encode()).decode()

    def open(self, admin_id: int, sealed: str) -> str | None:
        """Returns the secret; None if it was encrypted with another key, or changed."""
        try:
            return self._fernet(admin_id).decrypt(sealed.encode()).decode()
        except InvalidToken:
            return None

    def _fernet(self, admin_id: int) -> Fernet:
        key = hmac.digest(self._secret_key, f"second factor of {admin_id}".encode(), "sha256")
        return Fernet(base64.urlsafe_b64encode(key))
