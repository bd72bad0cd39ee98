"""A desk with a random day, and what its dashboards held at moments of it."""

import itertools
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st
from sqlalchemy import select

from dashboard.db.accounts import admin_desks
from dashboard.db.database import Database
from dashboard.db.lists.named_lists import ListName
from dashboard.db.models.threads import threads
from dashboard.errors import Problem
from tests.drivers.application import ApplicationDriver
from tests.support import SettableClock

HISTORY = "/admin/api/history"
THREADS = 7
#: The lists that dashboards show: views or queries, each with a sort and a filter.
LISTS: tuple[dict[str, str], ...] = (
    {"view": "arrival", "sort": "arrival"},
    {"view": "arrival", "sort": "longest_wait", "filter": "unassigned"},
    {"view": "not_respond", "sort": "unanswered_first"},
    {"view": "not_respond", "sort": "priority", "filter": "mine"},
    {"view": "history", "sort": "member_status"},
    {"view": "snoozed", "sort": "soonest"},
    {"view": "mentions", "sort": "arrival"},
    {"view": "v1", "sort": "next_due"},
    {"view": "v1", "sort": "vip"},
    {"query": "waits:>10m -tag:refund", "sort": "vip"},
    {"query": "lang:vi or member:>=3 or source:shop is:late", "sort": "next_due"},
    {"query": "assigned:me has:file or last:client", "sort": "arrival"},
)
QUERIES = ("is:open", "waits:>5m", "is:closed or tag:vip", "-assigned:none", "due:<1h")
RULES = (
    [{"when": "tag:vip", "by": "created_at", "order": "oldest"}],
    [{"when": "waits:>10m", "by": "waiting_since", "order": "oldest"}],
    [{"when": "is:open", "by": "recent_at", "order": "newest", "split": "member"}],
)
REST = {"when": "", "by": "recent_at", "order": "newest"}


class Held(NamedTuple):
    """What a dashboard held: the admin, the list, the moment, and the list as it was shown."""

    admin: str
    list: dict[str, str]
    at: int
    entries: list[tuple[int, int]]
    total: int
    rows: list[dict[str, Any]]


class HistoryDesk:
    """A supervisor who sees all threads, and an admin who sees those of one desk."""

    def __init__(self, folder: Path, empty: Path):
        path = folder / f"{next(_numbers)}.sqlite"
        self.database = Database(f"sqlite:///{shutil.copy(empty, path)}")
        self.clock = SettableClock()
        self.app = app = ApplicationDriver(self.database, self.clock, folder)
        self.database.write(lambda connection: admin_desks.add(connection, "sales", 0))
        self.sue = app.sign_in("Sue", "supervisor")
        self.lan = app.sign_in("Lan")
        self.ids = {"sue": 1, "lan": 2}
        self.desks = {"sue": None, "lan": frozenset({"main"})}
        self._messages = itertools.count()
        self._held: list[Held] = []
        view = {"name": "Mine", "query": QUERIES[0], "sort": "arrival", "owner": "all"}
        assert self._call("post", "views", **view)["id"] == "v1"
        sort = {"name": "vip", "title": "VIP", "rules": [*RULES[0], REST]}
        assert self._call("post", "sorts", **sort)["name"] == "vip"

    def __enter__(self) -> "HistoryDesk":
        return self

    def __exit__(self, *_: Any) -> None:
        self.database.close()

    @property
    def recorded(self) -> int:
        return len(self._held)

    def do(self, what: str, thread: int, choice: int, seconds: int) -> None:
        """Lets time pass and does something; what is refused changes nothing."""
        self.clock.advance(seconds * 1000 + 7)
        self.app.services.due_queue.turn()
        getattr(self, f"_{what}")(f"t-{thread}", thread, choice)

    def record(self) -> None:
        """Notes what each dashboard holds now; then some time passes, so that it was shown."""
        at = self.clock()
        for admin, id in self.ids.items():
            for list in LISTS:
                name = ListName(
                    list.get("view"),
                    list["sort"],
                    list.get("filter", "all"),
                    list.get("query"),
                    None,
                    self.desks[admin],
                )
                try:
                    entries, total = self.app.services.reads.listed(name, id, 100)
                except Problem as problem:
                    entries, total = problem.status, 0
                    self._held.append(Held(admin, list, at, problem.status, 0, []))
                    continue
                rows = self.app.services.reads.rows([e.id for e in entries], self.desks[admin])
                shown = [_lasting(rows[entry.id]) for entry in entries]
                pairs = [(entry.score, entry.id) for entry in entries]
                self._held.append(Held(admin, list, at, pairs, total, shown))

    def compare(self) -> None:
        """Asks for each list again, in parts, and later."""
        self.clock.advance(1_000)
        for held in self._held:
            assert self._read(held) == (held.entries, held.total, held.rows), held[:3]

    def _read(self, held: Held) -> tuple[Any, int, list[dict[str, Any]]]:
        at = datetime.fromtimestamp(held.at / 1000, UTC).isoformat(timespec="milliseconds")
        client = getattr(self, held.admin)
        entries, rows, after = [], [], {}
        while True:
            answer = client.get(HISTORY, query_string={**held.list, "at": at, "limit": 3, **after})
            if answer.status_code != 200:
                return answer.status_code, 0, []
            part = answer.json
            entries += zip(part["scores"], part["ids"], strict=True)
            rows += map(_lasting, part["rows"])
            if part["next"] is None:
                return entries, part["total"], rows
            after = {"after": ",".join(map(str, part["next"]))}

    def _call(self, method: str, path: str, **body: Any) -> Any:
        answer = getattr(self.sue, method)(f"/admin/api/{path}", json=body)
        assert answer.status_code < 500
        return answer.json

    def _id(self, thread: str) -> int | None:
        with self.database.read() as connection:
            return connection.scalar(select(threads.c.id).where(threads.c.external_id == thread))

    def _act(self, thread: str, name: str, **body: Any) -> None:
        id = self._id(thread)
        if id is not None:
            self._call("post", f"threads/{id}/{name}", **body)

    # What happens

    def _say(self, thread: str, number: int, choice: int) -> None:
        self.app.say(thread, f"message {next(self._messages)}", customer=f"c-{number % 4}")

    def _bot(self, thread: str, number: int, choice: int) -> None:
        self.app.say(thread, f"answer {next(self._messages)}", role=("bot", "system")[choice % 2])

    def _late(self, thread: str, number: int, choice: int) -> None:
        at = datetime.fromtimestamp(self.clock() / 1000 - 600 * (choice + 1), UTC).isoformat()
        type = ("message", "thread.close", "thread.handoff", "thread.reopen")[choice % 4]
        more = {"role": "client", "body": "late", "customer": {"id": f"c-{number % 4}"}}
        self.app.happens(type, thread, occurred_at=at, **(more if type == "message" else {}))

    def _customer(self, thread: str, number: int, choice: int) -> None:
        values = {"member_status": choice % 7 - 1, "locale": ("vi", "de-AT", "vi-VN")[choice % 3]}
        customer = {"id": f"c-{number % 4}"} | values
        self.app.happens("message", thread, customer=customer, role="bot", body="Noted.")

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
            self.app.happens(type, thread, **more)

    def _reply(self, thread: str, number: int, choice: int) -> None:
        token = f"token-{next(self._messages)}"
        self._act(thread, "messages", body="Hello @Lan", token=token, private=choice % 2 == 0)

    def _simple(self, thread: str, number: int, choice: int) -> None:
        self._act(thread, ("claim", "release", "close", "reopen", "wake")[choice % 5])

    def _snooze(self, thread: str, number: int, choice: int) -> None:
        until = datetime.fromtimestamp(self.clock() / 1000 + 60 * 5 ** (choice % 4), UTC)
        self._act(thread, "snooze", until=until.isoformat(), wake=("reply", "never")[choice % 2])

    def _hand_over(self, thread: str, number: int, choice: int) -> None:
        if choice % 2:
            self._act(thread, "desk", desk=("main", "sales")[choice // 2 % 2])
        else:
            self._act(thread, "assign", admin_id=1 + choice // 2 % 2)

    def _view(self, thread: str, number: int, choice: int) -> None:
        owner = ("all", "desk:main", "me")[choice % 3]
        body = {"name": "Mine", "query": QUERIES[number % 5], "sort": "arrival", "owner": owner}
        self._call("put", "views/v1", **body)

    def _sort(self, thread: str, number: int, choice: int) -> None:
        self._call("put", "sorts/vip", title="VIP", rules=[*RULES[choice % 3], REST])

    def _wait(self, thread: str, number: int, choice: int) -> None:
        self.clock.advance(10 ** (choice % 5) * 1000)
        self.app.services.due_queue.turn()


def _lasting(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row without what is always shown as it is today: the name of the customer, and how
    the last snooze ended."""
    customer = row["customer"] or {"member_status": -1, "locale": None}
    values = customer["member_status"], customer["locale"]
    return row | {"customer": values, "woken": None, "queue": None}


_numbers = itertools.count()
_KINDS = (
    *["say"] * 5,
    *["bot", "late", "customer", "chatbot", "chatbot", "reply", "reply", "reply"],
    *["simple", "simple", "simple", "snooze", "hand_over", "hand_over", "view", "sort", "wait"],
)
ACTS = st.tuples(
    st.sampled_from(_KINDS),
    st.integers(1, THREADS),
    st.integers(0, 11),
    st.integers(0, 900),
)
