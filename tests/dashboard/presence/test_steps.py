"""Each step that a web process repeats for presence does its work, as the process runs it."""

from types import SimpleNamespace

import fakeredis
import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from dashboard.presence.bots import CustomerWrote
from dashboard.presence.service import OTHERS
from dashboard.transport.caller import Caller
from lua_scripts.runner import LuaRunner
from presence.keys import SEPARATOR
from presence.people import Connection
from presence.rooms import Membership
from presence.settings import Settings
from tests.dashboard.ordering.order import Order
from tests.dashboard.presence.limited_reads import limit_reads

DAY_MS = 24 * 3_600_000
THREAD = "5"


class Sent:
    """Keeps what is sent to sockets."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def send(self, sid, event, data, acknowledged=None) -> None:
        self.events.append(event)

    def broadcast(self, event, data) -> None:
        self.events.append(event)


class Process:
    """A process with one socket of admin 7; the test runs its steps by their names."""

    def __init__(self, database, clock):
        self.order = Order(database, fakeredis.FakeRedis(), clock)
        self.services = self.order.services
        self.services.sockets = self.sent = Sent()
        self.presence = self.services.admin_presence
        self.service = self.services.presence_service
        self.tasks = self.services.presence_tasks
        limit_reads(self.tasks)
        self.caller = Caller("s", 7, connection="s", device="browser")
        # The browser of a colleague is at another process.
        self.elsewhere = Connection("8", "elsewhere")
        self.run("listen")
        self.presence.on_connect(self.caller)
        self.presence.on_ready(self.caller)
        self.sent.events.clear()

    def run(self, name: str) -> None:
        {name: step for name, _, step in self.tasks._steps()}[name]()

    def hear(self) -> None:
        """Takes all announcements."""
        self.tasks._verify_at = 0
        self.run("listen")

    def open_thread(self, mode: str = "viewing") -> Membership:
        """The socket opens the thread."""
        membership = Membership(THREAD, "7", "s")
        self.presence._shown[7] = True
        self.presence.viewers.join("s", membership, True)
        self.presence.viewers.change("s", int(THREAD), mode, None, True)
        self.hear()
        self.run("publish rooms")
        return membership

    def deadline(self, person: str = "7", connection: str = "s", at_ms: int | None = None) -> int:
        """Returns the deadline of an admin's connection; first sets it to `at_ms` if given."""
        space = self.service.admins.space
        key = space.people(space.shard_of(person)).deadlines
        return self._score(key, f"{person}{SEPARATOR}{connection}", at_ms)

    def room_deadline(self, membership: Membership, at_ms: int | None = None) -> int:
        space = self.service.admins.space
        key = space.rooms(space.shard_of(membership.room)).deadlines
        return self._score(key, SEPARATOR.join(membership), at_ms)

    def _score(self, key: str, member: str, at_ms: int | None) -> int:
        if at_ms is not None:
            self.service.client.zadd(key, {member: at_ms})
        return int(self.service.client.zscore(key, member) or 0)

    def now_ms(self) -> int:
        return self.service.admins.now_ms()

    def status(self, kind: str, person: str) -> str:
        return self.service.look_up(kind, [person], OTHERS)[person]["status"]

    def watch(self, kind: str, person: str) -> None:
        self.presence.watchers[kind].watch("s", SimpleNamespace(id="7", truth=True), [person])


@pytest.fixture
def process(database, clock) -> Process:
    return Process(database, clock)


def test_what_others_announce_is_heard_and_sent(process):
    """R19, R43, R48."""
    process.watch("admin", "8")
    process.service.admins.open(process.elsewhere, Settings())
    process.hear()
    process.run("publish people")
    assert process.sent.events == ["presence:update"]


def test_what_was_announced_and_lost_on_the_way_is_found(process):
    """R44."""
    process.watch("admin", "8")
    process.hear()
    process.service.admins.open(process.elsewhere, Settings())
    while process.tasks._feed._pubsub.get_message():
        pass
    process.hear()
    process.run("publish people")
    assert process.sent.events == ["presence:update"]


def test_who_hides_leaves_the_threads_that_are_open_and_comes_back_shown(process):
    """R77, R81: and enters none while hidden."""
    process.open_thread()
    for revision, status in ((1, "invisible"), (2, "auto")):
        settings = Settings(revision).changed({"status": status}, 0)
        process.service.admins.set("7", settings)
        process.hear()
        process.run("publish people")
        inside = [one.room for one in process.service.threads.memberships()]
        assert inside == ([] if status == "invisible" else [THREAD])
    process.presence.viewers.join("s", Membership("6", "7", "s"), shown=False)
    assert [one.room for one in process.service.threads.memberships()] == [THREAD]


def test_who_closes_a_thread_leaves_it(process):
    """R84, R85."""
    process.open_thread()
    others = dict.fromkeys(("thread:open", "thread:close"), lambda caller, arguments: {})
    close = process.presence.handlers(others)["thread:close"]
    close(process.caller, ({"id": int(THREAD)},))
    assert process.service.threads.memberships() == []


def test_who_opens_a_thread_sees_the_cursors_of_others(process):
    """R91: where they stood last."""
    process.service.threads.put(Membership(THREAD, "8", "elsewhere"), cursor={"at": 3})
    process.hear()
    process.presence.viewers.join("s", Membership(THREAD, "7", "s"), shown=True)
    assert "thread:cursor" in process.sent.events


def test_who_is_in_a_thread_is_sent(process):
    """R85."""
    process.open_thread()
    process.sent.events.clear()
    process.service.threads.put(Membership(THREAD, "8", "elsewhere"))
    process.hear()
    process.run("publish rooms")
    assert process.sent.events == ["thread:viewers"]


def test_a_socket_that_ends_while_its_threads_are_read_leaves_nothing(process, monkeypatch):
    """R71."""
    rows, viewers = process.services.broadcaster.visible_rows, process.presence.viewers
    look_up = process.service.threads.look_up

    def ending(names):
        rows.drop("s")
        process.presence.on_disconnect("s", "client disconnect")
        return look_up(names)

    monkeypatch.setattr(process.service.threads, "look_up", ending)
    rows.watch("s", [int(THREAD)])
    process.run("publish rooms")
    for watchers in (viewers.readers, viewers.writers):
        assert not watchers._watching and not watchers._last_sent
    assert not viewers._watched and not viewers._typing_sent


def test_typing_that_goes_on_is_sent_again(process):
    """H12."""
    process.open_thread("typing")
    process.sent.events.clear()
    process.run("typing")
    assert process.sent.events == ["thread:viewers"]
    process.tasks.late_since = 1
    process.run("typing")
    assert process.sent.events == ["thread:viewers"], "nobody types for ever while Redis is away"


def test_sockets_are_pinged(process):
    """R3, R7."""
    process.presence._sockets["s"].ping_at = 0
    process.run("ping")
    assert process.sent.events == ["presence:ping"]


def test_a_marked_connection_lives_on(process):
    """R6, R7."""
    ends = process.deadline(at_ms=process.now_ms() + 20_000)
    process.presence.on_message("s")
    process.run("heartbeats")
    assert process.deadline() > ends


def test_an_open_thread_is_kept_open(process):
    """R84."""
    membership = process.open_thread()
    ends = process.room_deadline(membership, process.now_ms() + 5_000)
    process.presence.pong(process.caller, ({"visible": True, "idle_ms": 0},))
    process.run("heartbeats in rooms")
    assert process.room_deadline(membership) > ends


@pytest.mark.parametrize("meanwhile", ["left", "hidden"])
def test_who_leaves_or_hides_while_beats_are_sent_is_not_put_back(process, monkeypatch, meanwhile):
    """R77, R84."""
    membership, viewers = process.open_thread(), process.presence.viewers
    rooms = process.service.threads
    rooms.leave(membership)
    beat = rooms.beat

    def sending(memberships):
        if meanwhile == "left":
            viewers.leave("s", int(THREAD))
        process.presence._shown[7] = meanwhile == "left"
        return beat(memberships)

    monkeypatch.setattr(rooms, "beat", sending)
    viewers.beat("s")
    process.run("heartbeats in rooms")
    assert rooms.memberships() == []


def test_a_customer_who_wrote_is_online(process):
    """R6."""
    process.services.bot_presence.enqueue([CustomerWrote("shop", "c-1", int(THREAD))])
    process.run("customer messages")
    assert process.status("customer", "shop/c-1") == "online"


def test_nobody_types_in_a_thread_that_was_closed(process):
    """H13."""
    typing = Membership(THREAD, "shop/c-1", "messages")
    process.service.writers.put(typing, "typing")
    process.services.ingest._on_closed([int(THREAD)])
    process.run("customer messages")
    assert process.service.writers.memberships() == []


def test_settings_that_redis_could_not_take_are_sent(process):
    """R77, R82."""
    hidden = Settings().changed({"status": "invisible"}, 0)
    assert process.status("admin", "7") == "online"
    process.service._unsent_settings["admin", "7"] = hidden
    process.run("settings")
    assert process.status("admin", "7") == "offline"


def test_connections_past_their_deadline_end(process):
    """R15, R19: and places in threads, and typing."""
    process.service.admins.open(process.elsewhere, Settings())
    reading = Membership(THREAD, "8", "elsewhere")
    process.service.threads.put(reading)
    writing = Membership(THREAD, "shop/c-1", "messages")
    process.service.writers.put(writing, "typing")
    ends = process.now_ms() - 1_500
    process.deadline("8", "elsewhere", ends)
    process.room_deadline(reading, ends)
    space = process.service.customers.space
    rooms = space.rooms(space.shard_of(THREAD))
    process.service.client.zadd(rooms.deadlines, {SEPARATOR.join(writing): ends})
    process.tasks._sweep_from = 0
    process.run("sweep")
    assert process.status("admin", "8") == "offline"
    assert process.service.threads.memberships() == process.service.writers.memberships() == []
    assert process.tasks.lag_ms >= 1_500


def test_nobody_is_swept_after_an_outage_before_there_was_time_to_return(process):
    """R15, H24: and all connections are sent again, and all settings."""
    while process.service.send_settings_again():
        pass
    process.tasks._set_late(True)
    assert process.sent.events == ["presence:status"] and process.tasks.late_since
    process.service.client.flushall()
    process.tasks._set_late(False)
    process.deadline("8", "elsewhere", process.now_ms() - 1_500)
    process.run("sweep")
    process.run("heartbeats")
    assert process.deadline("8", "elsewhere") > 0
    assert process.status("admin", "7") == "online"
    assert process.service._sent_again.keys() == {"admin", "customer"}
    assert process.sent.events == ["presence:status"] * 2


def test_typing_ends_also_during_an_outage(process):
    """H12: nothing else in Redis ends it; people in a thread get time to return."""
    process.tasks._set_late(True)
    ends = process.now_ms() - 1_500
    reading, writing = Membership(THREAD, "8", "elsewhere"), Membership(THREAD, "shop/c-1", "x")
    for rooms, one in ((process.service.threads, reading), (process.service.writers, writing)):
        rooms.put(one)
        space = rooms.space
        key = space.rooms(space.shard_of(THREAD)).deadlines
        process.service.client.zadd(key, {SEPARATOR.join(one): ends})
    process.run("sweep")
    assert process.service.writers.memberships() == []
    assert process.service.threads.memberships() == [reading]


def test_last_seen_is_stored(process):
    """R56, T18."""
    process.services.bot_presence.beat("shop", [("c-1", "d", "web", True)])
    process.hear()
    process.run("store last seen")
    process.services.bot_presence.beat("shop", [("c-2", "d", "web", True)])
    for _ in range(process.service.customers.space.shards):
        process.run("store who is online")
    process.service.client.flushall()
    page = process.services.bot_presence.seen("shop", DAY_MS, 500, None)
    assert {one.id for one in page.people} == {"shop/c-1", "shop/c-2"}


def test_relations_are_read_again(process):
    """R80."""
    watchers = process.presence.watchers["customer"]
    asked: list[str] = []
    watchers._related = lambda viewer, people: asked.append(viewer) or ()
    contacts = Settings().changed({"visibility": "contacts"}, 0)
    process.service.customers.open(Connection("shop/c-1", "d"), contacts)
    watchers.watch("s", SimpleNamespace(id="7", truth=False), ["shop/c-1"])
    process.run("publish people")
    assert asked == ["7"]
    process.run("relations")
    process.run("publish people")
    assert asked == ["7", "7"]


def test_who_of_the_team_is_here_is_known(process):
    """Case E7."""
    process.tasks._sweep_from = 0
    process.run("present admins")
    assert process.services.present_admins.count() == 1
    process.tasks._set_late(True)
    process.run("present admins")
    assert process.services.present_admins.count() is None, "while Redis is away nobody is absent"


def test_a_look_for_present_admins_is_one_call_of_redis(process, monkeypatch):
    """F12: an idle worker calls Redis at most five times a second."""
    called = []
    run_all = LuaRunner.run_all

    def counted(runner, calls, **how):
        called.append({call.script for call in calls})
        return run_all(runner, calls, **how)

    monkeypatch.setattr(LuaRunner, "run_all", counted)
    process.run("present admins")
    assert called == [{"people/connected"}]


def test_old_times_of_last_seen_go(process):
    """R68, R72."""
    process.services.bot_presence.beat("shop", [("c-1", "d", "web", True)])
    process.services.bot_presence.leave("shop", [("c-1", "d")])
    space = process.service.customers.space
    seen = space.people(space.shard_of("shop/c-1")).seen
    process.service.client.zincrby(seen, -2 * DAY_MS, "shop/c-1")
    process.run("trim")
    assert process.service.client.zcard(seen) == 0


def test_every_step_is_started_and_stopped(process):
    started: list[object] = []
    process.tasks.start(started.append)
    assert len(started) == len(process.tasks._steps()) == 18
    process.tasks.stop()
    assert all(run.__self__.is_stopped for run in started)


def test_what_cannot_wait_for_the_next_turn_wakes_its_step(process):
    """R6, R19, R54, R56: each wake by itself; the intervals alone would take up to 15 s."""
    woken: list[str] = []
    process.hear()
    process.tasks.start(lambda run: None)
    for name, task in process.tasks._tasks.items():
        task.wake = lambda name=name: woken.append(name)
    process.services.bot_presence.enqueue([CustomerWrote("shop", "c-1")])
    assert woken == ["customer messages"]
    woken.clear()
    process.service.customers.open(Connection("shop/c-2", "d"), Settings())
    process.hear()
    assert woken == ["store last seen"]
    woken.clear()
    process.service.admins.open(process.elsewhere, Settings())
    process.hear()
    assert {*woken} == {"store last seen", "present admins", "admins of queues"}
    woken.clear()
    process.tasks.wake()
    assert woken == [*process.tasks._tasks], "the first socket after none"
    woken.clear()
    ends = process.order.clock() + 100
    process.service.on_settings(Settings().changed({"status": "busy", "until": ends}, 0))
    assert woken == ["sweep"]


def test_a_new_socket_is_told_whether_states_may_be_old(process):
    """T12."""
    process.tasks.send_status("s")
    assert process.sent.events == ["presence:status"]


def test_who_reloads_the_page_keeps_their_place_in_a_thread(process):
    """R18: during the grace; after signing out they leave at once."""
    membership = process.open_thread()
    process.presence.on_disconnect("s", "client disconnect")
    assert process.service.threads.memberships() == [membership]
    process.presence.on_connect(process.caller)
    process.presence.on_ready(process.caller)
    process.open_thread()
    process.presence.on_disconnect("s", "server disconnect")
    assert process.service.threads.memberships() == []


def test_a_connection_says_which_process_holds_it(process):
    """R27: with the services as a process builds them."""
    [held] = process.service.admins.connections_of("7")
    assert held.worker == process.services.worker


def test_announcements_are_compared_at_once_when_a_first_socket_comes(process, monkeypatch):
    """T12: without sockets that is done every 10 s only."""
    process.tasks.start(lambda run: None)
    process.presence.on_disconnect("s", "client disconnect")
    process.hear()
    compared: list[str] = []
    monkeypatch.setattr(process.tasks._feed, "verify_once", lambda: compared.append("now"))
    monkeypatch.setattr(process.tasks._feed, "pump", lambda seconds: 0)
    process.run("listen")
    assert compared == []
    process.presence.on_connect(process.caller)
    process.tasks.wake()
    process.run("listen")
    assert compared == ["now"]


def test_states_are_late_from_the_first_failure_to_the_first_success(process, monkeypatch):
    """T12."""

    def away(timeout_seconds):
        raise RedisConnectionError("away")

    with monkeypatch.context() as broken:
        broken.setattr(process.tasks._feed, "pump", away)
        with pytest.raises(RedisConnectionError):
            process.run("listen")
    assert process.tasks.late_since == process.service.clock()
    process.run("listen")
    assert process.tasks.late_since is None


def test_after_an_unexpected_error_all_states_are_read_again(process, monkeypatch):
    """R44: what was announced meanwhile is not missed."""
    process.watch("admin", "8")
    process.hear()

    def broken(timeout_seconds):
        process.service.admins.open(process.elsewhere, Settings())
        while process.tasks._feed._pubsub.get_message():
            pass
        raise ZeroDivisionError

    monkeypatch.setattr(process.tasks._feed, "pump", broken)
    with pytest.raises(ZeroDivisionError):
        process.run("listen")
    process.hear()
    process.run("publish people")
    assert "presence:update" in process.sent.events


def test_where_a_reader_points_is_kept_for_who_comes_later(process):
    """R91."""
    process.open_thread()
    process.presence.viewers.change("s", int(THREAD), "viewing", {"at": 3}, True)
    [member] = process.service.threads.look_up([THREAD])[THREAD].members
    assert member.cursor == {"at": 3}
