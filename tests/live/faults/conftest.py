"""Databases of both kinds."""

from tests.servers.databases import empty_url, new_postgres_url, postgres  # noqa: F401
