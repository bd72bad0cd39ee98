"""Presence in Lineup: customers, admins and the rooms of threads, on Redis and SQL."""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from redis.exceptions import RedisError
from sqlalchemy import ColumnElement, and_, bindparam, or_, select, union

from dashboard.db import erasures
from dashboard.db.accounts import presence_settings as kept
from dashboard.db.accounts.team import customers_at, known_customers
from dashboard.db.database import Database
from dashboard.db.last_seen import SeenCustomers
from dashboard.db.models.accounts import admin_desks, admins, sources
from dashboard.db.models.threads import customers, events, threads
from dashboard.errors import Problem
from dashboard.rate_limits import LOOK_UPS, SharedLimiter
from lua_scripts.runner import LuaRunner
from presence.jobs import job_sources
from presence.keys import Space
from presence.listing import Listing
from presence.people import People, check_shards
from presence.rooms import Rooms
from presence.settings import Settings
from presence.states import UNSET, State, Stored, Viewer
from presence.sweeper import regroup
from presence.timing import Timing


def _sees(admin_id: ColumnElement[int], desk: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether an admin sees the threads at a desk."""
    return or_(
        select(admins.c.id).where(admins.c.id == admin_id, admins.c.role == "supervisor").exists(),
        select(admin_desks.c.desk)
        .where(admin_desks.c.admin_id == admin_id, admin_desks.c.desk == desk)
        .exists(),
    )


_ADMIN = bindparam("admin", type_=threads.c.assignee_id.type)
_PERSON = sources.c.name + "/" + customers.c.external_id
#: Customers with a thread that the admin sees and is assigned to or has answered.
_THEIR_CUSTOMERS = (
    select(_PERSON)
    .distinct()
    .join_from(customers, sources, sources.c.id == customers.c.source_id)
    .join(threads, threads.c.customer_id == customers.c.id)
    .where(
        sources.c.name.in_(bindparam("sources", expanding=True)),
        customers.c.external_id.in_(bindparam("names", expanding=True)),
        _sees(_ADMIN, threads.c.desk),
        or_(
            threads.c.assignee_id == _ADMIN,
            select(events.c.id)
            .where(
                events.c.thread_id == threads.c.id,
                events.c.author_id == _ADMIN,
                events.c.role == "admin",
                events.c.private.is_(False),
            )
            .exists(),
        ),
    )
)
_THEIR_THREADS = (
    select(threads.c.id, threads.c.assignee_id, threads.c.desk)
    .join(customers, customers.c.id == threads.c.customer_id)
    .join(sources, sources.c.id == customers.c.source_id)
    .where(sources.c.name == bindparam("source"), customers.c.external_id == bindparam("name"))
    .cte("theirs")
)
#: Admins who are assigned to one of the customer's threads or have answered one, and see it.
_THEIR_ADMINS = union(
    select(_THEIR_THREADS.c.assignee_id.label("id")).where(
        and_(
            _THEIR_THREADS.c.assignee_id.is_not(None),
            _sees(_THEIR_THREADS.c.assignee_id, _THEIR_THREADS.c.desk),
        )
    ),
    select(events.c.author_id)
    .join(_THEIR_THREADS, _THEIR_THREADS.c.id == events.c.thread_id)
    .where(
        events.c.role == "admin",
        events.c.private.is_(False),
        events.c.author_id.is_not(None),
        _sees(events.c.author_id, _THEIR_THREADS.c.desk),
    ),
)
#: Cache lifetime of a customer's contacts, in seconds, and how many customers are cached.
_CACHE_SECONDS = 2.0
_CACHE_SIZE = 1_000


class Relations:
    """Contacts of admins; a viewer id that is no admin's has none. Raises StorageUnavailable."""

    def __init__(self, database: Database, monotonic: Callable[[], float] = time.monotonic):
        self._database = database
        self._monotonic = monotonic
        self._contacts: dict[str, tuple[float, frozenset[int]]] = {}

    def of_admins(self, viewer_id: str, people: Sequence[str]) -> Collection[str]:
        """Returns all of them for an admin: admins are contacts of each other."""
        return people if viewer_id.isdigit() else ()

    def of_customers(self, viewer_id: str, people: Sequence[str]) -> Collection[str]:
        """Returns the customers with a thread that the admin is assigned to or has answered."""
        if not viewer_id.isdigit():
            return ()
        parts = [person.partition("/") for person in people]
        parameters = {
            "sources": list({source for source, _, _ in parts}),
            "names": [name for _, _, name in parts],
            "admin": int(viewer_id),
        }
        with self._database.read() as connection:
            contacts = set(connection.scalars(_THEIR_CUSTOMERS, parameters))
        return contacts.intersection(people)

    def contacts_of(self, person: str) -> frozenset[int]:
        """Returns ids of the admins who are contacts of this customer; cached for 2 s."""
        now = self._monotonic()
        until, admin_ids = self._contacts.get(person, (now, frozenset()))
        if now >= until:
            source, _, name = person.partition("/")
            with self._database.read() as connection:
                admin_ids = frozenset(
                    connection.scalars(_THEIR_ADMINS, {"source": source, "name": name})
                )
            if len(self._contacts) >= _CACHE_SIZE:
                self._contacts.clear()
            self._contacts[person] = now + _CACHE_SECONDS, admin_ids
        return admin_ids


#: A thread closed longer ago does not make its customer known.
KNOWN_MS = 90 * 86_400_000
#: With at most this many known customers, a list looks up each of them. Otherwise it filters its
#: rows; from this many rows on it caches the answers for some seconds.
_FEW = 1_000
_KEPT_SECONDS = 5.0
_SLICE = 500
#: The most sets of desks with cached answers.
_KEPT_MAX = 100


class KnownCustomers:
    """Finds the customers that admins of some desks may know. Raises StorageUnavailable.

    `clock` gives milliseconds, `monotonic` seconds.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._clock = clock
        self._monotonic = monotonic
        self._cache: dict[frozenset[str], tuple[float, dict[str, bool]]] = {}

    def among(self, people: Sequence[str], desks: Collection[str]) -> set[str]:
        """Returns the people, among these SOURCE/IDs, that an admin of these desks knows."""
        names: set[str] = set()
        for start in range(0, len(people), _SLICE):
            with self._database.read() as connection:
                closed_since = self._clock() - KNOWN_MS
                some = people[start : start + _SLICE]
                names |= known_customers(connection, some, desks, closed_since)
        return names

    def all_if_few(self, desks: Collection[str]) -> list[str] | None:
        """Returns all customers that an admin of these desks knows; None if there are many."""
        with self._database.read() as connection:
            names = customers_at(connection, desks, self._clock() - KNOWN_MS, _FEW + 1)
        return names if len(names) <= _FEW else None

    def of_a_list(self, desks: frozenset[str]) -> Callable[[Sequence[str]], Collection[str]]:
        """Returns `among` for one list, which asks repeatedly; in a long list the answers may be
        some seconds old."""
        count = 0

        def among(people: Sequence[str]) -> Collection[str]:
            nonlocal count
            count += len(people)
            if count <= _FEW:
                return self.among(people, desks)
            answers = self._answers(desks)
            new = [person for person in people if person not in answers]
            names = self.among(new, desks)
            answers.update((person, person in names) for person in new)
            return {person for person in people if answers[person]}

        return among

    def _answers(self, desks: frozenset[str]) -> dict[str, bool]:
        now = self._monotonic()
        until, answers = self._cache.get(desks, (now, {}))
        if now >= until:
            if len(self._cache) >= _KEPT_MAX:
                self._cache.clear()
            answers = {}
            self._cache[desks] = now + _KEPT_SECONDS, answers
        return answers


log = logging.getLogger(__name__)

#: The number of people in one step of sending settings again.
SETTINGS_AT_ONCE = 200
#: A viewer who sees what everyone may see; no admin has this id.
OTHERS = Viewer("others")
#: A viewer who sees the truth: the chatbot of the customers.
TRUTH = Viewer(truth=True)


class PresenceUnavailable(Problem):
    """Redis is away: the state of people is not known."""

    def __init__(self) -> None:
        super().__init__(
            503,
            "presence_unavailable",
            "Presence is not available now; try again.",
            headers={"Retry-After": "1"},
        )


class PresenceService:
    """Customers (named SOURCE/ID), admins (named by their ids as text) and the rooms of threads.

    Settings are written to SQL first, then sent to Redis. Methods raise RedisError and
    StorageUnavailable.
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
        self.database = database
        self.clock = clock
        self.client = client
        self.timing = timing or Timing()
        self.relations = Relations(database, monotonic)
        self._rate_limiter = SharedLimiter(client, key_prefix, clock, monotonic)
        shared: dict[str, Any] = {"timing": self.timing, "lua": LuaRunner(client, job_sources())}
        customers, admins = (Space(kind, f"{key_prefix}:p:") for kind in ("customer", "admin"))
        self.customers = People(client, customers, storage=self._stored_customers, **shared)
        self.admins = People(client, admins, storage=self._stored_admins, **shared)
        #: Rooms of the admins in a thread.
        self.threads = Rooms(client, admins, **shared)
        #: Rooms of the customers typing in a thread.
        self.writers = Rooms(client, customers, **shared)
        self.known_customers = KnownCustomers(database, clock, monotonic)
        self.seen = Listing(self.customers, self.relations.of_customers, SeenCustomers(database))
        #: Called with new settings of a person.
        self.on_settings: Callable[[Settings], object] = lambda settings: None
        self._unsent_settings: dict[tuple[str, str], Settings] = {}
        #: Kind -> the id after which settings are sent again; see `send_all_settings_again`.
        self._sent_again: dict[str, int] = {}
        self.send_all_settings_again()

    def check_layout(self) -> None:
        """Checks data that other processes wrote; call it first.

        Raises ShardsChanged if Redis holds presence of another number of shards. Rows that an
        earlier version wrote are brought up to date.
        """
        check_shards(self.client, [self.customers.space, self.admins.space])
        for people in (self.customers, self.admins):
            while regroup(people):
                pass

    def customer_settings(self, people: Sequence[str]) -> dict[str, Settings]:
        """Maps customers to settings; UNSET for customers who never set anything."""
        return _settings(people, self._stored_customers(people))

    def deleted_customers(self, people: Sequence[str]) -> Collection[str]:
        """Returns people who were deleted and have not written since: no data of them is kept."""
        with self.database.read() as connection:
            return erasures.gone(connection, people)

    def admin_settings(self, people: Sequence[str]) -> dict[str, Settings]:
        return _settings(people, self._stored_admins(people))

    def set_customer(
        self, source_id: int, source: str, name: str, changes: Mapping[str, Any]
    ) -> Settings:
        """Changes a customer's settings (fields of `Settings.changed`); returns the new ones."""
        now = self.clock()
        settings = self.database.write(
            lambda connection: kept.change_customer(
                connection, source_id, name, lambda settings: settings.changed(changes, now), now
            ),
            is_idempotent=True,
        )
        self._send_settings("customer", f"{source}/{name}", settings)
        return settings

    def set_admin(self, admin_id: int, changes: Mapping[str, Any]) -> Settings:
        """Changes an admin's settings and returns them; without changes the current ones."""
        if not changes:
            return self.admin_settings([str(admin_id)])[str(admin_id)]
        now = self.clock()
        settings = self.database.write(
            lambda connection: kept.change_admin(
                connection, admin_id, lambda settings: settings.changed(changes, now)
            ),
            is_idempotent=True,
        )
        self._send_settings("admin", str(admin_id), settings)
        return settings

    def flush_unsent_settings(self) -> None:
        """Sends settings to Redis that it could not take before. Raises RedisError."""
        for (kind, person), settings in list(self._unsent_settings.items()):
            self._people(kind).set(person, settings)
            if self._unsent_settings.get((kind, person)) is settings:
                del self._unsent_settings[kind, person]

    def send_all_settings_again(self) -> None:
        """Sends all settings to Redis once more, step by step.

        Redis may hold settings of an older dump, also of people who hid since then.
        """
        self._sent_again = {"admin": 0, "customer": 0}

    def send_settings_again(self) -> bool:
        """Sends the settings of the next people; returns whether there are more.

        Raises RedisError and StorageUnavailable.
        """
        for kind, after_id in list(self._sent_again.items()):
            with self.database.read() as connection:
                by_name, last_id = kept.settings_after(connection, kind, after_id, SETTINGS_AT_ONCE)
            self._people(kind).set_again(by_name)
            if self._sent_again.get(kind) != after_id:
                continue  # started again meanwhile
            if last_id is None:
                del self._sent_again[kind]
            else:
                self._sent_again[kind] = last_id
        return bool(self._sent_again)

    def look_up(self, kind: str, people: Sequence[str], viewer: Viewer) -> dict[str, State]:
        """Returns the state of each person as shown to the viewer; `kind`: customer or admin."""
        related = self.relations.of_customers if kind == "customer" else self.relations.of_admins
        return self._people(kind).look_up(people, viewer, related)

    def limit_look_ups(self, key_or_admin: tuple[str, int], people: int) -> None:
        """Counts people looked up by ("key", id) or ("admin", id). Raises RateLimitExceeded."""
        kind, id = key_or_admin
        self._rate_limiter.require(LOOK_UPS, f"look-ups|{kind}|{id}", people)

    def sign_out(self, admin_id: int, prefix: str = "") -> None:
        """Closes an admin's connections with ids that begin with `prefix`: all of one session.

        Without a prefix, closes all sessions. Later beats of sockets that are still open do not
        open them again.
        """
        person = str(admin_id)
        closed = [one.id for one in self.admins.connections_of(person) if one.id.startswith(prefix)]
        self.admins.close_all_of([(person, id) for id in closed], leave_tombstones=True)

    def forget_customer(self, person: str, thread_ids: Collection[int] = ()) -> None:
        """Removes everything about the customer, and all members of these threads, from Redis."""
        self.customers.forget(person)
        names = {str(id) for id in thread_ids}
        for rooms, people in ((self.threads, set()), (self.writers, {person})):
            for membership in rooms.memberships():
                if membership.room in names or membership.person in people:
                    rooms.leave(membership)

    def _send_settings(self, kind: str, person: str, settings: Settings) -> None:
        self._unsent_settings[kind, person] = settings
        self.on_settings(settings)
        try:
            self.flush_unsent_settings()
        except RedisError as error:
            log.warning("presence settings are in SQL and will be sent to Redis later: %s", error)
            raise

    def _people(self, kind: str) -> People:
        return self.customers if kind == "customer" else self.admins

    def _stored_customers(self, people: Collection[str]) -> dict[str, Stored]:
        with self.database.read() as connection:
            return kept.of_customers(connection, people)

    def _stored_admins(self, people: Collection[str]) -> dict[str, Stored]:
        with self.database.read() as connection:
            return kept.of_admins(connection, people)


def _settings(people: Sequence[str], stored: Mapping[str, Stored]) -> dict[str, Settings]:
    return {person: stored[person].settings if person in stored else UNSET for person in people}


def to_json(settings: Settings, now_ms: int) -> dict[str, object]:
    """Returns settings as one flat object, with the names that `set_admin` takes."""
    override = settings.override.at(now_ms)
    return {
        "status": override.status,
        "text": override.text,
        "activity": override.activity,
        "until": override.until,
        "visibility": settings.visibility,
        "show_last_seen": settings.show_last_seen,
        "show_typing": settings.show_typing,
    }
