"""Tables of sign-in by OpenID Connect."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, LargeBinary, String, Table

from dashboard.db.models.base import Id, metadata

#: The admin of a subject, as a provider names people; one admin may have one at each provider.
oidc_accounts = Table(
    "oidc_accounts",
    metadata,
    Column("issuer", String(255), primary_key=True),
    Column("subject", String(255), primary_key=True),
    Column("admin_id", Id, ForeignKey("admins.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False),
)

#: Sessions that began with the provider; `sid` is how it names its own session, if it does.
oidc_sessions = Table(
    "oidc_sessions",
    metadata,
    Column(
        "token_hash",
        LargeBinary(32),
        ForeignKey("sessions.token_hash", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("issuer", String(255), nullable=False),
    Column("subject", String(255), nullable=False),
    Column("sid", String(255)),
    Index("ix_oidc_sessions_subject", "subject", "issuer"),
)

#: Logout tokens that were taken, until no such token would be taken any more. Times in ms.
oidc_logouts = Table(
    "oidc_logouts",
    metadata,
    Column("token_id_hash", LargeBinary(32), primary_key=True),
    Column("issuer", String(255), nullable=False),
    Column("subject", String(255)),
    Column("sid", String(255)),
    Column("issued_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False, index=True),
)
