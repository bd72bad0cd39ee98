"""A desk with a random day, and what its dashboards held at moments of it."""

import itertools
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import select

from dashboard.db.accounts import admin_desks
from dashboard.db.database import Database
from dashboard.db.lists.named_lists import ListName
from dashboard.db.models.history import history_state
from dashboard.db.models.views import query_lists_version
from dashboard.errors import Problem
from tests.dashboard.history.days import Day
from tests.drivers.application import ApplicationDriver
from tests.support import SettableClock

HISTORY = "/admin/api/history"
#: The lists that dashboards show: views or queries, each with a sort and a filter.
LISTS: tuple[dict[str, str], ...] = (
    {"view": "arrival", "sort": "arrival"},
    {"view": "arrival", "sort": "longest_wait", "filter": "unassigned"},
    {"view": "arrival", "sort": "soonest"},
    {"view": "not_respond", "sort": "unanswered_first"},
    {"view": "not_respond", "sort": "priority", "filter": "mine"},
    {"view": "history", "sort": "member_status"},
    {"view": "history", "sort": "soonest"},
    {"view": "snoozed", "sort": "soonest"},
    {"view": "mentions", "sort": "arrival"},
    {"view": "v1", "sort": "next_due"},
    {"view": "v1", "sort": "vip"},
    {"view": "v2", "sort": "longest_wait"},
    {"view": "v3", "sort": "next_due", "filter": "unassigned"},
    {"view": "v4", "sort": "arrival"},
    {"query": "waits:>10m -tag:refund", "sort": "vip"},
    {"query": "(lang:vi or member:3,4,5 or source:shop) is:late", "sort": "next_due"},
    {"query": "(waits:<5m or priority:urgent)", "sort": "arrival"},
    {"query": "(due:<30m or -is:open)", "sort": "priority"},
    {"query": "(assigned:me or has:file or last:client)", "sort": "arrival"},
)


#: The entries, the total and the rows of a list; a problem is an entry with its status.
Answer = tuple[list[tuple[int, int]], int, list[dict[str, Any]]]
TOO_EARLY: Answer = [], -1, []


class Held(NamedTuple):
    """What a dashboard held: the admin, the list, the moment, and the list as it was shown."""

    admin: str
    list: dict[str, str]
    at: int
    entries: list[tuple[int, int]]
    total: int
    rows: list[dict[str, Any]]


class HistoryDesk(Day):
    """A supervisor who sees all threads, and two admins who see those of one desk and of two."""

    def __init__(self, folder: Path, database: Database):
        self.app = app = ApplicationDriver(database, SettableClock(), folder)
        database.write(lambda connection: admin_desks.add(connection, "sales", 0))
        super().__init__(app)
        self.kim = app.sign_in("Kim")
        app.create_admin("Bo")
        database.write(lambda connection: admin_desks.save(connection, 3, ["main", "sales"]))
        self.people["kim"] = 3
        both = frozenset({"main", "sales"})
        self.desks = {"sue": None, "lan": frozenset({"main"}), "kim": both}
        self.held: list[Held] = []
        self._lists = itertools.cycle(LISTS)

    def __enter__(self) -> "HistoryDesk":
        return self

    def __exit__(self, *_: Any) -> None:
        self.database.close()

    def record(self, lists: int = len(LISTS)) -> None:
        """Notes what each dashboard holds now, of so many lists in turn; then some time passes, so
        that it was shown."""
        for admin, id in self.people.items():
            for list in itertools.islice(self._lists, lists):
                self.held.append(self._shown(admin, id, list))

    def _shown(self, admin: str, id: int, list: dict[str, str]) -> Held:
        at, name, reads = self.clock(), self.name_of(admin, list), self.app.services.reads
        try:
            entries, total = reads.listed(name, id, 100)
        except Problem as problem:
            is_gone = problem.status == 404 and list.get("view", "").startswith("v")
            assert is_gone or (problem.status == 422 and list["sort"] == "vip")
            return Held(admin, list, at, [(0, problem.status)], 0, [])
        rows = reads.rows([entry.id for entry in entries], name.desks)
        pairs = [(entry.score, entry.id) for entry in entries]
        return Held(admin, list, at, pairs, total, [_lasting(rows[id]) for _, id in pairs])

    def name_of(self, admin: str, list: dict[str, str]) -> ListName:
        """Returns the name of a list for an admin."""
        filter, view, query = list.get("filter", "all"), list.get("view"), list.get("query")
        return ListName(view, list["sort"], filter, query, None, self.desks[admin])

    def compare(self) -> int:
        """Asks for each list again, in parts, and later; returns how many were known still."""
        self.pass_time(1_000)
        since, known = self.since(), 0
        for held in self.held:
            expected = self.without_erased(held) if held.at >= since else TOO_EARLY
            assert self._asked(held) == expected, held[:3]
            known += held.at >= since
        return known

    def since(self) -> int:
        """The time from which the past is known, recounted."""
        with self.database.read() as connection:
            begin = connection.scalar(select(history_state.c.since))
            days = connection.scalar(select(query_lists_version.c.history_days))
        return max(begin, self.clock() - days * 24 * 3_600_000)

    def without_erased(self, held: Held) -> Answer:
        """Nothing is left of erased threads, and no name of an erased person."""
        entries = [pair for pair in held.entries if pair[1] not in self.erased]
        rows = [self._nameless(row, held.at) for row in held.rows if row["id"] not in self.erased]
        return entries, held.total - len(held.rows) + len(rows), rows

    def _nameless(self, row: dict[str, Any], at: int) -> dict[str, Any]:
        """Returns a row of a moment without its customer if the person was erased later."""
        id = row["customer"] and row["customer"]["id"]
        return row | {"customer": None} if at <= self.erased_people.get(id, -1) else row

    def _asked(self, held: Held) -> Answer:
        at, client = moment(held.at), getattr(self, held.admin)
        entries, rows, after = [], [], {}
        while True:
            answer = client.get(HISTORY, query_string={**held.list, "at": at, "limit": 5, **after})
            if answer.status_code != 200:
                codes = [error["code"] for error in answer.json["errors"]]
                early = codes == ["too_early"]
                return TOO_EARLY if early else ([(0, answer.status_code)], 0, [])
            part = answer.json
            entries += zip(part["scores"], part["ids"], strict=True)
            rows += map(_lasting, part["rows"])
            if part["next"] is None:
                return entries, part["total"], rows
            after = {"after": ",".join(map(str, part["next"]))}


def moment(at: int) -> str:
    """Returns a time in milliseconds as it stands in a request."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")


def _lasting(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row without what is always shown as it is today: the name of the customer, the text
    of a message, which may be edited, and how the last snooze ended."""
    shown = ("id", "member_status", "locale")
    customer = row["customer"] and {name: row["customer"][name] for name in shown}
    preview = row["preview"] and (row["preview"]["role"], row["preview"]["at"])
    return row | {"customer": customer, "preview": preview, "woken": None, "queue": None}
