"""The times in which admins are online, away, accepting threads and at capacity."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import CTE, Connection, Select, case, func, select, update

from dashboard.db.driver import insert_missing
from dashboard.db.models.accounts import admins
from dashboard.db.models.reports import admin_times, report_state
from dashboard.db.queues import admins as queue_admins
from dashboard.db.queues import definitions

#: While nothing changes, it is noted this often (ms) that somebody looked.
NOTED_MS = 20_000
#: After a longer time without a look (ms), times end at the last one: nobody knows what followed.
GAP_MS = 60_000


class AdminState(NamedTuple):
    """A state of an admin: `online`, `away`, `accepting` or `full`."""

    admin_id: int
    kind: str


def admin_ids(connection: Connection) -> list[int]:
    """Returns the ids of all enabled admins."""
    return list(connection.scalars(select(admins.c.id).where(admins.c.disabled_at.is_(None))))


def is_to_watch(connection: Connection, statuses: Mapping[int, str], now_ms: int) -> bool:
    """Whether `watch` has something to write. `statuses` are those that colleagues see."""
    watched_at = connection.scalar(select(report_state.c.watched_at)) or 0
    if not 0 <= now_ms - watched_at < NOTED_MS:
        return True
    return _states(connection, statuses) != set(_open(connection))


def watch(connection: Connection, statuses: Mapping[int, str], now_ms: int) -> int:
    """Ends the times that are over, and begins others, all now; returns their number."""
    # Locked first: another process may be looking, too.
    state = select(report_state.c.watched_at).with_for_update()
    watched_at = connection.scalar(state) or 0
    connection.execute(update(report_state).values(watched_at=max(now_ms, watched_at)))
    still = _states(connection, statuses)
    has_gap = now_ms - watched_at > GAP_MS
    known = _open(connection)
    over = {one: since for one, since in known.items() if has_gap or one not in still}
    for one, since in over.items():
        its = (admin_times.c.admin_id == one.admin_id) & (admin_times.c.kind == one.kind)
        ends_at = max(since, watched_at if has_gap else now_ms)
        ended = update(admin_times).where(its, admin_times.c.until.is_(None))
        connection.execute(ended.values(until=ends_at))
    begun = sorted(still - (known.keys() - over.keys()))
    if begun:
        rows = [one._asdict() | {"since": now_ms} for one in begun]
        insert_missing(connection, admin_times, rows)
    return len(over) + len(begun)


def spent(steps: CTE, kind: str, now_ms: int) -> Select[Any]:
    """Selects the time (ms) that each admin spent in steps, which have `label`, `begin` and `end`:
    the label, the admin's id, and the time."""
    its = admin_times.c
    until = func.coalesce(its.until, now_ms)
    begin = case((its.since > steps.c.begin, its.since), else_=steps.c.begin)
    end = case((until < steps.c.end, until), else_=steps.c.end)
    is_within = (its.since < steps.c.end) & (until > steps.c.begin)
    columns = steps.c.label, its.admin_id
    times = select(*columns, func.sum(end - begin)).join_from(admin_times, steps, is_within)
    return times.where(its.kind == kind).group_by(*columns)


def _open(connection: Connection) -> dict[AdminState, int]:
    columns = admin_times.c.admin_id, admin_times.c.kind, admin_times.c.since
    rows = connection.execute(select(*columns).where(admin_times.c.until.is_(None)))
    return {AdminState(id, kind): since for id, kind, since in rows}


def _states(connection: Connection, statuses: Mapping[int, str]) -> set[AdminState]:
    found = set[AdminState]()
    for id, status in statuses.items():
        if status == "away":
            found.add(AdminState(id, "away"))
        elif status != "offline":
            found.add(AdminState(id, "online"))
    accept = [
        admin
        for admin in queue_admins.listing(connection, list(statuses))
        if admin.accepting and statuses[admin.id] == "online"
    ]
    if accept:
        load = definitions.state(connection).load
        loads = queue_admins.loads(connection, [admin.id for admin in accept], load)
        for admin in accept:
            found.add(AdminState(admin.id, "accepting"))
            if loads[admin.id] >= admin.capacity:
                found.add(AdminState(admin.id, "full"))
    return found
