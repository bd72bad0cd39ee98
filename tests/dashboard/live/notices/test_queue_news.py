"""Each admin is told what queues do, once, as far as it concerns the admin."""

import threading

import pytest

from dashboard.db.accounts import admin_desks
from dashboard.db.lists import views
from dashboard.db.queues import admins, definitions, entries
from dashboard.db.queues.definitions import QueueDraft
from dashboard.ingest.actions import Actions, Admin
from dashboard.ingest.assigning import Assigning, HandOver
from dashboard.ingest.due import DueQueue
from dashboard.ingest.handing_out import HandingOut, HandOuts
from dashboard.live import queue_news
from dashboard.live.queue_news import LOOK_MS, QueueNews
from dashboard.transport.caller import Caller
from tests.dashboard.ingest.shop import Shop, new_admin
from tests.dashboard.live.emitter import FakeEmitter
from tests.support import wait_until

MINUTE = 60_000


class _NoPlacer:
    """Takes placements and places nothing: queues need no Redis."""

    def place(self, placements) -> None:
        pass


class Scene:
    """Mai, an admin of the desks main and sales, Ken, one of main, and a push queue for both."""

    def __init__(self, database, clock):
        self.database, self.clock = database, clock
        database.write(lambda connection: admin_desks.add(connection, "sales", 0))
        self.shop = Shop(database, clock)
        self.mai, self.ken = (Admin(new_admin(database, name), name) for name in ("Mai", "Ken"))
        for admin, desks in ((self.mai, ("main", "sales")), (self.ken, ("main",))):
            database.write(lambda c, id=admin.id, desks=desks: admin_desks.save(c, id, desks))
        self.actions = Actions(database, clock)
        self.due = DueQueue(database, _NoPlacer(), clock, sleep=lambda seconds: None)
        self.handing_out = HandingOut(database, clock)
        self.hand_outs = HandOuts(self.handing_out, lambda placements: None, clock)
        self.emitter = FakeEmitter()
        self.news = QueueNews(database, clock, self.emitter)
        self.queue = self.add_queue("Waiting", "push")

    def add_queue(self, name: str, mode: str) -> int:
        def write(connection):
            draft = views.Draft(name, "is:waiting", "longest_wait", "UTC", None)
            view = views.create(connection, draft, self.mai.id, self.clock())
            fields = QueueDraft(view.id, mode, None, 60, 0, 30, "waiting")
            id = definitions.create(connection, fields, self.mai.id, self.clock())
            entries.synchronize(connection)
            return id

        return self.database.write(write)

    def here(self, admin: Admin, **values) -> None:
        online = {"status": "online", "shown_status": "online", "accepting": True, **values}
        self.database.write(lambda connection: admins.put(connection, admin.id, **online))

    def says(self, thread: str, desk: str = "main") -> int:
        self.clock.advance(1)
        at = self.clock() - 1_785_000_000_000
        if desk != "main":
            self.shop.does("thread.handoff", at, thread=thread, desk=desk)
        return self.shop.says(at, thread=thread).thread_id

    def connect(self, admin: Admin, sid: str | None = None, **given) -> str:
        sid = sid or admin.name
        desks = frozenset({"main"}) if admin is self.ken else None
        caller = Caller(sid, admin.id, connection=sid, device=sid, **{"desks": desks} | given)
        self.news.on_connect(caller)
        self.news.on_ready(caller)
        return sid

    def turn(self) -> None:
        """Hands out what is due, and tells it."""
        self.due.turn()
        self.hand_outs.turn()
        self.news.turn()

    def given(self, sid: str) -> list[int]:
        return [data["thread_id"] for data in self.emitter.take("queue:given", sid)]

    def returned(self, sid: str) -> list[tuple[int, str, bool]]:
        members = ("thread_id", "reason", "accepting")
        told = self.emitter.take("queue:returned", sid)
        return [tuple(data[name] for name in members) for data in told]

    def taken(self, sid: str) -> list[int]:
        return [data["thread_id"] for data in self.emitter.take("queue:taken", sid)]

    def states(self, sid: str) -> list[dict]:
        return self.emitter.take("queues:state", sid)


@pytest.fixture
def scene(database, clock) -> Scene:
    return Scene(database, clock)


def test_a_given_thread_is_told_once_to_each_window_of_its_admin(scene):
    """Q33: and again to a window that is opened before the thread was."""
    windows = [scene.connect(scene.mai), scene.connect(scene.mai, "Mai 2")]
    ken = scene.connect(scene.ken)
    scene.here(scene.mai)
    id = scene.says("one")
    scene.turn()
    [told] = scene.emitter.take("queue:given", windows[0])
    assert told["queue"] == {"id": scene.queue, "name": "Waiting"}
    assert told["until"] == scene.clock() + MINUTE
    assert (told["thread_id"], told["row"]["id"]) == (id, id)
    assert told["row"]["assignee"]["id"] == scene.mai.id
    assert scene.given(windows[1]) == [id]
    second = scene.says("two")
    for _ in range(2):
        scene.turn()
    assert scene.given(windows[0]) == scene.given(windows[1]) == [second]
    scene.handing_out.open(scene.mai.id, id)
    scene.news.on_disconnect(windows[0], "transport close")
    again = scene.connect(scene.mai)
    scene.news.turn()
    assert scene.given(again) == [second], "the first one was opened"
    assert scene.given(windows[1]) == scene.given(ken) == []


def test_the_other_windows_hear_at_once_that_a_thread_was_opened(scene):
    """Q37: without a change that anything else would tell, and without a second's wait."""
    windows = [scene.connect(scene.mai), scene.connect(scene.mai, "Mai 2")]
    ken = scene.connect(scene.ken)
    scene.here(scene.mai)
    ids = [scene.says("one"), scene.says("two")]
    scene.turn()
    assert scene.handing_out.open(scene.ken.id, ids[0]) is False, "it is not his"
    assert scene.handing_out.open(scene.mai.id, ids[0]) is True
    scene.news.look()
    scene.news.turn()
    assert scene.handing_out.open(scene.mai.id, ids[0]) is False, "it is open already"
    scene.news.turn()
    for sid in windows:
        assert (scene.given(sid), scene.taken(sid)) == (ids, [ids[0]])
    assert scene.taken(ken) == []


@pytest.mark.parametrize("what", ["close", "assign"])
def test_a_thread_that_need_not_be_opened_any_more_loses_its_notice(scene, what):
    """Q37."""
    mai = scene.connect(scene.mai)
    scene.here(scene.mai)
    id = scene.says("one")
    scene.turn()
    if what == "close":
        scene.actions.close(scene.mai, id)
    else:
        boss = Admin(scene.ken.id, "Ken", "supervisor")
        Assigning(scene.database, scene.clock).hand_over(boss, id, HandOver(scene.ken.id))
    scene.news.turn()
    assert (scene.given(mai), scene.taken(mai)) == ([id], [id])


def test_a_window_hears_after_joining_which_threads_are_still_to_be_opened(scene):
    """Q37: it may have missed that others were opened."""
    scene.here(scene.mai)
    id = scene.says("one")
    mai, ken = scene.connect(scene.mai), scene.connect(scene.ken)
    scene.turn()
    assert [state.get("given") for state in scene.states(mai)] == [[id]]
    assert [state.get("given") for state in scene.states(ken)] == [[]]
    scene.says("two")
    scene.turn()
    assert [state.get("given") for state in scene.states(mai)] == [None]


def test_the_first_queue_is_told_as_soon_as_there_is_one(scene, monkeypatch):
    """Q36: a worker without queues hardly ever reads by itself, but at once when it is told to."""
    monkeypatch.setattr(queue_news, "REST_SECONDS", 3_600)
    scene.database.write(lambda connection: definitions.remove(connection, scene.queue))
    mai = scene.connect(scene.mai)
    turns = []
    monkeypatch.setattr(scene.news._task, "_step", lambda: turns.append(scene.news.turn()))
    task = threading.Thread(target=scene.news.run, daemon=True)
    task.start()
    wait_until(lambda: turns, what="the first turn")
    assert scene.states(mai) == []
    queue = scene.add_queue("First", "pull")
    scene.news.look()
    [told] = wait_until(lambda: scene.states(mai), what="the queue")
    assert told["ids"] == [queue]
    scene.news.stop()
    task.join()


def test_a_look_that_comes_during_a_turn_is_not_lost(scene, monkeypatch):
    mai = scene.connect(scene.mai)
    scene.here(scene.mai)
    id = scene.says("one")
    scene.turn()
    send = scene.news._send

    def opens(*told):
        monkeypatch.setattr(scene.news, "_send", send)
        send(*told)
        scene.handing_out.open(scene.mai.id, id)
        scene.news.look()

    monkeypatch.setattr(scene.news, "_send", opens)
    scene.says("two")
    scene.turn()
    scene.news.turn()
    assert scene.taken(mai) == [id]


def test_a_thread_that_comes_again_is_told_again(scene):
    """Q34: also that it went back, once, and that the admin no longer accepts threads."""
    mai, ken = scene.connect(scene.mai), scene.connect(scene.ken)
    scene.here(scene.mai)
    id = scene.says("one")
    scene.turn()
    assert scene.given(mai) == [id]
    scene.clock.advance(MINUTE)
    for _ in range(3):
        scene.turn()
    assert scene.returned(mai) == [(id, "not_taken", False)]
    assert scene.taken(mai) == [], "the return says it"
    scene.here(scene.mai)
    scene.turn()
    assert scene.given(mai) == [id]
    for _ in range(2):
        scene.clock.advance(LOOK_MS)
        scene.turn()
    assert scene.given(mai) == scene.returned(mai) == []
    assert scene.given(ken) == scene.returned(ken) == []


def test_what_went_back_before_a_window_was_opened_is_no_news(scene):
    scene.here(scene.mai)
    scene.says("one")
    scene.turn()
    scene.clock.advance(MINUTE)
    scene.turn()
    mai = scene.connect(scene.mai)
    scene.turn()
    assert scene.given(mai) == scene.returned(mai) == []


def test_ones_own_release_is_no_news(scene):
    mai = scene.connect(scene.mai)
    scene.here(scene.mai, capacity=1)
    id = scene.says("one")
    scene.turn()
    scene.here(scene.mai, accepting=False)
    scene.actions.release(scene.mai, id)
    scene.turn()
    assert scene.given(mai) == scene.taken(mai) == [id]
    assert scene.returned(mai) == []


def test_one_who_was_away_is_told_what_went_back(scene):
    """Q52."""
    mai = scene.connect(scene.mai)
    scene.here(scene.mai)
    id = scene.says("one")
    scene.turn()
    scene.handing_out.open(scene.mai.id, id)
    scene.here(scene.mai, status="offline", shown_status="offline", offline_since=scene.clock())
    scene.clock.advance(30_000)
    scene.turn()
    assert scene.returned(mai) == [(id, "offline", True)]


def test_numbers_are_told_when_they_change_and_only_these(scene):
    """Q67: an admin of some desks gets the numbers of these alone."""
    second = scene.add_queue("Asked for", "pull")
    mai, ken = scene.connect(scene.mai), scene.connect(scene.ken)
    scene.turn()
    first = {"id": scene.queue, "name": "Waiting", "mode": "push", "mine": True}
    first |= {"waiting": 0, "accepting": 0, "eligible": 0}
    me = {"accepting": False, "capacity": 5, "capacity_max": 5, "load": 0, "counts": "waiting"}
    other = first | {"id": second, "name": "Asked for", "mode": "pull"}
    all_of_it = {"queues": [first, other], "ids": [scene.queue, second], "next": 0, "me": me}
    assert scene.states(mai) == scene.states(ken) == [all_of_it | {"given": []}]
    scene.turn()
    assert scene.states(mai) == scene.states(ken) == []
    scene.says("one", "sales")
    scene.turn()
    [told] = scene.states(mai)
    assert told == {"queues": [first | {"waiting": 1}, other | {"waiting": 1}], "ids": [1, 2]} | {
        "next": 1
    }
    assert scene.states(ken) == [], "it is at another desk"
    scene.here(scene.ken)
    scene.turn()
    for sid, waiting, more in ((mai, 1, {}), (ken, 0, {"me": me | {"accepting": True}})):
        numbers = {"waiting": waiting, "accepting": 1, "eligible": 1}
        told = [one | numbers for one in (first, other)]
        all_of_it = {"queues": told, "ids": [1, 2], "next": waiting}
        assert scene.states(sid) == [all_of_it | more]
    scene.database.write(lambda connection: definitions.remove(connection, second))
    scene.turn()
    assert [state["ids"] for state in scene.states(ken)] == [[scene.queue]]
    scene.database.write(lambda connection: definitions.remove(connection, scene.queue))
    scene.turn()
    assert scene.states(ken) == [{"queues": [], "ids": [], "next": 0, "me": None}]
    scene.turn()
    assert scene.states(ken) == [], "there are no queues"


def test_no_number_tells_a_colleague_that_a_hidden_admin_accepts_threads(scene):
    """Q28: nothing at all is sent, as the time of a message would tell it, too."""
    mai, ken = scene.connect(scene.mai), scene.connect(scene.ken)
    sue = scene.connect(scene.mai, "Sue", role="supervisor")
    scene.turn()
    for sid in (mai, ken, sue):
        scene.states(sid)
    scene.here(scene.ken, shown_status="offline")
    scene.turn()
    assert scene.states(mai) == []
    for sid in (ken, sue):
        [state] = scene.states(sid)
        assert [(one["accepting"], one["eligible"]) for one in state["queues"]] == [(1, 1)]


def test_a_change_of_one_queue_does_not_tell_the_other(scene):
    second = scene.add_queue("Asked for", "pull")
    ken = scene.connect(scene.ken)
    scene.turn()
    scene.states(ken)

    def write(connection):
        draft = QueueDraft(1, "push", frozenset({"sales"}), 60, 0, 30, "waiting")
        before = definitions.find(connection, scene.queue)
        definitions.change(connection, before, draft, scene.mai.id, scene.clock())

    scene.database.write(write)
    scene.turn()
    [state] = scene.states(ken)
    assert [(one["id"], one["mine"]) for one in state["queues"]] == [(scene.queue, False)]
    assert state["ids"] == [scene.queue, second] and "me" not in state


def test_numbers_that_time_changes_are_told_as_well(scene):
    """Q12: a thread has been in the queue for its delay; nothing was written."""

    def write(connection):
        draft = QueueDraft(1, "pull", None, 60, 60, 30, "waiting")
        before = definitions.find(connection, scene.queue)
        definitions.change(connection, before, draft, scene.mai.id, scene.clock())

    scene.database.write(write)
    mai = scene.connect(scene.mai)
    scene.says("one")
    scene.turn()
    assert scene.states(mai)[-1]["queues"][0]["waiting"] == 0
    scene.clock.advance(MINUTE)
    scene.news.turn()
    assert scene.states(mai)[-1]["queues"][0]["waiting"] == 1


def test_nothing_is_told_of_a_thread_at_a_desk_that_is_not_seen_any_more(scene):
    """Q67: the socket still has the desks from before it is closed."""
    ken = scene.connect(scene.ken)
    scene.here(scene.ken)
    scene.says("one")
    scene.hand_outs.turn()
    scene.news.on_role(Caller(ken, scene.ken.id, connection=ken, device=ken, desks=frozenset()))
    scene.news.turn()
    assert scene.given(ken) == []


def test_without_sockets_nothing_is_read(scene, monkeypatch):
    monkeypatch.setattr(scene.database, "read", None)
    scene.news.turn()
    assert scene.emitter.sent == []
