"""Tables of presence: what people set, and when they were last seen."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, String, Table

from dashboard.db.models.base import Id, Json, metadata


def _presence_of(person: str, *more: Column | Index) -> Table:
    """Settings, the time last seen, and the time last seen that others may know."""
    owner = ForeignKey(f"{person}s.id", ondelete="CASCADE")
    return Table(
        f"{person}_presence",
        metadata,
        Column(f"{person}_id", Id, owner, primary_key=True, autoincrement=False),
        Column("settings", Json),
        Column("last_seen", BigInteger),
        Column("public_last_seen", BigInteger),
        *more,
    )


#: A person without a row has no settings and was never seen. `source_id` is the customer's, and
#: `shown_to` says, as the settings do, who may know `public_last_seen`: everyone, contacts, nobody.
customer_presence = _presence_of(
    "customer",
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("shown_to", String(8), nullable=False, server_default="everyone"),
    Index("ix_customer_presence_source_id_last_seen", "source_id", "last_seen"),
    Index("ix_customer_presence_shown_to_public_last_seen", "shown_to", "public_last_seen"),
)
admin_presence = _presence_of("admin")
