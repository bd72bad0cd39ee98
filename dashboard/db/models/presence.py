"""Tables of presence: what people set, and when they were last seen."""

from sqlalchemy import BigInteger, Column, ForeignKey, Table

from dashboard.db.models.base import Id, Json, metadata


def _presence_of(person: str) -> Table:
    """Settings, the time last seen, and the time last seen that others may know."""
    owner = ForeignKey(f"{person}s.id", ondelete="CASCADE")
    return Table(
        f"{person}_presence",
        metadata,
        Column(f"{person}_id", Id, owner, primary_key=True, autoincrement=False),
        Column("settings", Json),
        Column("last_seen", BigInteger),
        Column("public_last_seen", BigInteger),
    )


#: A person without a row has no settings and was never seen.
customer_presence = _presence_of("customer")
admin_presence = _presence_of("admin")
