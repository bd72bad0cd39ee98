"""Recovery codes: shown once, stored as hashes, each good for one sign-in without the app."""

import hashlib
import secrets
from collections.abc import Collection

from sqlalchemy import Connection, delete, func, insert, select

from dashboard.db.models.accounts import recovery_codes

CODES = 10
#: Base32 without letters that look like digits (Crockford): 5 bits each, 120 in all. From 112 bits
#: on, a plain hash is enough (OWASP ASVS 5.0, 6.5.2).
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CHARACTERS = 24
_GROUP = 4
_READ_AS = str.maketrans("OIL", "011")


def new_codes() -> list[str]:
    """Returns new codes as the page shows them: groups of four with a hyphen between them."""
    return [_new_code() for _ in range(CODES)]


def replace(connection: Connection, admin_id: int, codes: Collection[str]) -> None:
    """Stores the codes of an admin, and deletes the earlier ones."""
    connection.execute(delete(recovery_codes).where(recovery_codes.c.admin_id == admin_id))
    if codes:
        rows = [{"admin_id": admin_id, "code_hash": _hash(code)} for code in codes]
        connection.execute(insert(recovery_codes), rows)


def use(connection: Connection, admin_id: int, code: str) -> bool:
    """Uses a code up, in upper or lower case; False for a wrong or used one.

    Of two uses at the same time one succeeds: only one of them deletes the row.
    """
    deleted = connection.execute(
        delete(recovery_codes).where(
            recovery_codes.c.admin_id == admin_id, recovery_codes.c.code_hash == _hash(code)
        )
    )
    return deleted.rowcount == 1


def left(connection: Connection, admin_id: int) -> int:
    """Counts the codes that were not used yet."""
    found = select(func.count()).where(recovery_codes.c.admin_id == admin_id)
    return connection.execute(found).scalar_one()


def looks_like_one(code: str) -> bool:
    """Whether a text has as many characters as a recovery code."""
    return len(_canonical(code)) == CHARACTERS


def _new_code() -> str:
    text = "".join(secrets.choice(_ALPHABET) for _ in range(CHARACTERS))
    return "-".join(text[at : at + _GROUP] for at in range(0, CHARACTERS, _GROUP))


def _canonical(code: str) -> str:
    return code.replace("-", "").upper().translate(_READ_AS)


def _hash(code: str) -> bytes:
    return hashlib.sha256(_canonical(code).encode("utf-8", "replace")).digest()
