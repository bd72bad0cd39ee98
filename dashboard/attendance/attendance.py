"""The two kinds of people and their rooms, on one Redis and one database."""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from redis.exceptions import RedisError

from dashboard.attendance.lookups import LookUps
from dashboard.attendance.relations import Relations
from dashboard.errors import Problem
from dashboard.store import presence as kept
from dashboard.store.database import Database
from presence.listing import Listing
from presence.people import People
from presence.rooms import Rooms
from presence.scripts import Scripts
from presence.settings import Claim, Settings
from presence.states import UNSET, State, Stored, Viewer
from presence.timing import Timing

log = logging.getLogger(__name__)

#: Sees what everybody may; no admin has this id.
OTHERS = Viewer("others")
#: Sees all: the chatbot whose customers they are.
TRUTH = Viewer(truth=True)


class PresenceUnavailable(Problem):
    """Redis is away: nobody can say who is here."""

    def __init__(self) -> None:
        super().__init__(
            503,
            "presence_unavailable",
            "Presence is not available now; try again.",
            headers={"Retry-After": "1"},
        )


class Attendance:
    """Customers (SOURCE/ID) and admins (their ids as text), and the rooms of threads.

    What people set is written to SQL first; methods raise RedisError and StorageUnavailable.
    """

    def __init__(
        self,
        client: Any,
        database: Database,
        clock: Callable[[], int],
        *,
        timing: Timing | None = None,
        key_prefix: str = "lineup",
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._clock = clock
        self.client = client
        self.timing = timing or Timing()
        self.relations = Relations(database, monotonic)
        self.look_ups = LookUps(monotonic)
        shared: dict[str, Any] = {
            "timing": self.timing,
            "prefix": f"{key_prefix}:p:",
            "scripts": Scripts(client),
        }
        self.customers = People(client, "customer", storage=self._stored_customers, **shared)
        self.admins = People(client, "admin", storage=self._stored_admins, **shared)
        #: Which admins are in a thread.
        self.threads = Rooms(client, "admin", **shared)
        #: Which customers write in a thread.
        self.writers = Rooms(client, "customer", **shared)
        self.seen = Listing(self.customers, related=self.relations.of_customers)
        self._unsaid: dict[tuple[str, str], Settings] = {}

    def customer_settings(self, people: Sequence[str]) -> dict[str, Settings]:
        """What these customers set; who is not in SQL never set anything."""
        return _settings(people, self._stored_customers(people))

    def admin_settings(self, people: Sequence[str]) -> dict[str, Settings]:
        return _settings(people, self._stored_admins(people))

    def set_customer(
        self, source_id: int, source: str, name: str, changes: Mapping[str, Any]
    ) -> Settings:
        """Changes what a customer set; what holds then."""
        now = self._clock()
        made = self._database.write(
            lambda connection: kept.change_customer(
                connection, source_id, name, lambda held: held.changed(changes, now), now
            )
        )
        self._say("customer", f"{source}/{name}", made)
        return made

    def set_admin(self, admin_id: int, changes: Mapping[str, Any]) -> Settings:
        """Changes what an admin set; what holds then. Without changes: what holds."""
        if not changes:
            return self.admin_settings([str(admin_id)])[str(admin_id)]
        now = self._clock()
        made = self._database.write(
            lambda connection: kept.change_admin(
                connection, admin_id, lambda held: held.changed(changes, now)
            )
        )
        self._say("admin", str(admin_id), made)
        return made

    def say_unsaid(self) -> None:
        """Tells Redis what it missed of what people set. Raises RedisError."""
        for (kind, person), settings in list(self._unsaid.items()):
            self._people(kind).set(person, settings)
            if self._unsaid.get((kind, person)) is settings:
                del self._unsaid[kind, person]

    def look(self, kind: str, people: Sequence[str], viewer: Viewer) -> dict[str, State]:
        """The state of each person asked for, as far as the viewer may know it."""
        related = self.relations.of_customers if kind == "customer" else self.relations.of_admins
        return self._people(kind).look(people, viewer, related)

    def sign_out(self, admin_id: int, tag: str = "") -> None:
        """All that a session holds open ends at once; its connections' ids begin with `tag`.

        Without one, all sessions. Sockets that do not know it yet bring nobody back.
        """
        person = str(admin_id)
        theirs = [one.id for one in self.admins.where(person) if one.id.startswith(tag)]
        self.admins.close_all_of([(person, id) for id in theirs], remembered=True)

    def forget_customer(self, person: str) -> None:
        """Nothing of the customer stays in Redis."""
        self.customers.forget(person)

    def _say(self, kind: str, person: str, settings: Settings) -> None:
        self._unsaid[kind, person] = settings
        try:
            self.say_unsaid()
        except RedisError as error:
            log.warning("what was set is in SQL, and Redis will hear of it: %s", error)
            raise

    def _people(self, kind: str) -> People:
        return self.customers if kind == "customer" else self.admins

    def _stored_customers(self, people: Collection[str]) -> dict[str, Stored]:
        with self._database.read() as connection:
            return kept.of_customers(connection, people)

    def _stored_admins(self, people: Collection[str]) -> dict[str, Stored]:
        with self._database.read() as connection:
            return kept.of_admins(connection, people)


def session_tag(session: bytes) -> str:
    """What the names of all connections of a session begin with."""
    return f"{session.hex()[:16]}."


def _settings(people: Sequence[str], stored: Mapping[str, Stored]) -> dict[str, Settings]:
    return {person: stored[person].settings if person in stored else UNSET for person in people}


def described(settings: Settings, now_ms: int) -> dict[str, Any]:
    """What a person set, as one flat object: the names are those that setting takes."""
    claim = settings.claims.get("manual", Claim()).at(now_ms)
    return {
        "status": claim.status,
        "text": claim.text,
        "activity": claim.activity,
        "until": claim.until,
        "visibility": settings.visibility,
        "show_last_seen": settings.show_last_seen,
        "show_typing": settings.show_typing,
    }
