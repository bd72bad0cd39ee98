"""Presence of a worker's sockets, with time in the test's hands."""

from collections import Counter

import fakeredis
import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from dashboard.live.visible_rows import VisibleRows
from dashboard.presence.admin_presence import AdminPresence
from dashboard.presence.service import PresenceService
from dashboard.presence.viewers import Viewers
from dashboard.transport.caller import Caller
from presence.keys import SEPARATOR
from presence.people import Connection
from presence.rooms import Membership
from presence.states import Viewer
from presence.timing import Timing

SOCKETS = 5_000


class Emitter:
    """Counts what is sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def send(self, sid, event, data, acknowledged=None) -> None:
        self.sent.append((sid, event))

    def broadcast(self, event, data) -> None:
        """Not needed here."""

    def abort(self, sid) -> None:
        """Not needed here."""


class Worker:
    def __init__(self, database, clock):
        self.seconds = 1_000.0
        self.emitter = Emitter()
        self.presence_service = PresenceService(fakeredis.FakeRedis(), database, clock)
        viewers = Viewers(self.presence_service, VisibleRows(), lambda ids: {}, self.emitter)
        self.presence = AdminPresence(
            self.presence_service, viewers, self.emitter, "worker-1", lambda: self.seconds
        )

    def come(self, sid: str, admin_id: int = 7, greet: bool = True) -> Caller:
        caller = Caller(sid, admin_id, connection=sid, device="browser")
        self.presence.on_connect(caller)
        if greet:
            self.presence.on_ready(caller)
        return caller

    def status(self, admin_id: int = 7) -> str:
        person = str(admin_id)
        return self.presence_service.look_up("admin", [person], Viewer(person))[person]["status"]

    def deadline_ms(self, sid: str) -> int:
        keys, member = self._deadline(sid)
        return int(self.presence_service.client.zscore(keys, member))

    def expire_in(self, sid: str, milliseconds: int) -> None:
        """Sets the deadline of a socket's connection in Redis."""
        keys, member = self._deadline(sid)
        now_ms = self.presence_service.admins.now_ms()
        self.presence_service.client.zadd(keys, {member: now_ms + milliseconds})

    def _deadline(self, sid: str, person: str = "7") -> tuple[str, str]:
        space = self.presence_service.admins.space
        return space.people(space.shard_of(person)).deadlines, f"{person}{SEPARATOR}{sid}"

    def connections(self) -> list[Connection]:
        return self.presence_service.admins.connections_of("7")


def raise_away():
    raise RedisConnectionError("away")


@pytest.fixture
def worker(database, clock) -> Worker:
    return Worker(database, clock)


def test_an_admin_who_was_away_comes_back_as_away(worker):
    """R18, T11: a connection that comes again says how its window is."""
    for sid, report, status in (
        ("idle", {"visible": True, "idle_ms": 300_000}, "away"),
        ("hidden", {"visible": False, "idle_ms": 61_000}, "away"),
        ("behind", {"visible": False, "idle_ms": 5_000}, "online"),
    ):
        caller = Caller(sid, 7, connection=sid, device="browser", **report)
        worker.presence.on_connect(caller)
        worker.presence.on_ready(caller)
        assert worker.status() == status, sid
        if sid == "behind":
            worker.seconds += 55
            worker.presence.tick()
            assert worker.status() == "away", "the time before the connection counts"
        worker.presence.on_disconnect(sid, "server disconnect")


def test_customers_are_watched_while_redis_is_away_also_by_an_admin_of_some_desks(
    worker, monkeypatch
):
    """T12"""
    caller = Caller("s", 7, connection="s", device="browser", desks=frozenset({"main"}))
    worker.presence.on_connect(caller)
    customers = worker.presence_service.customers
    monkeypatch.setattr(customers, "now_ms", raise_away)
    monkeypatch.setattr(customers, "held", lambda *given: raise_away())
    request = {"kind": "customer", "add": ["shop/c-1"]}
    assert worker.presence.watch(caller, (request,))["presence"].keys() <= {"shop/c-1"}


def test_each_socket_is_pinged_once_a_period_and_all_are_spread_over_it(worker):
    """Heartbeats a second stay level. (T22)"""
    for number in range(SOCKETS):
        worker.come(f"s{number}", greet=False)
    by_second: Counter[int] = Counter()
    for step in range(50 * 4):
        worker.seconds += 0.25
        before = len(worker.emitter.sent)
        worker.presence.tick()
        by_second[step // 4] += len(worker.emitter.sent) - before
    pinged = Counter(sid for sid, event in worker.emitter.sent if event == "presence:ping")
    assert len(pinged) == SOCKETS and set(pinged.values()) == {2}
    mean = SOCKETS / 25
    assert all(0.6 * mean < count < 1.4 * mean for count in by_second.values())


def test_a_window_hidden_for_a_minute_is_away_without_another_message(worker):
    """The worker's clock decides, because the timers of a hidden window do not run. (R33)"""
    caller = worker.come("s")
    worker.presence.pong(caller, ({"visible": False, "idle_ms": 5},))
    worker.seconds += 59
    worker.presence.tick()
    assert worker.status() == "online"
    worker.seconds += 1
    worker.presence.tick()
    assert worker.status() == "away"
    worker.presence.pong(caller, ({"visible": True, "idle_ms": 5},))
    assert worker.status() == "online"


@pytest.mark.parametrize(
    ("reason", "stays"),
    [
        ("server disconnect", False),
        ("client disconnect", True),
        ("transport close", True),
        ("ping timeout", True),
    ],
)
def test_how_a_socket_ended_says_whether_it_may_come_back(worker, reason, stays):
    """How a socket ended says whether it may come back. (R14, R18)"""
    worker.come("s")
    worker.presence.on_disconnect("s", reason)
    assert (worker.status() == "online") == stays
    assert bool(worker.connections()) == stays


@pytest.mark.parametrize(
    ("reason", "grace_ms"),
    [("client disconnect", 5_000), ("transport close", 10_000), ("ping timeout", 10_000)],
)
def test_a_closed_page_has_half_the_grace_of_a_dropped_connection(worker, reason, grace_ms):
    """Grace is 5 s after a closed page and 10 s after a network failure. (R14, R18)"""
    worker.come("s")
    worker.presence.on_disconnect("s", reason)
    left_ms = worker.deadline_ms("s") - worker.presence_service.admins.now_ms()
    assert grace_ms - 2_000 < left_ms <= grace_ms


@pytest.mark.parametrize(
    ("reason", "seen_now"), [("transport close", True), ("ping timeout", False)]
)
def test_after_a_silence_the_last_heartbeat_stays_last_seen(worker, reason, seen_now):
    """R57: a ping that is not answered is noticed up to 45 s later."""
    worker.come("s")
    people = worker.presence_service.admins
    seen = people.space.people(people.space.shard_of("7")).seen
    worker.presence_service.client.zincrby(seen, -40_000, "7")
    before = people.held(["7"])["7"].truth["last_seen"]
    worker.presence.on_disconnect("s", reason)
    assert (people.held(["7"])["7"].truth["last_seen"] > before) == seen_now


def test_any_message_of_a_socket_is_a_heartbeat(worker):
    """Any inbound message refreshes the connection. (R6)"""
    worker.come("s")
    worker.expire_in("s", 20_000)
    worker.presence.on_message("s")
    worker.presence.heartbeats.flush_once()
    left_ms = worker.deadline_ms("s") - worker.presence_service.admins.now_ms()
    assert left_ms > worker.presence_service.timing.ttl_ms - 5_000


def test_a_pong_is_a_heartbeat(worker):
    """The pong that answers a ping refreshes the connection. (R7)"""
    caller = worker.come("s")
    worker.expire_in("s", 20_000)
    worker.presence.pong(caller, ({"visible": True, "idle_ms": 0},))
    worker.presence.heartbeats.flush_once()
    left_ms = worker.deadline_ms("s") - worker.presence_service.admins.now_ms()
    assert left_ms > worker.presence_service.timing.ttl_ms - 5_000


def test_who_leaves_a_stopping_worker_has_a_minute_to_come_back(worker):
    """Case of a rolling restart: admins who return at once are not announced offline. (T11, H33)"""
    for sid in ("s", "t"):
        worker.come(sid)
    worker.presence.begin_drain()
    worker.presence.on_disconnect("s", "client disconnect")
    left_ms = worker.deadline_ms("s") - worker.presence_service.admins.now_ms()
    assert 50_000 < left_ms <= worker.presence_service.timing.drain_grace_ms
    worker.presence.on_disconnect("t", "server disconnect")
    assert len(worker.connections()) == 1, "a session that ended is no return"


def test_after_draining_the_sockets_ends_change_nothing(worker):
    worker.come("s")
    worker.presence.drain()
    worker.presence.on_disconnect("s", "server disconnect")
    assert worker.status() == "online" and len(worker.connections()) == 1


def test_a_disconnect_before_the_socket_is_ready_leaves_nothing(worker):
    """A disconnect that comes before `on_ready` leaves nothing. (B7)"""
    caller = worker.come("s", greet=False)
    worker.presence.on_disconnect("s", "client disconnect")
    worker.presence.on_ready(caller)
    assert worker.connections() == [] and worker.status() == "offline"


def test_who_comes_while_redis_is_away_is_shown_in_a_thread_when_it_is_back(worker, monkeypatch):
    """T37, R85: the visibility is read then, also if the connection could not be opened."""
    people = worker.presence_service.admins
    with monkeypatch.context() as broken:
        for name in ("open_all", "held"):
            broken.setattr(people, name, lambda given: raise_away())
        worker.come("s")
    assert not worker.presence.is_shown("s")
    worker.presence.heartbeats.flush_once()
    worker.presence.watchers["admin"].flush_once()
    assert worker.presence.is_shown("s")


def test_nothing_is_kept_of_a_socket_that_went_while_it_came(worker, monkeypatch):
    """R71: the watcher of the admin's visibility ends, too."""
    open_all = worker.presence_service.admins.open_all

    def opening(given):
        worker.presence.on_disconnect("s", "client disconnect")
        return open_all(given)

    monkeypatch.setattr(worker.presence_service.admins, "open_all", opening)
    worker.come("s")
    assert len(worker.presence.watchers["admin"]) == 0 and not worker.presence._shown


def test_nothing_is_kept_of_a_socket_that_went(worker):
    """Nothing is kept of a socket that went. (R71)"""
    for number in range(50):
        caller = worker.come(f"s{number}")
        worker.presence.watch(caller, ({"kind": "admin", "add": ["7", "8"]},))
        worker.presence.on_disconnect(caller.sid, "client disconnect")
    assert len(worker.presence.heartbeats) == 0
    assert [len(one) for one in worker.presence.watchers.values()] == [0, 0]


def test_nothing_is_kept_of_a_call_that_outlives_its_socket(worker, monkeypatch):
    """R71: the end of the call reports the socket's end once more."""
    caller, viewers = worker.come("s"), worker.presence.viewers
    put = worker.presence_service.threads.put

    def ending(membership, *given, **named):
        worker.presence.on_disconnect("s", "client disconnect")
        return put(membership, *given, **named)

    monkeypatch.setattr(worker.presence_service.threads, "put", ending)
    open_thread = worker.presence.handlers(
        {"thread:open": lambda caller, args: {"thread_id": 5}, "thread:close": None}
    )["thread:open"]
    open_thread(caller, ({"id": 5},))
    worker.presence.watch(caller, ({"kind": "customer", "add": ["shop/c-1"]},))
    worker.presence.on_disconnect("s", "closed")
    assert [len(one) for one in worker.presence.watchers.values()] == [0, 0]
    assert not worker.presence._people._desks
    assert not viewers.readers._watching and not viewers.writers._watching
    assert not viewers._watched and not viewers._typing_sent


def test_a_mode_in_a_thread_that_closes_meanwhile_changes_nothing(worker, monkeypatch):
    """O9: the setting `show_typing` is read from SQL in between."""
    caller, presence = worker.come("s"), worker.presence
    presence.viewers.join("s", Membership("5", "7", "s"), shown=True)

    def shows_typing(admin_id):
        presence.viewers.leave("s", 5)
        return True

    monkeypatch.setattr(presence._typing_shown, "of", shows_typing)
    assert presence.change_mode(caller, ({"id": 5, "mode": "typing"},)) == {}
    assert worker.presence_service.threads.memberships() == []


def test_pings_follow_the_lifetime_of_a_connection(worker):
    """A fifth of the lifetime gives five times as many pings, from the first one on. (R3)"""
    worker.presence_service.timing = Timing.from_ttl(18)
    for number in range(20):
        worker.come(f"s{number}", greet=False)
    for _ in range(10 * 4):
        worker.seconds += 0.25
        worker.presence.tick()
    pinged = Counter(sid for sid, event in worker.emitter.sent if event == "presence:ping")
    assert len(pinged) == 20 and set(pinged.values()) == {2}


def test_a_hidden_window_lives_longer(worker):
    """Its timers may stop for minutes. (T1)"""
    caller = worker.come("s")
    worker.expire_in("s", 20_000)
    worker.presence.pong(caller, ({"visible": False, "idle_ms": 0},))
    worker.presence.heartbeats.flush_once()
    left_ms = worker.deadline_ms("s") - worker.presence_service.admins.now_ms()
    assert left_ms > worker.presence_service.timing.hidden_ttl_ms - 5_000


def test_a_socket_that_lives_on_does_not_bring_back_who_signed_out(worker):
    """Its next heartbeat comes before the worker knows that the session is over. (T3)"""
    worker.come("s")
    worker.presence_service.sign_out(7)
    worker.presence.on_message("s")
    worker.presence.heartbeats.flush_once()
    assert worker.status() == "offline" and worker.connections() == []
