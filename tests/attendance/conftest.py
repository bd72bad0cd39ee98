"""Databases of both kinds."""

from tests.databases import (  # noqa: F401
    any_database,
    empty_url,
    postgres,
    postgres_database,
    template,
)
