"""Sets up the demo's desk and runs it: its admins, the threads they took, canned replies."""

import logging
import secrets
import time
from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import Any

from sqlalchemy import Connection, case, select, update

from dashboard.cli.context import operator
from dashboard.cli.demo_access import DEMO_EMAIL, made_with
from dashboard.cli.demo_data import DEMO_SOURCE
from dashboard.db import audit, calendars, policies
from dashboard.db.accounts import admin_desks, admins, canned_replies, passwords, sessions, sources
from dashboard.db.audit import Target, account_created, add
from dashboard.db.calendars import CalendarDraft
from dashboard.db.lists import versions, views
from dashboard.db.models.threads import customers, events, threads
from dashboard.db.policies import PolicyDraft
from dashboard.ingest.accounts import Changes
from dashboard.ingest.assigning import HandOver
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.replies import Reply
from dashboard.services import Services
from dashboard.settings import Settings
from dashboard.tasks import PeriodicTask
from dashboard.web.http.identity import COOKIE, HOST_COOKIE, Identities
from dashboard.web.http.origins import Origins
from demo import content
from demo.clients import BotClient, DashboardClient
from demo.desk import Chatbot, Colleague, Desk, Person
from demo.simulate import Tick
from demo.traffic import StaffedTraffic, TrafficModel
from scoring.calendar import WEEKDAYS

log = logging.getLogger(__name__)

#: Pause between two looks at what a colleague has to do.
TICK_SECONDS = 0.25
#: E-mail address, name, and the languages in which the colleague answers.
COLLEAGUES = (
    ("kenji@lineup.example", "Kenji Sato", ("ja", "en")),
    ("linh@lineup.example", "Linh Nguyễn", ("vi",)),
    ("emma@lineup.example", "Emma Clarke", ("en",)),
    ("minh@lineup.example", "Minh Trần", ("vi", "en")),
)
#: Open threads that each colleague has taken: (those that wait, those that do not).
TAKEN_EACH = (6, 14)
#: A desk beside `main`, which all colleagues see, too, and the threads that are handed over to it.
SECOND_DESK, HANDED_OVER = "billing", 12
#: Name, query, and the minutes within which the first and each further reply are promised.
POLICIES = (("Members", "member:0,1", 30, 60), ("Everybody", "", 120, 240))
#: Name, query and sort of the views that everybody sees.
VIEWS = (
    ("Members who wait", "member:0,1 is:waiting", "longest_wait"),
    ("Billing", "desk:billing", "arrival"),
    ("Late within the hour", "due:<1h", "next_due"),
)
#: For how many minutes threads are snoozed.
SNOOZED_MINUTES = (3, 20, 60, 180, 600, 1_500, 3_000, 6_000)
#: Notes of colleagues to the demo admin.
NOTES = (
    "@{name} Can you approve this refund? It is above my limit.",
    "@{name} The customer asks for you by name.",
    "@{name} Is this a known problem with the new parcel service?",
)
#: The same for the admin with the password that the demo prints.
TAKEN_BY_DEMO_ADMIN = (6, 8)


def hire(services: Services) -> list[Person]:
    """Creates missing colleagues, and canned replies if there are none; returns the colleagues.

    Raises StorageUnavailable.
    """
    database, clock = services.database, services.clock
    # Nobody knows this password: colleagues get their sessions from `_sessions`.
    password_hash = passwords.hashed(secrets.token_urlsafe(32))

    def person(connection: Connection, email: str, name: str, locales: tuple[str, ...]) -> Person:
        admin = made_with(connection, email)
        if admin is not None:
            return Person(admin.id, admin.name, locales)
        id = admins.create(connection, email, name, "admin", password_hash, clock())
        account_created(
            connection, clock(), operator(), Target(id, email), name, "admin", (admin_desks.MAIN,)
        )
        return Person(id, name, locales)

    def write(connection: Connection) -> list[Person]:
        if not canned_replies.listing(connection):
            for shortcut, body in content.canned_replies().items():
                canned_replies.create(connection, shortcut, body, clock())
        return [person(connection, *colleague) for colleague in COLLEAGUES]

    return database.write(write)


def share_out(services: Services, people: Sequence[Person], *, again: bool = False) -> None:
    """Gives the seeded answers authors and lets admins take some threads; does so only once.

    `again`: the first time may have been cut off. The lists of the threads must be in Redis
    already. Raises StorageUnavailable.
    """
    if again or not _is_anything_taken(services):
        _sign_answers(services, people)
        _take_threads(services, people)


def furnish(services: Services, people: Sequence[Person], *, again: bool = False) -> None:
    """Sets up what a desk has after its first weeks: a second desk, promised times, shared views,
    snoozed threads, and notes that mention the demo admin; does so only once.

    `again`: the first time may have been cut off. Threads must have been shared out already.
    Raises StorageUnavailable.
    """
    database, clock = services.database, services.clock
    with database.read() as connection:
        demo_admin = made_with(connection, DEMO_EMAIL)
        has_settings = bool(calendars.listing(connection))
        if demo_admin is None or (has_settings and not again):
            return
    by = operator()
    if not has_settings:
        database.write(lambda connection: _add_settings(connection, demo_admin.id, clock()))
    for person in people:
        desks = Changes(desks=(admin_desks.MAIN, SECOND_DESK))
        services.accounts.change(by, person.id, desks)
    supervisor = Admin(demo_admin.id, demo_admin.name, demo_admin.role)
    with database.read() as connection:
        free = [thread for thread in _open_threads(connection) if thread.assignee_id is None]
    hand_over, snooze = services.assigning.hand_over, services.snoozing.snooze
    ids = iter([thread.id for thread in free][: len(free) // 10])
    for minutes, id in zip(SNOOZED_MINUTES, ids, strict=False):
        services.ingest.act(snooze, supervisor, id, clock() + minutes * 60_000, "reply")
    for note, person, id in zip(NOTES, people, ids, strict=False):
        reply = Reply(note.format(name=demo_admin.name), f"demo-note-{id}", private=True)
        services.ingest.act(services.actions.reply, Admin(person.id, person.name), id, reply)
    for id in islice(ids, HANDED_OVER):
        services.ingest.act(hand_over, supervisor, id, HandOver(None, desk=SECOND_DESK))
    services.placer.save_placed_revisions()


def _add_settings(connection: Connection, admin_id: int, now: int) -> None:
    """Adds the desk, opening hours with their policies, and views for everybody."""
    if admin_desks.add(connection, SECOND_DESK, now):
        add(connection, now, operator(), audit.DESK_CREATED, Target(None, SECOND_DESK))
    versions.grow_policies(connection)
    week = {day: [("00:00", "24:00")] for day in WEEKDAYS}
    hours = CalendarDraft("Around the clock", "Asia/Ho_Chi_Minh", week, [])
    calendar = calendars.create(connection, hours, admin_id, now)
    for name, query, first_reply, next_reply in POLICIES:
        draft = PolicyDraft(name, query, calendar.id, first_reply, next_reply)
        policies.create(connection, draft, admin_id, now)
    policies.keep(connection, now)
    for name, query, sort in VIEWS:
        views.create(connection, views.Draft(name, query, sort, "UTC", None), admin_id, now)


class DemoDesk:
    """The desk at work: each colleague in a thread of their own, so that nobody waits for another.

    `url` is the server's address, `port` the port on which it listens; `key` is the chatbot's.
    """

    def __init__(self, services: Services, people: Sequence[Person], url: str, port: int, key: str):
        self._services = services
        self._desk = Desk(people)
        self._origins = Origins(services.settings.origins, port)
        self._tasks = [self._task(person, url, port, key) for person in people]

    def start(self) -> None:
        """Lets the colleagues come to work."""
        for task in self._tasks:
            task.start()

    def others(
        self, client: BotClient, random: Random, run: str
    ) -> tuple[TrafficModel, Sequence[Tick]]:
        """Makes the traffic of this desk, and its chatbot, for `demo.simulate.simulate`."""
        model = StaffedTraffic(random, run, self._desk.staff)
        self._desk.model = model
        return model, (_chatbot(self._services.settings, client, model).tick,)

    def _task(self, person: Person, url: str, port: int, key: str) -> PeriodicTask:
        settings, clock = self._services.settings, self._services.clock
        origin = settings.origins[0] if settings.origins else f"http://localhost:{port}"
        window = DashboardClient(
            url, origin, lambda: self._new_session(person), f"demo-desk-{person.id}"
        )
        bot = BotClient(url, key, wait=_slept, report=log.debug, random=Random())
        colleague = Colleague(person, window, bot, self._desk, Random())
        return PeriodicTask(
            person.name,
            lambda: colleague.tick(clock()),
            interval_seconds=TICK_SECONDS,
            expected=(Exception,),
            expected_level=logging.DEBUG,
        )

    def _new_session(self, person: Person) -> str:
        """Returns the `Cookie` header of a new session; the colleague's last one ends."""
        services = self._services
        services.database.write(lambda connection: sessions.end_all(connection, person.id))
        secret_key = services.secret_key
        identities = Identities(services.database, services.clock, secret_key, self._origins)
        cookie = identities.begin(person.id)
        # The server reads the cookie that belongs to its scheme.
        return f"{COOKIE}={cookie}; {HOST_COOKIE}={cookie}"


def _slept(seconds: float) -> bool:
    time.sleep(seconds)
    return False


def _chatbot(settings: Settings, client: BotClient, model: StaffedTraffic) -> Chatbot:
    path = settings.instance / "demo-cursor.txt"
    cursor = path.read_text().strip() if path.exists() else ""
    return Chatbot(client, model, Random(), cursor, keep=path.write_text)


def _is_anything_taken(services: Services) -> bool:
    with services.database.read() as connection:
        query = select(threads.c.id).where(threads.c.assignee_id.is_not(None)).limit(1)
        return connection.execute(query).first() is not None


def _sign_answers(services: Services, people: Sequence[Person]) -> None:
    """Gives seeded answers an author, one colleague a thread; the API stored them without."""
    index = events.c.thread_id % len(people)
    author = case(*((index == at, person.id) for at, person in enumerate(people)))

    def write(connection: Connection) -> None:
        source_id = sources.named(connection, DEMO_SOURCE)
        connection.execute(
            update(events)
            .where(
                events.c.source_id == source_id,
                events.c.role == "admin",
                events.c.author_id.is_(None),
            )
            .values(author_id=author)
        )

    services.database.write(write)


def _take_threads(services: Services, people: Sequence[Person]) -> None:
    """Lets each admin take threads in their languages, by the same calls as the page."""
    with services.database.read() as connection:
        demo_admin = made_with(connection, DEMO_EMAIL)
        open_threads = _open_threads(connection)
    shares = [(Admin(person.id, person.name), person.locales, TAKEN_EACH) for person in people]
    if demo_admin is not None:
        by_demo_admin = (
            Admin(demo_admin.id, demo_admin.name),
            content.LOCALES,
            TAKEN_BY_DEMO_ADMIN,
        )
        shares.insert(0, by_demo_admin)
    taken_ids: set[int] = set()
    most = len(open_threads) // 20
    for admin, locales, counts in shares:
        for is_waiting, count in zip((True, False), counts, strict=True):
            free = [
                thread.id
                for thread in open_threads
                if thread.id not in taken_ids
                and thread.assignee_id in (None, admin.id)
                and thread.locale in locales
                and (thread.waiting_since is not None) == is_waiting
            ]
            for id in free[: min(count, most)]:
                services.ingest.act(services.actions.claim, admin, id)
                taken_ids.add(id)
    services.placer.save_placed_revisions()


def _open_threads(connection: Connection) -> Sequence[Any]:
    """Returns rows (id, waiting_since, assignee_id, locale) of the demo's open threads, ages
    mixed."""
    query = (
        select(threads.c.id, threads.c.waiting_since, threads.c.assignee_id, customers.c.locale)
        .join_from(threads, customers, customers.c.id == threads.c.customer_id)
        .where(
            threads.c.source_id == sources.named(connection, DEMO_SOURCE),
            threads.c.closed.is_(False),
        )
    )
    return connection.execute(query.order_by(threads.c.id * 7919 % 1009, threads.c.id)).all()
