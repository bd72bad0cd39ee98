"""List frames: what changed, from which version to which, and when they are sent."""

import json

from dashboard.db.threads.thread_rows import SharedRow
from dashboard.live import broadcaster as broadcaster_module
from dashboard.live import frames
from dashboard.live.broadcaster import ACKNOWLEDGE_SECONDS, BUSY_FRAME_SECONDS, FRAME_SECONDS
from dashboard.live.totals import ALL_THREADS
from scoring.reading import Entry
from tests.dashboard.live.driver import ARRIVAL, PRIORITY


def test_a_change_becomes_a_frame_from_the_known_version_to_the_new_one(driver):
    driver.place(1, 50)
    driver.subscribe("a")
    version = driver.ranking.head("arrival", "arrival", 1).version
    [frame] = driver.push(2, 40)
    assert frame == {
        "view": "arrival",
        "sort": "arrival",
        "filter": "all",
        "epoch": "one",
        "from": version,
        "version": version + 1,
        "total": 2,
        "set": [[2, 40]],
        "del": [],
        "rows": {"2": {"id": 2, "name": "thread 2", "desk": "main"}},
    }


def test_a_queue_stands_only_in_the_rows_of_those_who_see_it():
    """Q53, Q67: in the same frame's rows, each encoded once for all readers alike."""
    row = {"id": 2, "desk": "main", "queue": 5}
    entries = [Entry(2, 40), Entry(3, 50), Entry(4, 60)]
    rows = frames.Rows(
        {
            2: SharedRow(row, frozenset({"sales", "vip"})),
            3: SharedRow(row | {"id": 3}, None),
        }
    )

    def queues(*desks: str | None) -> list[int | None]:
        found = json.loads(rows.by_id(entries, None if desks == (None,) else frozenset(desks)))
        return [one["queue"] for one in found.values()]

    assert queues("main") == [None, 5]
    assert queues("main", "vip") == queues(None) == [5, 5]
    assert queues("sales") == []


def test_what_changed_between_reading_and_following_is_sent(driver):
    head = driver.ranking.head("arrival", "arrival", 500)
    driver.place(1, 50)
    driver.broadcaster.subscriptions.subscribe("arrival", "a", ARRIVAL, head.epoch, head.version)
    driver.broadcaster.notify(["arrival"])
    driver.turn()
    assert driver.frames()[0]["set"] == [[1, 50]]


def test_without_a_change_no_frame_is_sent(driver):
    driver.subscribe("a")
    driver.broadcaster.notify(None)
    driver.turn()
    assert driver.frames() == []


def test_a_thread_that_left_the_view_is_deleted(driver):
    driver.place(1, 50)
    driver.subscribe("a")
    [frame] = driver.push(1, 50, enter=("history",), leave=("arrival",))
    assert (frame["del"], frame["set"], frame["total"]) == ([1], [], 0)


def test_the_threads_of_a_frame_are_in_order(driver):
    driver.subscribe("a")
    for id, score in ((3, 10), (2, 10), (1, 20)):
        driver.place(id, score)
    driver.broadcaster.notify(["arrival"])
    driver.turn()
    assert driver.frames()[0]["set"] == [[2, 10], [3, 10], [1, 20]]


def test_the_first_frame_is_sent_at_once_and_then_one_each_50_ms(driver):
    driver.subscribe("a")
    driver.turn(1)
    driver.place(1, 1)
    driver.broadcaster.notify(["arrival"])
    driver.broadcaster.turn()
    assert len(driver.frames()) == 1
    driver.emitter.acknowledge("a")
    for moment in range(2, 10):
        driver.place(moment, moment)
        driver.broadcaster.notify(["arrival"])
        driver.turn(FRAME_SECONDS / 10)
        assert driver.frames() == []
    driver.turn(FRAME_SECONDS)
    [frame] = driver.frames()
    assert [id for id, _ in frame["set"]] == list(range(2, 10))


def test_frames_are_sent_less_often_when_sending_is_slow(driver, monkeypatch):
    driver.subscribe("a")
    send = driver.emitter.send

    def slow_send(*given, **named):
        driver.now += 0.05
        send(*given, **named)

    monkeypatch.setattr(driver.emitter, "send", slow_send)
    begun = driver.now + FRAME_SECONDS
    assert len(driver.push(1, 1)) == 1
    driver.emitter.acknowledge("a")
    driver.place(2, 2)
    driver.broadcaster.notify(["arrival"])
    driver.turn(begun + 0.9 * BUSY_FRAME_SECONDS - driver.now)
    assert driver.frames() == []
    driver.turn(0.2 * BUSY_FRAME_SECONDS)
    assert len(driver.frames()) == 1


def test_a_frame_and_the_totals_are_sent_together(driver, monkeypatch):
    driver.subscribe("a")
    driver.broadcaster.totals.subscribe("a", ALL_THREADS)
    driver.push(1, 1)
    driver.emitter.acknowledge("a")
    pieces = []
    monkeypatch.setattr(driver.emitter, "send_together", lambda sid, piece: pieces.append(piece))
    driver.push(2, 2)
    assert [[message.event for message in piece] for piece in pieces] == [
        ["pages:totals", "list:order"]
    ]


def test_other_threads_run_between_frames_and_a_reopened_list_gets_no_old_frame(
    driver, monkeypatch
):
    for sid in ("a", "b", "c"):
        driver.subscribe(sid)
    turns = []

    def others(seconds):
        turns.append(seconds)
        driver.place(2, 2)
        head = driver.ranking.head("arrival", "arrival", 500)
        driver.broadcaster.subscriptions.subscribe(
            "arrival", "c", ARRIVAL, head.epoch, head.version
        )

    monkeypatch.setattr(broadcaster_module, "FRAMES_AT_ONCE", 2)
    monkeypatch.setattr(broadcaster_module.time, "sleep", others)
    assert len(driver.push(1, 1)) == 2
    assert turns == [0]
    assert driver.emitter.unacknowledged.keys() == {"a", "b"}


def test_changes_during_an_unacknowledged_frame_are_merged_into_the_next(driver):
    driver.subscribe("slow")
    driver.subscribe("quick")
    for id in range(1, 6):
        driver.push(id, id)
        driver.emitter.acknowledge("quick")
    [before] = [frame for frame in [driver.push(6, 6)] if frame]
    assert len(before) == 1, "the slow one still owes an acknowledgement"
    driver.emitter.acknowledge("quick")
    driver.emitter.acknowledge("slow")
    driver.turn()
    [merged] = driver.frames("slow")
    assert [id for id, _ in merged["set"]] == [2, 3, 4, 5, 6]
    assert driver.frames("quick") == []


def test_an_acknowledgement_alone_reads_nothing(driver):
    driver.subscribe("a")
    driver.push(1, 1)
    driver.emitter.acknowledge("a")
    assert not driver.broadcaster._pending


def test_a_socket_that_never_acknowledges_is_disconnected(driver):
    """F54."""
    driver.subscribe("a")
    driver.push(1, 1)
    driver.turn(ACKNOWLEDGE_SECONDS)
    assert driver.emitter.aborted == []
    driver.turn(broadcaster_module.SLOW_TICK_SECONDS)
    assert driver.emitter.aborted == ["a"]


def test_rows_that_are_visible_or_on_top_are_read_once_for_all_lists(driver):
    for id in range(101, 131):
        driver.place(id, id)
    driver.subscribe("a")
    driver.subscribe("b", PRIORITY)
    driver.broadcaster.visible_rows.watch("b", [1])
    driver.reads.row_reads.clear()
    driver.place(1, 201)
    driver.place(2, 202)
    driver.place(103, 50)
    driver.broadcaster.notify(["arrival"])
    driver.turn()
    frames = driver.frames()
    assert len(frames) == 2
    named = {str(id): {"id": id, "name": f"thread {id}", "desk": "main"} for id in (1, 103)}
    assert all(frame["rows"] == named for frame in frames)
    assert driver.reads.row_reads == [[1, 103]]
