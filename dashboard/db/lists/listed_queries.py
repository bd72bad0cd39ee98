"""What a list of a query asks, as it is stored and named."""

from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import Connection

from dashboard.db.accounts import admins
from dashboard.db.accounts.admin_desks import Desks
from scoring.conditions.language.errors import QueryError
from scoring.conditions.language.parser import parse
from scoring.conditions.leaves import OneOf
from scoring.conditions.resolve import resolve
from scoring.conditions.resolved import Resolved

#: The time zone of the days in a query whose sender names none.
TIMEZONE = "UTC"


class ListedQuery(NamedTuple):
    """A query whose list Redis keeps, in one sort, narrowed by a filter. `timezone` is that of its
    days, `admin_id` is who `me` is; its threads are those at `desks`, None: at any."""

    query: str
    sort: str
    timezone: str
    admin_id: int | None = None
    desks: Desks = None
    filter: str = "all"

    def resolved(self, connection: Connection) -> Resolved:
        """With the ids of admins and the instants of days. Raises QueryError."""

        def admin_id_of(email: str) -> int | None:
            found = admins.by_email(connection, email)
            return found.id if found else None

        try:
            zone = ZoneInfo(self.timezone)
        except ZoneInfoNotFoundError as error:
            # It was known where the query was written: another machine.
            raise QueryError(0) from error
        asked = resolve(parse(self.query), self.admin_id, admin_id_of, zone)
        condition = _condition(self.filter, self.admin_id)
        return (asked.narrowed(condition) if condition else asked).at_desks(self.desks)


def _condition(filter: str, admin_id: int | None) -> OneOf | None:
    """What a filter asks besides; None: nothing."""
    if filter == "all":
        return None
    return OneOf("assignee_id", frozenset({admin_id if filter == "mine" else None}))
