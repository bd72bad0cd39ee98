"""PostgreSQL beside Redis on several machines."""

from tests.servers.databases import new_postgres_url, postgres  # noqa: F401
