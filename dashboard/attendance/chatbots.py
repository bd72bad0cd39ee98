"""What chatbots say of their customers, and what they may ask."""

import math
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

from dashboard.attendance.attendance import OTHERS, TRUTH, Attendance
from dashboard.errors import NotFound
from dashboard.store import threads
from dashboard.store.database import Database
from dashboard.store.presence import of_customers
from dashboard.store.team import assignee_of
from presence.heartbeats import accept
from presence.listing import Page
from presence.people import REMEMBERED_MS, Connection
from presence.rooms import Place
from presence.settings import Settings
from presence.states import UNSET, State

#: The device of whom nothing is known but that they wrote.
MESSAGES, HTTP = "messages", "http"
#: A message that occurred longer ago says nothing of now, in milliseconds.
RECENT_MS = 60_000
#: Customers of whom messages were heard and not yet told; beyond that some are not.
NOTED_MAX = 5_000


class Said(NamedTuple):
    """A customer wrote: a source, the source's id of the customer, Lineup's id of the thread."""

    source: str
    customer: str
    thread_id: int | None = None

    @property
    def person(self) -> str:
        return f"{self.source}/{self.customer}"


class Chatbots:
    """The bot API's side of presence: a source knows its own customers as they truly are."""

    def __init__(
        self,
        attendance: Attendance,
        database: Database,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._attendance = attendance
        self._database = database
        self._clock = clock
        self._monotonic = monotonic
        self._noted: dict[Said, float] = {}

    def beat(self, source: str, beats: Iterable[tuple[str, str, str, bool]]) -> None:
        """(customer, device, type, active) of each sign of life."""
        connections = [
            Connection(f"{source}/{customer}", device, type, device, active=active)
            for customer, device, type, active in beats
        ]
        attendance = self._attendance
        accept(attendance.customers, connections, attendance.customer_settings)

    def leave(self, source: str, devices: Iterable[tuple[str, str]]) -> None:
        """(customer, device) of each that went offline, at once."""
        self._attendance.customers.close_all_of(
            [(f"{source}/{customer}", device) for customer, device in devices], remembered=True
        )

    def look(self, source: str, customers: Sequence[str]) -> dict[str, State]:
        people = {f"{source}/{customer}": customer for customer in customers}
        found = self._attendance.look("customer", list(people), TRUTH)
        return {people[person]: state for person, state in found.items()}

    def recent(self, source: str, within_ms: int, limit: int, cursor: str | None) -> Page:
        return self._attendance.seen.recent(within_ms, limit, cursor, TRUTH, f"{source}/")

    def between(self, source: str, times: tuple[int, int], limit: int, cursor: str | None) -> Page:
        return self._attendance.seen.between(*times, limit, cursor, TRUTH, f"{source}/")

    def team(self, source_id: int, thread: str) -> dict[str, Any]:
        """All that a customer may know of the team. Raises NotFound."""
        with self._database.read() as connection:
            thread_id = threads.id_of(connection, source_id, thread)
            if thread_id is None:
                raise NotFound("There is no such thread.")
            assignee = assignee_of(connection, thread_id)
        told = None
        if assignee is not None:
            id, name = str(assignee[0]), assignee[1]
            told = {
                "name": name,
                "status": self._attendance.look("admin", [id], OTHERS)[id]["status"],
            }
        return {"online": any(self._attendance.admins.counts().values()), "assignee": told}

    def typing(self, source_id: int, source: str, thread: str, customer: str) -> None:
        """The customer is writing in the thread. Raises NotFound."""
        person = f"{source}/{customer}"
        with self._database.read() as connection:
            thread_id = threads.id_of(connection, source_id, thread)
            stored = of_customers(connection, [person]).get(person)
        if thread_id is None:
            raise NotFound("There is no such thread.")
        self.beat(source, [(customer, MESSAGES, HTTP, True)])
        settings = stored.settings if stored else UNSET
        if _shows_typing(settings, self._clock()):
            place = Place(str(thread_id), person, MESSAGES)
            # Who may know of it goes along, where an admin has a cursor.
            self._attendance.writers.put(place, "typing", cursor=settings.visibility)

    def note(self, said: Collection[Said]) -> None:
        """Messages came in: told at the next `tell`, for no event waits for presence."""
        if len(self._noted) < NOTED_MAX:
            self._noted.update(dict.fromkeys(said, self._monotonic()))

    def tell(self) -> int:
        """Tells presence of the messages that were noted; how many. Raises RedisError."""
        if not self._noted:
            return 0
        noted = self._moments()
        latest: dict[str, int] = {}
        for one, at_ms in noted.items():
            latest[one.person] = max(at_ms, latest.get(one.person, 0))
        attendance = self._attendance
        accept(
            attendance.customers,
            [Connection(who, MESSAGES, HTTP, MESSAGES, opened_ms=at) for who, at in latest.items()],
            attendance.customer_settings,
        )
        # What was being written is written.
        attendance.writers.leave_late(
            {
                Place(str(one.thread_id), one.person, MESSAGES): at_ms
                for one, at_ms in noted.items()
                if one.thread_id is not None
            }
        )
        return len(noted)

    def _moments(self) -> dict[Said, int]:
        """What was noted, and when by Redis's clock; rather too early, for who left has left."""
        now_ms, now = self._attendance.customers.now_ms(), self._monotonic()
        noted, self._noted = self._noted, {}
        ages = {one: math.ceil(1_000 * (now - at)) for one, at in noted.items()}
        # An older one could not be told from one before a goodbye that is forgotten.
        return {one: now_ms - age for one, age in ages.items() if age < REMEMBERED_MS}


def _shows_typing(settings: Settings, now_ms: int) -> bool:
    """Who is hidden is not seen writing either."""
    hidden = any(claim.at(now_ms).status == "invisible" for claim in settings.claims.values())
    return settings.show_typing and settings.visibility != "nobody" and not hidden
