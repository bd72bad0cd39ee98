"""Saved calendars."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, insert, select, update

from dashboard.db.models.views import calendars, policies
from scoring.calendar import Calendar, read_calendar

#: Maximum number of calendars that may be saved.
CALENDARS_MAX = 50


class CalendarDraft(NamedTuple):
    """The fields of a calendar that a supervisor sets; see `read_calendar`."""

    name: str
    timezone: str
    week: Mapping[str, Sequence[Sequence[str]]]
    exceptions: Sequence[Mapping[str, Any]]


class SavedCalendar(NamedTuple):
    """A calendar as it was saved."""

    id: int
    name: str
    timezone: str
    week: Mapping[str, Sequence[Sequence[str]]]
    exceptions: Sequence[Mapping[str, Any]]
    changed_at: int

    def calendar(self) -> Calendar:
        """The opening hours. Raises CalendarError if this machine does not know the time zone."""
        return read_calendar(self.timezone, self.week, self.exceptions)


_CALENDAR_COLUMNS = tuple(calendars.c[name] for name in SavedCalendar._fields)


def listing(connection: Connection) -> list[SavedCalendar]:
    """Returns all calendars, by name."""
    rows = connection.execute(select(*_CALENDAR_COLUMNS).order_by(calendars.c.name))
    return [SavedCalendar(*row) for row in rows]


def lock(connection: Connection, id: int) -> SavedCalendar | None:
    """Locks a calendar until the transaction ends: no other transaction changes it, or lets another
    policy use it. Returns None for an unknown id."""
    statement = select(*_CALENDAR_COLUMNS).where(calendars.c.id == id).with_for_update()
    row = connection.execute(statement).first()
    return None if row is None else SavedCalendar(*row)


def users(connection: Connection) -> dict[int, list[str]]:
    """Maps calendar ids to the names of the policies that use them, in their order."""
    names: dict[int, list[str]] = {}
    statement = select(policies.c.calendar_id, policies.c.name).order_by(policies.c.place)
    for calendar_id, name in connection.execute(statement):
        names.setdefault(calendar_id, []).append(name)
    return names


def count(connection: Connection) -> int:
    return connection.scalar(select(func.count()).select_from(calendars)) or 0


def create(
    connection: Connection, draft: CalendarDraft, admin_id: int, now_ms: int
) -> SavedCalendar:
    """Saves a calendar. Raises IntegrityError if the name is taken."""
    values = draft._asdict() | {"changed_by": admin_id, "changed_at": now_ms}
    result = connection.execute(insert(calendars).values(values).returning(*_CALENDAR_COLUMNS))
    return SavedCalendar(*result.one())


def change(
    connection: Connection, before: SavedCalendar, draft: CalendarDraft, admin_id: int, now_ms: int
) -> SavedCalendar:
    """Changes a calendar. Raises IntegrityError if the name is taken."""
    # Two changes within a millisecond get different times, so readers see that their copy is old.
    at = max(now_ms, before.changed_at + 1)
    values = draft._asdict() | {"changed_by": admin_id, "changed_at": at}
    statement = update(calendars).where(calendars.c.id == before.id).values(values)
    return SavedCalendar(*connection.execute(statement.returning(*_CALENDAR_COLUMNS)).one())


def remove(connection: Connection, id: int) -> None:
    """Deletes a calendar that no policy uses."""
    connection.execute(delete(calendars).where(calendars.c.id == id))
