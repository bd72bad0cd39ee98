"""The tables, one module a subject; Alembic reads all of them."""
