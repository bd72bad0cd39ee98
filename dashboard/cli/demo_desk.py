"""Sets up the demo's desk and runs it: its admins, the threads they took, canned replies."""

import logging
import secrets
import time
from collections.abc import Sequence
from random import Random
from typing import Any

from sqlalchemy import Connection, case, select, update

from dashboard.cli.context import operator
from dashboard.cli.demo_access import DEMO_EMAIL
from dashboard.cli.demo_data import DEMO_SOURCE
from dashboard.db.accounts import admin_desks, admins, canned_replies, passwords, sessions, sources
from dashboard.db.audit import Target, account_created
from dashboard.db.models.threads import customers, events, threads
from dashboard.ingest.outgoing import Admin
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
        admin = admins.by_email(connection, email)
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


def share_out(services: Services, people: Sequence[Person]) -> None:
    """Gives the seeded answers authors and lets admins take some threads; does so only once.

    The lists of the threads must be in Redis already. Raises StorageUnavailable.
    """
    if not _is_anything_taken(services):
        _sign_answers(services, people)
        _take_threads(services, people)


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
        demo_admin = admins.by_email(connection, DEMO_EMAIL)
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
                and thread.locale in locales
                and (thread.waiting_since is not None) == is_waiting
            ]
            for id in free[: min(count, most)]:
                services.ingest.act(services.actions.claim, admin, id)
                taken_ids.add(id)
    services.placer.save_placed_revisions()


def _open_threads(connection: Connection) -> Sequence[Any]:
    """Returns rows (id, waiting_since, locale) of the demo's open threads, ages mixed."""
    query = (
        select(threads.c.id, threads.c.waiting_since, customers.c.locale)
        .join_from(threads, customers, customers.c.id == threads.c.customer_id)
        .where(
            threads.c.source_id == sources.named(connection, DEMO_SOURCE),
            threads.c.closed.is_(False),
        )
    )
    return connection.execute(query.order_by(threads.c.id * 7919 % 1009, threads.c.id)).all()
