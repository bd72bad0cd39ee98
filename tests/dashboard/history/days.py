"""What happens on a random day at a desk: events of chatbots, acts of admins, and changes of views,
sorts, policies and queues."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import func, select, true

from dashboard.db.accounts import sources
from dashboard.db.database import Database
from dashboard.db.lists import versions
from dashboard.db.models.accounts import sources as sources_table
from dashboard.db.models.threads import customers, events, thread_acts, threads
from dashboard.db.queues import admins as queue_admins
from dashboard.db.threads import suggestions
from tests.drivers.application import PASSWORD, ApplicationDriver

THREADS = 7
#: Acts that one call undoes at most.
ACTS_AT_ONCE = 4
#: Sessions last longer.
SESSION_MS = 3_600_000
CUSTOMERS = 4
QUERIES = ("is:open", "waits:>5m", "is:closed or tag:vip", "-assigned:none", "due:<1h")
RULES = (
    [{"when": "tag:vip", "by": "created_at", "order": "oldest"}],
    [{"when": "waits:>10m", "by": "waiting_since", "order": "oldest"}],
    [{"when": "is:open", "by": "recent_at", "order": "newest", "split": "member"}],
    [{"when": "is:late", "by": "due_at", "order": "oldest", "split": "priority"}],
)
REST = {"when": "", "by": "recent_at", "order": "newest"}
#: The views that the day begins with: the first one is changed, the second one is a queue. Views
#: that are deleted and made again get the next numbers.
VIEW = {"name": "Mine", "query": QUERIES[0], "sort": "arrival", "owner": "all"}
HANDED_OUT = {"name": "Handed out", "query": "is:waiting", "sort": "longest_wait", "owner": "all"}
QUEUE = {
    "view": "v2",
    "mode": "pull",
    "admins": "all",
    "take_within": 300,
    "delay": 0,
    "return": {"offline_after": 120, "which": "waiting"},
}
#: Hours of a calendar, of which a policy makes times: always, and some of each day.
WEEKS = (
    {day: [["00:00", "24:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")},
    {day: [["09:00", "12:00"], ["13:30", "20:00"]] for day in ("mon", "tue", "wed", "thu", "fri")},
)


class Note(NamedTuple):
    """Acts and messages that were stored together, by kind and id, and the revisions of their
    thread before and after that."""

    stored: frozenset[tuple[str, int]]
    before: int
    after: int


class Notes:
    """Notes what was stored of each thread, step by step."""

    def __init__(self, database: Database):
        self._database = database
        self._last = {"act": 0, "message": 0}
        self._revisions = dict[int, int]()
        self.of_threads = dict[int, list[Note]]()

    def note(self) -> None:
        """Notes what has been stored since the last call."""
        stored: dict[int, set[tuple[str, int]]] = {}
        with self._database.read() as connection:
            for kind, table, some in (
                ("act", thread_acts, true()),
                ("message", events, events.c.role.is_not(None)),
            ):
                new = select(table.c.id, table.c.thread_id).where(
                    table.c.id > self._last[kind], table.c.thread_id.is_not(None), some
                )
                for id, thread in connection.execute(new):
                    self._last[kind] = max(self._last[kind], id)
                    stored.setdefault(thread, set()).add((kind, id))
            revisions = dict(connection.execute(select(threads.c.id, threads.c.revision)).all())
        for id, revision in revisions.items():
            note = Note(frozenset(stored.get(id, ())), self._revisions.get(id, 0), revision)
            self.of_threads.setdefault(id, []).append(note)
        self._revisions = revisions


class Day:
    """Lets things happen at a desk, to which Sue, a supervisor, and Lan belong. `done` counts what
    was not refused."""

    def __init__(self, app: ApplicationDriver):
        self._app = app
        self.database, self.clock = app.database, app.clock
        self.sue, self.lan = app.sign_in("Sue", "supervisor"), app.sign_in("Lan")
        self.people = {"sue": 1, "lan": 2}
        self._signed_in_at = self.clock()
        self.done = Counter[str]()
        self.erased, self.erased_people = set[int](), dict[str, int]()
        self.noted = Notes(self.database)
        self._numbers = itertools.count()
        for path, body in (
            ("views", VIEW),
            ("views", HANDED_OUT),
            ("queues", QUEUE),
            ("sorts", {"name": "vip", "title": "VIP", "rules": [*RULES[0], REST]}),
            ("calendars", {"name": "Office", "timezone": "Asia/Tokyo", "week": WEEKS[0]}),
        ):
            assert self._call("post", path, **body) < 300, path
        self.database.write(self._accept)

    @staticmethod
    def _accept(connection: Any) -> None:
        online = {"status": "online", "shown_status": "online", "accepting": True}
        for admin_id in (1, 2):
            queue_admins.put(connection, admin_id, **online, capacity=3)

    def do(self, what: str, thread: int, choice: int, seconds: int) -> None:
        """Lets time pass and does something; what is refused changes nothing."""
        self.pass_time(seconds * 1000 + 7)
        getattr(self, f"_{what}")(f"t-{thread}", thread, choice)
        self.noted.note()
        self._app.services.hand_outs.turn()
        self.noted.note()
        # Acts of one thread in one millisecond are stored a millisecond apart: the last one is in
        # the future.
        self.clock.advance(ACTS_AT_ONCE)

    def pass_time(self, milliseconds: int) -> None:
        """Then what is due is taken up, threads are archived, and sessions that end are begun
        again."""
        self.clock.advance(milliseconds)
        if self.clock() > self._signed_in_at + SESSION_MS:
            self._signed_in_at = self.clock()
            for name in self.people:
                given = {"email": f"{name}@example.com", "password": PASSWORD}
                assert getattr(self, name).post("/login", json=given).status_code == 204
        services = self._app.services
        for task in (services.due_queue, services.recompute, services.archiver):
            task.turn()
            self.noted.note()

    def _call(self, method: str, path: str, *, by: Any = None, **body: Any) -> int:
        given = {} if method == "delete" else {"json": body}
        answer = getattr(by or self.sue, method)(f"/admin/api/{path}", **given)
        # A wrong address or a wrong body would be refused each time.
        assert answer.status_code in (200, 201, 204, 404, 409, 422), (path, answer.text)
        if answer.status_code < 300:
            self.done[f"{method} {path.split('/')[-1]}"] += 1
        return answer.status_code

    def _id(self, thread: str) -> int | None:
        with self.database.read() as connection:
            return connection.scalar(select(threads.c.id).where(threads.c.external_id == thread))

    def _act(self, thread: str, name: str, method: str = "post", **body: Any) -> None:
        id = self._id(thread)
        if id is not None:
            self._call(method, f"threads/{id}/{name}", **body)

    def _later(self, seconds: float) -> str:
        return datetime.fromtimestamp(self.clock() / 1000 + seconds, UTC).isoformat()

    # What a chatbot reports

    def _happens(self, type: str, thread: str, **more: Any) -> None:
        """An event of an erased thread is dropped."""
        self._app.happens(type, thread, **more)
        self.done[type] += 1

    def _say(self, thread: str, number: int, choice: int) -> None:
        customer = {"id": f"c-{number % CUSTOMERS}", "name": f"Customer {thread}"}
        file = {"url": "https://cdn.example/b.png", "type": "image/png", "name": "b"}
        more = {"attachments": [file]} if choice == 11 else {}
        body = f"message {next(self._numbers)}"
        self._happens("message", thread, customer=customer, role="client", body=body, **more)
        if choice % 2:
            self._suggest(thread)

    def _suggest(self, thread: str) -> None:
        """A suggestion for the last message of the chatbot, and a summary up to it."""
        last = select(events.c.external_id).join(threads, threads.c.id == events.c.thread_id)
        posted = threads.c.external_id == thread, events.c.role.is_not(None)
        last = last.where(*posted, events.c.author_id.is_(None)).order_by(events.c.id.desc())
        with self.database.read() as connection:
            name = connection.scalar(last.limit(1))
        if name is not None:
            self._happens("thread.suggestion", thread, body="Hello", for_message=name)
            self._happens("thread.summary", thread, body="In short", through=name)

    def _waiting(self, thread: str) -> list[int]:
        """The suggestions of a thread without an outcome."""
        id = self._id(thread)
        with self.database.read() as connection:
            found = suggestions.undecided(connection, id) if id is not None else []
        return [one.id for one in found]

    def _bot(self, thread: str, number: int, choice: int) -> None:
        role = ("bot", "system")[choice % 2]
        customer = {"id": f"c-{number % CUSTOMERS}"}
        body = f"answer {next(self._numbers)}"
        self._happens("message", thread, customer=customer, role=role, body=body)
        self._edit(thread, choice)

    def _late(self, thread: str, number: int, choice: int) -> None:
        type = ("message", "thread.close", "thread.handoff", "thread.reopen")[choice % 4]
        more = {"role": "client", "body": "late", "customer": {"id": f"c-{number % CUSTOMERS}"}}
        more = more if type == "message" else {}
        self._happens(type, thread, occurred_at=self._later(-600 * (choice + 1)), **more)

    def _customer(self, thread: str, number: int, choice: int) -> None:
        values = {"member_status": choice % 7 - 1, "locale": ("vi", "de-AT", "vi-VN")[choice % 3]}
        customer = {"id": f"c-{number % CUSTOMERS}"} | values
        self._happens("message", thread, customer=customer, role="bot", body="Noted.")

    def _chatbot(self, thread: str, number: int, choice: int) -> None:
        type, more = (
            ("thread.close", {}),
            ("thread.reopen", {}),
            ("thread.priority", {"priority": "urgent"}),
            ("thread.priority", {"priority": "low"}),
            ("thread.tags", {"add": ["vip", "refund"]}),
            ("thread.tags", {"remove": ["refund"]}),
        )[choice % 6]
        if self._id(thread) is not None:
            self._happens(type, thread, **more)

    def _edit(self, thread: str, choice: int) -> None:
        """Edits a message and deletes one; what lists and reports count stays as it was."""
        of_thread = (
            select(events.c.external_id)
            .join(threads)
            .where(threads.c.external_id == thread, events.c.role.in_(("client", "bot")))
        )
        with self.database.read() as connection:
            names = connection.scalars(of_thread.order_by(events.c.id)).all()
        late = self._later(-600 * choice)
        for at, type in enumerate(("message.edited", "message.deleted") if names else ()):
            more = {"body": "edited"} if type == "message.edited" else {}
            name = names[(choice + at) % len(names)]
            self._happens(type, thread, message=name, occurred_at=late, **more)

    def _source(self, thread: str, number: int, choice: int) -> None:
        """Only handoffs request a person from now on, or new threads begin at another desk."""

        def write(connection: Any) -> None:
            id = connection.scalar(
                select(sources_table.c.id).where(sources_table.c.name == "shop")
            ) or sources.ensure(connection, "shop", self.clock())
            sources.set_desk(connection, id, ("main", "sales")[choice % 2])
            if choice == 5:
                sources.set_handoff_only(connection, id)

        self.database.write(write)

    def _erase(self, thread: str, number: int, choice: int) -> None:
        """Erases a customer, seldom: then nothing is left of some threads."""
        if choice < 10:
            return
        name = f"c-{number % CUSTOMERS}"
        theirs = select(threads.c.id).join(customers).where(customers.c.external_id == name)
        with self.database.read() as connection:
            ids = set(connection.scalars(theirs))
        if self._call("post", "customers/delete", source="shop", customer=name) < 300:
            self.erased |= ids
            self.erased_people[f"shop/{name}"] = self.clock()

    # Acts of admins

    def _reply(self, thread: str, number: int, choice: int) -> None:
        private = choice % 2 == 0
        body = {"body": "@Lan, @Sue, look" if private else "Hello", "private": private}
        if not private and choice > 3:
            waiting = self._waiting(thread)
            body |= {"suggestion": waiting[-1]} if waiting else {}
            body |= {"body": "Hello, Lan"} if choice > 7 else {}
        self._act(thread, "replies", token=f"token-{next(self._numbers)}", confirm=True, **body)

    def _read(self, thread: str, number: int, choice: int) -> None:
        """Reads mentions, or one of them is unread again."""
        body = {"message_id": choice + 1} if choice > 9 else {"through": 2**40}
        name = "unread" if choice > 9 else "read"
        by = (self.sue, self.lan)[choice % 2]
        self._act(thread, f"mentions/{name}", by=by, **body)
        for id in self._waiting(thread)[: choice % 2]:
            self._act(thread, f"suggestions/{id}", "delete", by=by)

    def _simple(self, thread: str, number: int, choice: int) -> None:
        by = (self.sue, self.lan)[choice // 6]
        self._act(
            thread, ("claim", "release", "close", "close", "reopen", "wake")[choice % 6], by=by
        )

    def _mark(self, thread: str, number: int, choice: int) -> None:
        if choice % 2:
            priority = ("low", "normal", "high", "urgent")[choice % 4]
            self._act(thread, "priority", "put", priority=priority)
        else:
            names = {("add", "remove")[choice // 2 % 2]: [("vip", "refund", "new")[choice % 3]]}
            self._act(thread, "tags", "put", **{"add": [], "remove": [], **names})

    def _snooze(self, thread: str, number: int, choice: int) -> None:
        until, wake = self._later(60 * 5 ** (choice % 4)), ("reply", "never")[choice % 2]
        self._act(thread, "snooze", until=until, wake=wake)

    def _hand_over(self, thread: str, number: int, choice: int) -> None:
        if choice % 2:
            desk = ("sales", "main")[choice // 2 % 2]
            self._act(thread, "assign", admin_id=(None, 3)[choice // 4 % 2], desk=desk)
        else:
            self._act(thread, "assign", admin_id=(None, 1, 2, 3, 4, 2)[choice // 2])

    def _bulk(self, thread: str, number: int, choice: int) -> None:
        action: dict[str, Any] = (
            {"action": "close"},
            {"action": "claim"},
            {"action": "priority", "priority": "high"},
            {"action": "tag", "add": ["vip"], "remove": ["refund"]},
            {"action": "snooze", "until": self._later(1_800), "wake": "reply"},
            {"action": "assign", "admin_id": 2, "desk": "main"},
        )[choice % 6]
        ids = [(number + step) % THREADS + 1 for step in range(4)]
        self._call("post", "threads/bulk", ids=ids, **action)

    def _undo(self, thread: str, number: int, choice: int) -> None:
        """Undoes acts of the last ones; several of one thread in one millisecond, too."""
        with self.database.read() as connection:
            last = connection.scalar(select(func.max(thread_acts.c.id))) or 0
        acts = [last - step for step in range(choice % ACTS_AT_ONCE + 1) if last > step]
        if acts:
            self._call("post", "threads/undo", acts=acts)

    def _next(self, thread: str, number: int, choice: int) -> None:
        self._call("post", "queues/next", by=(self.sue, self.lan)[choice % 2])
        if choice == 4:
            self._app.services.handing_out.open(1, number)

    # Settings

    def _view(self, thread: str, number: int, choice: int) -> None:
        owner = ("all", "desk:main", "me")[choice % 3]
        body = VIEW | {"query": QUERIES[number % 5], "owner": owner}
        if choice < 6:
            self._call("put", "views/v1", **body)
        elif choice < 9:
            self._call("post", "views", **body)
        else:
            self._call("delete", f"views/v{number % 3 + 3}")

    def _sort(self, thread: str, number: int, choice: int) -> None:
        rules = [*RULES[number % 4], REST]
        if choice < 6:
            self._call("put", "sorts/vip", title=f"VIP {choice % 2}", rules=rules)
        elif choice < 8:
            self._call("delete", "sorts/vip")
        else:
            self._call("post", "sorts", name="vip", title="VIP", rules=rules)

    def _policy(self, thread: str, number: int, choice: int) -> None:
        body = {"name": "Soon", "query": ("", "tag:vip", "member:2,3")[choice % 3], "calendar": 1}
        body |= {"first_reply": 10 * (choice + 1), "next_reply": 60}
        week = {"name": "Office", "timezone": "Asia/Tokyo", "week": WEEKS[choice % 2]}
        if choice < 4:
            self._call("post", "policies", **body)
        elif choice < 7:
            self._call("put", "policies/1", **body)
        elif choice < 11:
            self._call("put", "calendars/1", **week)
        else:
            self._call("delete", "policies/1")
        self._app.services.recompute.turn()

    def _disable(self, thread: str, number: int, choice: int) -> None:
        """Disables an admin who may have threads."""
        self._call("post", f"accounts/4/{('disable', 'enable')[choice % 2]}")

    def _days(self, thread: str, number: int, choice: int) -> None:
        """LINEUP_HISTORY_DAYS changes."""
        days = (1, 1, 2, 90)[choice % 4]
        self.database.write(lambda connection: versions.set_history_days(connection, days))
        self._app.services.archiver.turn()

    def _clean(self, thread: str, number: int, choice: int) -> None:
        self.done["cleaned"] += self._app.services.history_cleaner.turn()

    def _wait(self, thread: str, number: int, choice: int) -> None:
        """Sometimes what is due is taken up late."""
        pass_time = self.clock.advance if choice % 3 == 0 else self.pass_time
        pass_time(10 ** (choice % 4 + 2) * 1000)


_KINDS = (
    *["say"] * 6,
    *[
        "bot",
        "late",
        "customer",
        "customer",
        "chatbot",
        "chatbot",
        "reply",
        "reply",
        "reply",
        "read",
    ],
    *["simple", "simple", "simple", "simple", "mark", "snooze", "hand_over", "hand_over", "bulk"],
    *[
        "undo",
        "next",
        "next",
        "view",
        "sort",
        "sort",
        "policy",
        "policy",
        "disable",
        "days",
        "clean",
    ],
    *["source", "erase", "wait", "wait", "wait", "chatbot", "simple"],
)


def acts_of(seed: int) -> Iterator[tuple[str, int, int, int]]:
    """Yields what happens on a day: what `Day.do` takes. It begins with customers who write; all
    kinds follow."""
    chosen = random.Random(seed)
    kinds = chosen.sample(_KINDS, len(_KINDS))
    for what in ["say"] * THREADS + kinds:
        thread = chosen.randint(1, THREADS)
        yield what, thread, chosen.randrange(12), int(chosen.random() ** 3 * 900)
