"""The base of all tables: the metadata that Alembic compares, and column types.

Times are integer milliseconds since 1970 (UTC) unless a name says otherwise.
"""

from typing import Any

from sqlalchemy import JSON, BigInteger, Integer, MetaData, Text, TypeDecorator
from sqlalchemy.dialects.postgresql import JSONB

#: SQLite generates row ids only for a column of type INTEGER.
Id = BigInteger().with_variant(Integer, "sqlite")
Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
#: JSON whose objects keep the order of their members.
OrderedJson = JSON(none_as_null=True)
#: The tables of words, which differ by database and are in no module: revision 0004 makes them.
SEARCH_TABLES = ("message_search", "customer_search")


class Names(TypeDecorator[frozenset[str]]):
    """A set of names without commas, stored as one sorted text with commas between."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: frozenset[str] | None, dialect: Any) -> str | None:
        return None if value is None else ",".join(sorted(value))

    def process_result_value(self, value: str | None, dialect: Any) -> frozenset[str] | None:
        return None if value is None else frozenset(filter(None, value.split(",")))


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
