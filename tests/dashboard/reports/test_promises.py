"""Opening time, and promises that were met and missed, equal a walk minute by minute."""

import random
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from dashboard.transfer.exporting import Exporter
from tests.dashboard.reports.recount import Thread, percentiles, threads_of
from tests.drivers.application import PASSWORD, ApplicationDriver
from tests.scoring.opening_walker import MINUTE, Walker
from tests.support import SettableClock

#: On 2026-10-25 the clocks of Berlin are set back.
BEGIN = round(datetime(2026, 10, 22, 6, tzinfo=UTC).timestamp() * 1_000)
HOURS = {
    "name": "Office",
    "timezone": "Europe/Berlin",
    "week": {
        **{day: [["08:00", "12:00"], ["13:00", "18:30"]] for day in ("mon", "tue", "wed", "fri")},
        "sat": [["22:00", "04:00"]],
    },
    "exceptions": [{"date": "2026-10-27", "intervals": [["10:00", "11:00"]]}],
}
POLICIES = (
    {"name": "Members", "query": "member:4,5", "first_reply": 20, "next_reply": 45},
    {"name": "First only", "query": "member:none", "first_reply": 60, "next_reply": None},
    {"name": "All", "query": "is:open", "first_reply": 120, "next_reply": 240},
)
THREADS, EVENTS = 6, 90


class Office:
    """A desk with policies, and a random fortnight of conversations."""

    def __init__(self, app: ApplicationDriver, seed: int):
        self.app, self._chosen = app, random.Random(seed)
        self.sue = app.sign_in("Sue", "supervisor")
        calendar = self._post("calendars", HOURS)["calendar"]["id"]
        for policy in POLICIES:
            self._post("policies", policy | {"calendar": calendar})
        for _ in range(EVENTS):
            self._pass(int(self._chosen.random() ** 6 * 24 * 3_600_000) + 5)
            self._happens()
        self._pass(60_000)
        self.sign_in()
        self.threads = threads_of(Exporter(app.database).lines())

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.sue.post(f"/admin/api/{path}", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json

    def _pass(self, milliseconds: int) -> None:
        """Time passes; what is due is taken up at its time, or somewhat later."""
        services = self.app.services
        end = self.app.clock() + milliseconds
        while self.app.clock() < end:
            self.app.clock.advance(min(1_800_000, end - self.app.clock()))
            services.due_queue.turn()
        services.fact_keeper.turn()

    def _happens(self) -> None:
        number = self._chosen.randrange(THREADS)
        customer = {"id": f"c-{number}", "member_status": (-1, 2, 5)[number % 3]}
        role = self._chosen.choice(("client", "client", "admin", "admin", "close"))
        if role == "close":
            self.app.happens("thread.close", f"t-{number}")
        else:
            self.app.happens("message", f"t-{number}", customer=customer, role=role, body="Hello")

    def sign_in(self) -> None:
        """Sessions end after some days."""
        given = {"email": "sue@example.com", "password": PASSWORD}
        assert self.sue.post("/login", json=given).status_code == 204

    def ask(self, **query: Any) -> dict[str, Any]:
        given = {"from": iso(BEGIN - 1), "to": iso(self.app.clock())} | query
        answer = self.sue.get("/admin/api/reports", query_string=given)
        assert answer.status_code == 200, answer.text
        return answer.json


def iso(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).isoformat()


def open_time(walker: Walker, since: int, until: int) -> int:
    """Counts the opening time between two instants, minute by minute."""
    total, at = 0, since
    while at < until:
        end = min(until, (at // MINUTE + 1) * MINUTE)
        total += (end - at) * walker.is_open(at)
        at = end
    return total


def policy_of(thread: Thread) -> dict[str, Any]:
    return POLICIES[0] if thread.tier >= 4 else POLICIES[1] if thread.tier < 0 else POLICIES[2]


def ends_of_waits(thread: Thread, now: int) -> list[tuple[str, int, int | None]]:
    """Returns the waits of a thread: the kind of answer that was due, since when, and when it came,
    None if it did not; a wait may have ended without an answer."""
    ends, found = iter([*thread.waits, (now, False)]), []
    replies = {one.at: one for one in thread.happenings if one.kind.endswith("_reply")}
    answered, since = False, None
    for at, waits in ends:
        reply = replies.get(at)
        if reply is not None:
            found.append((reply.kind, at - (reply.length or 0), at))
        elif since is not None and not waits:
            found.append(("next_reply" if answered else "first_reply", since, None))
        answered = answered or any(
            one.kind == "answers" and one.at == at for one in thread.happenings
        )
        since = None if not waits else at if since is None or reply is not None else since
    return found


@pytest.fixture
def app(any_database, tmp_path) -> ApplicationDriver:
    clock = SettableClock()
    clock.advance(BEGIN - clock())
    return ApplicationDriver(any_database, clock, tmp_path)


def check(office: Office) -> Counter[str]:
    walker = Walker(HOURS)
    lengths: dict[str, list[int]] = {"first_reply": [], "next_reply": [], "close_time": []}
    for thread in office.threads:
        for one in thread.happenings:
            metric = "close_time" if one.kind == "closed" else one.kind
            if metric in lengths:
                length = open_time(walker, one.at - (one.length or 0), one.at)
                lengths[metric].append(length)
    for metric, some in lengths.items():
        assert office.ask(metric=metric, hours="opening")["total"] == percentiles(some), metric
    kept = Counter(promise for thread in office.threads for promise in promises(office, thread))
    for metric in ("met", "missed"):
        assert office.ask(metric=metric)["total"] == kept[metric], metric
    return kept


def promises(office: Office, thread: Thread) -> list[str]:
    walker, policy, found = Walker(HOURS), policy_of(thread), []
    now = office.app.clock()
    for kind, since, answered_at in ends_of_waits(thread, now):
        minutes = policy[kind]
        due_at = minutes and walker.after(since, minutes, 60 * 24 * 20)
        if not due_at:
            continue
        end = answered_at or next(
            (at for at, waits in thread.waits if at > since and not waits), now
        )
        if due_at < end:
            found.append("missed")
        elif answered_at is not None:
            found.append("met")
    return found


def test_opening_times_and_promises_equal_a_recount(app):
    kept = check(Office(app, 3))
    assert kept["met"] and kept["missed"]


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize("number", range(6))
def test_opening_times_and_promises_of_many_offices(app, number):
    seed = random.SystemRandom().randrange(2**32)
    print("the office of seed", seed)
    check(Office(app, seed))


def test_lengths_keep_the_opening_time_of_their_time(app):
    """Calendars that change later change no earlier number."""
    office = Office.__new__(Office)
    office.app, office.sue = app, app.sign_in("Sue", "supervisor")
    calendar = office._post("calendars", HOURS)["calendar"]
    office._post("policies", POLICIES[2] | {"calendar": calendar["id"]})
    client = {"role": "client", "customer": {"id": "c"}, "body": "Hello"}
    answer = client | {"role": "admin"}
    lengths = []
    for _ in range(2):
        app.happens("message", "t-1", **client)
        since = app.clock()
        office._pass(3_600_000 * 5)
        app.happens("message", "t-1", **answer)
        lengths.append(open_time(Walker(HOURS), since, app.clock()))
        office._pass(60_000)
    always = {
        day: [["00:00", "24:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    }
    changed = HOURS | {"week": always, "exceptions": []}
    office.sign_in()
    path = f"/admin/api/calendars/{calendar['id']}"
    assert office.sue.put(path, json=changed).status_code == 200
    app.happens("message", "t-1", **client)
    since = app.clock()
    office._pass(3_600_000 * 30)
    app.happens("message", "t-1", **answer)
    lengths.append(app.clock() - since)
    office._pass(60_000)
    office.sign_in()
    for metric, some in (("first_reply", lengths[:1]), ("next_reply", lengths[1:])):
        assert office.ask(metric=metric, hours="opening")["total"] == percentiles(some)
