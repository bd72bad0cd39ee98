"""The policies of today as each write of a thread asks them, read once for each version."""

import logging
import threading
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine

from dashboard.db.hours import calendars, policies
from dashboard.db.lists import versions
from scoring.conditions.language.errors import QueryError
from scoring.hours.calendar import Calendar, CalendarError
from scoring.hours.policies import Policies, Policy

log = logging.getLogger(__name__)


#: The id of a calendar and when it was changed.
_Made = tuple[int, int]


class KnownPolicies(NamedTuple):
    """All policies as of a version; version 0: there never was one. `calendars` are those that they
    were made of."""

    version: int
    policies: Policies
    calendars: Mapping[_Made, Calendar]


_current: WeakKeyDictionary[Engine, KnownPolicies] = WeakKeyDictionary()
_loading = threading.Lock()
_NONE = KnownPolicies(0, Policies(), {})


def current(connection: Connection) -> KnownPolicies:
    """The policies as of this transaction."""
    return of_version(connection, versions.current(connection).policies)


def of_version(connection: Connection, version: int) -> KnownPolicies:
    """The policies as of this transaction, whose version has been read."""
    if version == 0:
        return _NONE
    known = _current.get(connection.engine)
    if known is None or known.version != version:
        made: dict[_Made, Calendar] = {}
        read = list(_read(connection, known or _NONE, made))
        known = KnownPolicies(version, Policies(read), made)
        with _loading:
            _current[connection.engine] = known
    return known


def _read(
    connection: Connection, known: KnownPolicies, made: dict[_Made, Calendar]
) -> Iterable[Policy]:
    """The policies of all rows. Calendars that are known are not made again: with a thousand dates
    that takes some milliseconds, and it is an event that waits for it."""
    by_id = {calendar.id: calendar for calendar in calendars.listing(connection)}
    admin_id_of = policies.admin_id_of(connection)
    for saved in policies.listing(connection):
        written = by_id[saved.calendar_id]
        key = written.id, written.changed_at
        try:
            if key not in made:
                made[key] = known.calendars.get(key) or written.calendar()
            yield saved.policy(written, made[key], admin_id_of)
        except (QueryError, CalendarError) as error:
            # An admin whose address it names is gone. Events must be stored all the same.
            log.warning("the policy “%s” counts for no thread: %s", saved.name, error)
