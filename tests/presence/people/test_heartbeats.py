"""A worker's heartbeats: in batches, and again after a loss."""

from collections.abc import Sequence

import pytest
import redis

from presence.heartbeats import Heartbeats, accept_beats
from presence.people import Connection
from presence.settings import Settings
from tests.presence.world import TTL, World

asked: list[list[str]] = []


def settings_of(people: Sequence[str]) -> dict[str, Settings]:
    asked.append(list(people))
    return {person: Settings() for person in people if person != "unknown"}


@pytest.fixture
def beats(world: World) -> Heartbeats:
    asked.clear()
    return Heartbeats(world.people, settings_of)


def test_a_connection_is_online_at_once_and_kept_by_marks(world: World, beats: Heartbeats) -> None:
    """A connection is online at once and kept by marks. (R3, R5)"""
    assert beats.add(Connection("ann", "c1"))
    for _ in range(8):
        world.sweep_after(25_000)
        beats.mark("ann", "c1")
        assert beats.flush_once() == 0
    assert world.status("ann") == "online"
    world.sweep_after(TTL)
    assert world.status("ann") == "offline"


def test_marks_between_two_flushes_are_one_beat(world: World, beats: Heartbeats) -> None:
    """Marks between two flushes are one beat. (R4)"""
    beats.add(Connection("ann", "c1"))
    for _ in range(100):
        beats.mark("ann", "c1")
    assert len(beats._marked) == 1
    beats.mark("outsider", "c1")
    assert len(beats._marked) == 1


def test_only_a_flip_of_activity_goes_to_redis(world: World, beats: Heartbeats) -> None:
    """Only a flip of activity goes to Redis. (R34, B33)"""
    beats.add(Connection("ann", "c1"))
    before = len(world.announced())
    for active in (True, True, False, False, True):
        beats.report("ann", "c1", active)
    assert len(world.announced()) == before + 2


def test_who_was_signed_out_is_not_brought_back_by_a_socket_that_lives_on(
    world: World, beats: Heartbeats
) -> None:
    """A flush opens connections again that Redis lost, but none that a sign-out closed. (T3)"""
    beats.add(Connection("ann", "c1"))
    world.people.close_all_of([("ann", "c1")], leave_tombstones=True)
    beats.mark("ann", "c1")
    beats.flush_once()
    assert world.status("ann") == "offline"
    world.client.flushall()
    beats.mark("ann", "c1")
    beats.flush_once()
    assert world.status("ann") == "online"


def test_a_hidden_tab_lives_longer(world: World, beats: Heartbeats) -> None:
    beats.add(Connection("ann", "c1"))
    beats.report("ann", "c1", active=True, hidden=True)
    world.sweep_after(20_000)
    beats.flush_once()
    world.sweep_after(TTL + 10_000)
    assert world.status("ann") == "online"


def test_connections_that_redis_lost_are_opened_anew_in_slices(
    world: World, beats: Heartbeats
) -> None:
    """Lost connections are opened again with their settings, loaded in bulk. (B28, T37, T17)"""
    for number in range(10):
        beats.add(Connection(f"p{number}", "c1", active=False))
    world.client.flushall()
    asked.clear()
    beats.mark_all()
    assert [beats.flush_once(4) for _ in range(4)] == [4, 4, 2, 0]
    assert [len(one) for one in asked] == [4, 4, 2]
    assert {world.status(f"p{number}") for number in range(10)} == {"away"}


def test_people_without_known_settings_stay_hidden(world: World, beats: Heartbeats) -> None:
    beats.add(Connection("unknown", "c1"))
    assert world.status("unknown") == "offline"


def test_a_dropped_connection_is_not_opened_anew(world: World, beats: Heartbeats) -> None:
    """A dropped connection is not opened again."""
    beats.add(Connection("ann", "c1"))
    beats.mark("ann", "c1")
    beats.drop("ann", "c1")
    assert (beats.flush_once(), len(beats)) == (0, 0)
    assert world.status("ann") == "offline"


def test_a_connection_that_ends_while_it_is_opened_is_closed(world: World) -> None:
    """R14, R69: nobody stays online for a lifetime after the end."""
    beats: Heartbeats

    def ending(people: Sequence[str]) -> dict[str, Settings]:
        beats.drop("ann", "c1")
        return settings_of(people)

    beats = Heartbeats(world.people, ending)
    beats.add(Connection("ann", "c1"))
    assert world.status("ann") == "offline"
    beats = Heartbeats(world.people, settings_of)
    beats.add(Connection("ann", "c1"))
    world.client.flushall()
    beats.mark_all()
    beats._settings_of = ending
    beats.flush_once()
    assert world.status("ann") == "offline"


def test_who_could_not_be_opened_anew_is_tried_again(world: World, beats: Heartbeats) -> None:
    """T37: at the next flush, not after the next ping."""

    def away(people: Sequence[str]) -> dict[str, Settings]:
        raise OSError("SQL is away")

    beats.add(Connection("ann", "c1"))
    world.client.flushall()
    beats.mark_all()
    beats._settings_of = away
    with pytest.raises(OSError, match="SQL is away"):
        beats.flush_once()
    beats._settings_of = settings_of
    assert beats.flush_once() == 1
    assert world.status("ann") == "online"


def test_a_draining_worker_leaves_time(world: World, beats: Heartbeats) -> None:
    """A draining worker leaves time. (T11)"""
    beats.add(Connection("ann", "c1"))
    beats.drain()
    world.sweep_after(world.timing.drain_grace_ms - 1)
    assert world.status("ann") == "online" and len(beats) == 0


def test_marks_outlast_a_redis_that_is_away(
    world: World, beats: Heartbeats, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats.add(Connection("ann", "c1"))
    beats.mark("ann", "c1")

    def away(_: object) -> None:
        raise redis.ConnectionError("away")

    with monkeypatch.context() as broken:
        broken.setattr(world.people, "beat", away)
        with pytest.raises(redis.ConnectionError):
            beats.flush_once()
    world.clock.advance(20_000)
    beats.flush_once()
    assert world.look_up("ann")["last_seen"] == world.clock()


def test_beats_over_http_open_what_they_name(world: World) -> None:
    """HTTP beats give the same result as a socket; a device twice counts once. (R8)"""
    asked.clear()
    ones = [Connection("ann", "d1", "mobile"), Connection("bob", "d1", "http", active=False)]
    assert accept_beats(world.people, [*ones, ones[0]], settings_of) == 2
    assert asked == [["ann", "bob"]]
    assert (world.status("ann"), world.status("bob")) == ("online", "away")
    world.clock.advance(20_000)
    assert accept_beats(world.people, [ones[1]._replace(active=True)], settings_of) == 0
    assert world.status("bob") == "online"
    assert world.look_up("bob")["last_seen"] == world.clock()


def test_a_beat_leaves_an_idle_connection_idle(world: World, beats: Heartbeats) -> None:
    """It says that somebody is there, and not that they are active. (R34)"""
    beats.add(Connection("ann", "c1"))
    beats.report("ann", "c1", active=False)
    world.sweep_after(20_000)
    beats.mark("ann", "c1")
    beats.flush_once()
    assert world.status("ann") == "away"


def test_a_beat_from_elsewhere_lasts_as_long_as_its_type_of_device(world: World) -> None:
    """So does a second heartbeat. (T6)"""
    phone = [Connection("ann", "phone", "mobile")]
    assert accept_beats(world.people, phone, settings_of) == 1
    world.sweep_after(20_000)
    assert accept_beats(world.people, phone, settings_of) == 0
    world.sweep_after(world.timing.mobile_ttl_ms - 1)
    assert world.status("ann") == "online"
    world.sweep_after(1)
    assert world.status("ann") == "offline"
