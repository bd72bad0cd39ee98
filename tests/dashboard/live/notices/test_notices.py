"""Each admin is told what concerns them, once, on all of their sockets, and of nothing else."""

import pytest

from dashboard.db.accounts import admin_desks
from dashboard.errors import StorageUnavailable
from dashboard.ingest.actions import Actions, Admin
from dashboard.ingest.assigning import Assigning, HandOver
from dashboard.ingest.mentioning import Mentioning
from dashboard.ingest.replies import Reply
from dashboard.ingest.snoozing import Snoozing
from dashboard.live.notices import MISSED_MAX, MISSED_MS, WINDOW_MS, Notices
from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.transport.caller import Caller
from tests.dashboard.ingest.shop import START_MS, Shop, new_admin
from tests.dashboard.live.emitter import FakeEmitter


class Scene:
    """Two threads of a shop; Mai and Ken, each with a socket."""

    def __init__(self, database, clock):
        self.database, self.clock = database, clock
        self.shop = Shop(database, clock)
        self.mai, self.ken = (
            Admin(new_admin(database, name), name, "supervisor") for name in ("Mai", "Ken")
        )
        self.actions, self.assigning = Actions(database, clock), Assigning(database, clock)
        self.mentioning = Mentioning(database, clock)
        self.emitter, self.admins = FakeEmitter(), SocketAdmins()
        self.reads = Reads(database, clock)
        self.notices = Notices(self.reads, self.emitter, self.admins)
        for admin in (self.mai, self.ken):
            self.admins.add(admin.name, admin.id)
        self.written = 0
        self.one, self.two = (self.says(name) for name in ("one", "two"))
        self.notices.check(None)
        self.emitter.sent.clear()

    def says(self, thread: str = "one", body: str = "Where is it?") -> int:
        self.clock.advance(1)
        at = self.clock() - 1_780_000_000_000
        id = self.shop.says(at, body, thread=thread, fields={"name": "Linh"}).thread_id
        assert id is not None
        return id

    def claim(self, admin: Admin, thread: int) -> None:
        self.clock.advance(1)
        self.actions.claim(admin, thread)

    def note(self, admin: Admin, thread: int, body: str, private: bool = True) -> int:
        self.clock.advance(1)
        self.written += 1
        reply = Reply(body, f"n-{self.written}", private, None, True)
        return self.actions.reply(admin, thread, reply)[0].message["id"]

    def give(self, admin: Admin, to: Admin | None, thread: int, desk=None) -> int | None:
        self.clock.advance(1)
        given = HandOver(to and to.id, desk=desk)
        return self.assigning.hand_over(admin, thread, given)[0]


@pytest.fixture
def scene(any_database, clock) -> Scene:
    return Scene(any_database, clock)


def sent(scene: Scene, changed=(1, 2)) -> list[tuple]:
    scene.notices.check(changed)
    found = [
        (sid, data["kind"], data["thread_id"], data["by"] and data["by"]["name"], data["text"])
        for sid, event, data in scene.emitter.sent
    ]
    scene.emitter.sent.clear()
    return found


def test_a_customer_writes_in_ones_own_thread(scene):
    scene.says()
    assert sent(scene) == [], "it is nobody's"
    scene.claim(scene.mai, scene.one)
    assert sent(scene) == [], "neither what was there before, nor what one does oneself"
    scene.says(body="Hello,\n  still there?" + "x" * 200)
    [(sid, kind, thread, by, text)] = sent(scene)
    assert (sid, kind, thread, by) == ("Mai", "message", scene.one, None)
    assert text == ("Hello, still there?" + "x" * 200)[:140]
    assert sent(scene) == [] == sent(scene, None), "once"


def test_it_says_who_wrote(scene):
    scene.claim(scene.mai, scene.one)
    id = scene.says()
    scene.notices.check([id])
    [(_, _, data)] = scene.emitter.sent
    assert data["customer"] == {"id": "shop/c", "name": "Linh"}
    assert data["at"] == scene.clock()


def test_a_thread_is_handed_over_by_a_colleague(scene):
    scene.give(scene.ken, scene.mai, scene.one)
    assert sent(scene) == [("Mai", "assigned", scene.one, "Ken", "Where is it?")]
    scene.give(scene.mai, scene.ken, scene.one)
    scene.give(scene.ken, None, scene.one)
    assert sent(scene) == [], "it is nobody's by now"


def test_a_note_mentions_one(scene):
    note = scene.note(scene.ken, scene.two, "@Mai and @Ken, look")
    assert sent(scene) == [("Mai", "mention", scene.two, "Ken", "@Mai and @Ken, look")]
    note = scene.note(scene.ken, scene.two, "@Mai?")
    scene.mentioning.read(scene.mai, scene.two, note)
    assert sent(scene) == [], "it was read meanwhile"


def test_what_was_answered_meanwhile_is_not_told(scene):
    scene.claim(scene.mai, scene.one)
    scene.says()
    scene.note(scene.mai, scene.one, "It comes", private=False)
    assert sent(scene) == []


def test_a_snooze_that_no_message_ends_is_silent(scene):
    scene.claim(scene.mai, scene.one)
    snoozing = Snoozing(scene.database, scene.clock)
    snoozing.snooze(scene.mai, scene.one, scene.clock() + 3_600_000, "never")
    scene.says()
    assert sent(scene) == []


def test_what_a_chatbot_or_a_colleague_writes_is_not_told(scene):
    """`message`: a customer wrote, and nobody else."""
    scene.claim(scene.mai, scene.one)
    scene.says()
    assert [kind for _, kind, *_ in sent(scene)] == ["message"]
    scene.clock.advance(1)
    at = scene.clock() - 1_780_000_000_000
    scene.shop.says(at, "One moment", thread="one", role="bot")
    scene.note(scene.ken, scene.one, "A note")
    assert sent(scene) == []


def test_a_message_that_is_delivered_late_is_told(scene):
    scene.claim(scene.mai, scene.one)
    scene.clock.advance(1)
    at = scene.clock() - 3_600_000 - START_MS
    scene.shop.says(at, "An hour ago", thread="one")
    assert [text for *_, text in sent(scene)] == ["An hour ago"]


def test_a_message_before_a_snooze_that_messages_end_is_told(scene):
    """A message is not told during a snooze that no message ends; otherwise it is."""
    scene.claim(scene.mai, scene.one)
    scene.says()
    snoozing = Snoozing(scene.database, scene.clock)
    snoozing.snooze(scene.mai, scene.one, scene.clock() + 3_600_000, "reply")
    assert [kind for _, kind, *_ in sent(scene)] == ["message"]


def test_an_assignment_that_is_over_is_not_told(scene):
    """`assigned`: a colleague gave the admin the thread, and the admin has had it since."""
    scene.give(scene.ken, scene.mai, scene.one)
    scene.give(scene.mai, None, scene.one)
    scene.claim(scene.mai, scene.one)
    assert sent(scene) == []


def test_a_thread_that_comes_with_its_desk_is_told_once(scene):
    """`assigned` tells of the hand-over, and not of the move to another desk."""

    def change(connection):
        admin_desks.add(connection, "billing", 0)
        admin_desks.save(connection, scene.mai.id, ["main", "billing"])

    scene.database.write(change)
    scene.give(scene.ken, scene.mai, scene.one, desk="billing")
    assert [kind for _, kind, *_ in sent(scene)] == ["assigned"]


def test_a_mention_that_was_read_is_not_told_in_ones_own_thread_either(scene):
    """`mention`: a note mentions the admin, who has not read it."""
    scene.claim(scene.mai, scene.one)
    scene.mentioning.read(scene.mai, scene.one, scene.note(scene.ken, scene.one, "@Mai?"))
    assert sent(scene) == []


def test_who_was_away_for_long_is_told_of_the_last_days(scene):
    scene.note(scene.ken, scene.one, "@Mai, long ago")
    scene.clock.advance(MISSED_MS + 1)
    scene.note(scene.ken, scene.two, "@Mai, today")
    found, total = scene.notices.missed(Caller("Mai", scene.mai.id), 0)
    assert ([notice.text for notice in found], total) == (["@Mai, today"], 1)


def test_each_socket_of_the_admin_is_told(scene):
    scene.admins.add("second", scene.mai.id)
    scene.give(scene.ken, scene.mai, scene.one)
    assert sorted(sid for sid, *_ in sent(scene)) == ["Mai", "second"]


def test_of_a_thread_that_is_not_seen_nothing_is_told(scene):
    """The desks count at the moment of telling, not of writing."""

    def change(connection):
        admin_desks.add(connection, "billing", 0)
        admin_desks.save(connection, scene.mai.id, ["main"])

    scene.database.write(change)
    scene.admins.add("Mai", scene.mai.id, frozenset({"main"}))
    scene.note(scene.ken, scene.two, "@Mai, look")
    scene.give(scene.ken, None, scene.two, desk="billing")
    assert sent(scene) == []
    caller = Caller("Mai", scene.mai.id, desks=frozenset({"main"}))
    assert scene.notices.missed(caller, 0) == ([], 0)
    scene.give(scene.ken, None, scene.two, desk="main")
    assert [notice.kind for notice in scene.notices.missed(caller, 0)[0]] == ["mention"]


def test_a_worker_that_hears_late_tells_all_the_same_and_old_things_are_not_told(scene):
    scene.claim(scene.mai, scene.one)
    scene.says()
    scene.clock.advance(WINDOW_MS - 1)
    assert [kind for _, kind, *_ in sent(scene, None)] == ["message"]
    scene.says("one", "again")
    scene.clock.advance(WINDOW_MS + 1)
    assert sent(scene, None) == []


def test_what_could_not_be_read_is_told_later(scene, monkeypatch):
    scene.claim(scene.mai, scene.one)
    scene.says()

    def away(*given):
        raise StorageUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(scene.reads, "notices", away)
        with pytest.raises(StorageUnavailable):
            scene.notices.check([scene.one])
    assert scene.notices.has_unchecked
    assert [kind for _, kind, *_ in sent(scene, ())] == ["message"]
    assert not scene.notices.has_unchecked


def test_who_was_away_gets_of_each_thread_the_newest(scene):
    since = scene.clock()
    scene.claim(scene.mai, scene.one)
    for body in ("first", "second"):
        scene.says("one", body)
    scene.note(scene.ken, scene.two, "@Mai")
    caller = Caller("Mai", scene.mai.id)
    found, total = scene.notices.missed(caller, since)
    assert [(notice.kind, notice.text) for notice in found] == [
        ("message", "second"),
        ("mention", "@Mai"),
    ]
    assert total == 2
    assert scene.notices.missed(caller, scene.clock() + 1) == ([], 0)
    for number in range(MISSED_MAX):
        id = scene.says(f"more-{number}")
        scene.give(scene.ken, scene.mai, id)
    found, total = scene.notices.missed(caller, since)
    assert (len(found), total) == (MISSED_MAX, MISSED_MAX + 2)
    assert found[-1].thread_id == id, "the newest"


def test_without_sockets_nothing_is_read(scene):
    for name in ("Mai", "Ken"):
        scene.admins.drop(name)
    assert not scene.notices
    scene.give(scene.ken, scene.mai, scene.one)
    assert sent(scene, None) == []
