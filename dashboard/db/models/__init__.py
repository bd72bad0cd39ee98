"""The tables, one module a subject; Alembic reads all of them."""

import pkgutil
from importlib import import_module

from sqlalchemy import MetaData

from dashboard.db.models.base import metadata

#: Search tables differ by database: revision 0004 creates them.
SEARCH_TABLES = ("message_search", "customer_search")


def all_tables() -> MetaData:
    """Returns the tables of all modules in this folder: a new module needs no entry."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    return metadata
