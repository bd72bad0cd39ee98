"""Whose saved views have changed since when, as SQL knows it: written with the change itself."""

from sqlalchemy import Connection, bindparam, select

from dashboard.db.models.views import view_changes, views_version
from dashboard.db.upsert import insert_on

#: Whose views have changed: those of an admin, by id, or of a desk, by name; None: everybody's.
Whose = int | str | None
#: Names in SQL for everybody and, with its name behind, for a desk; that of an admin is the id.
_EVERYBODY = "all"
_DESK = "desk:"

_VERSION = select(views_version.c.version)
_SINCE = select(view_changes.c.whose).where(view_changes.c.version > bindparam("since"))


def note(connection: Connection, whose: Whose) -> None:
    """Notes in the transaction of a change whose views it changes, after `views.begin_change`."""
    name = f"{_DESK}{whose}" if isinstance(whose, str) else str(whose or _EVERYBODY)
    noted = insert_on(connection, view_changes).values(
        whose=name, version=_VERSION.scalar_subquery()
    )
    version = {"version": noted.excluded.version}
    connection.execute(noted.on_conflict_do_update(index_elements=["whose"], set_=version))


def since(connection: Connection, version: int | None) -> tuple[int, set[Whose]]:
    """The version of today, and whose views have changed since another one, None: nobody's.

    Versions grow in the order of commits, since changes wait for each other: none is missed, and
    nobody is told of another's. After a restore the version may be a lower one: everybody's.
    """
    today = connection.scalar(_VERSION) or 0
    if version is None or today == version:
        return today, set()
    if today < version:
        return today, {None}
    return today, {_whose(name) for name in connection.scalars(_SINCE, {"since": version})}


def _whose(name: str) -> Whose:
    if name.startswith(_DESK):
        return name.removeprefix(_DESK)
    return None if name == _EVERYBODY else int(name)
