"""The versions at which saved views changed, by owner; written to SQL with each change."""

from sqlalchemy import Connection, bindparam, select

from dashboard.db.models.views import view_changes, views_version
from dashboard.db.upsert import insert_on

#: The owner of views: an admin, by id, or a desk, by name; None: everybody.
Owner = int | str | None
#: The names of owners in SQL: everybody's, and the beginning of a desk's; an admin's is the id.
_EVERYBODY = "all"
_DESK = "desk:"

_VERSION = select(views_version.c.version)
_SINCE = select(view_changes.c.owner).where(view_changes.c.version > bindparam("since"))


def note(connection: Connection, owner: Owner) -> None:
    """Notes that views of the owner change. Call it in the transaction of the change, after
    `views.begin_change`."""
    name = f"{_DESK}{owner}" if isinstance(owner, str) else str(owner or _EVERYBODY)
    noted = insert_on(connection, view_changes).values(
        owner=name, version=_VERSION.scalar_subquery()
    )
    version = {"version": noted.excluded.version}
    connection.execute(
        noted.on_conflict_do_update(index_elements=[view_changes.c.owner], set_=version)
    )


def since(connection: Connection, version: int | None) -> tuple[int, set[Owner]]:
    """The version of today, and the owners of the views that changed since an earlier version.

    None as the earlier version: no owners. Versions grow in the order of commits, since changes
    wait for each other, so no change is missed. A restore may bring a lower version: then the
    views of everybody count as changed.
    """
    today = connection.scalar(_VERSION) or 0
    if version is None or today == version:
        return today, set()
    if today < version:
        return today, {None}
    return today, {_owner(name) for name in connection.scalars(_SINCE, {"since": version})}


def _owner(name: str) -> Owner:
    if name.startswith(_DESK):
        return name.removeprefix(_DESK)
    return None if name == _EVERYBODY else int(name)
