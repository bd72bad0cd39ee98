"""Several devices of one person, each with a life of its own."""

from presence.people import MAX_CONNECTIONS, Beat
from tests.presence.world import TTL, World


def test_one_of_two_devices_closes_and_the_person_stays(world: World) -> None:
    """One of two devices closes: still online. (R21, R22, R25, R26, R28, B4, B5, B7, B32,
    T4)
    """
    for kind in ("mobile", "desktop", "tablet"):
        world.open("ann", kind, kind)
    assert world.look_up("ann")["devices"] == ["desktop", "mobile", "tablet"]
    world.people.close("ann", "desktop")
    state = world.look_up("ann")
    assert (state["status"], state["devices"]) == ("online", ["mobile", "tablet"])
    assert len(world.people.connections_of("ann")) == 2


def test_one_device_crashed_and_the_other_closed_ends_by_timeout(world: World) -> None:
    """One device crashed and the other closed ends by timeout. (R23)"""
    world.open("ann", "crashed")
    world.open("ann", "closed", "desktop")
    world.people.close("ann", "closed")
    assert world.status("ann") == "online"
    world.sweep_after(TTL)
    assert world.status("ann") == "offline"


def test_a_live_device_does_not_keep_a_dead_one(world: World) -> None:
    """A live device does not keep an expired one. (R24, B5, B6)"""
    world.open("ann", "dead", "desktop")
    world.open("ann", "alive", "web")
    for _ in range(4):
        world.sweep_after(25_000)
        world.beat("ann", "alive")
    assert world.look_up("ann")["devices"] == ["web"]
    assert [one.id for one in world.people.connections_of("ann")] == ["alive"]


def test_the_parts_of_each_connection_can_be_read_and_routed_to(world: World) -> None:
    """A map of connections, not one field that the second overwrites. (R27, B8)"""
    world.open("ann", "c1", "mobile", device="phone", worker="w1")
    world.clock.advance(10)
    world.open("ann", "c2", "web", device="laptop", worker="w2", active=False)
    first, second = world.people.connections_of("ann")
    assert (first.type, first.device, first.worker, first.active) == ("mobile", "phone", "w1", True)
    assert (second.worker, second.active, second.opened_ms) == ("w2", False, world.clock())
    assert world.people.connections_of("nobody") == []


def test_connections_of_a_person_are_capped_and_the_oldest_goes(world: World) -> None:
    """Connections of a person are capped and the oldest goes. (B6)"""
    for number in range(MAX_CONNECTIONS + 5):
        world.clock.advance(1)
        world.open("ann", f"c{number}")
    kept = [one.id for one in world.people.connections_of("ann")]
    assert kept == [f"c{number}" for number in range(5, MAX_CONNECTIONS + 5)]
    assert world.beat("ann", "c0") == [Beat("ann", "c0", TTL)]


def test_active_on_one_device_beats_idle_on_another(world: World) -> None:
    """A person is away when every connection is idle. (R30, T7, B33)"""
    world.open("ann", "c1")
    world.open("ann", "c2")
    world.people.idle("ann", "c1", active=False)
    assert world.status("ann") == "online"
    world.people.idle("ann", "c2", active=False)
    assert world.status("ann") == "away"
    world.people.idle("ann", "c1", active=True)
    assert world.status("ann") == "online"
    assert world.people.idle("ann", "gone", active=True) is None


def test_a_beat_may_say_that_a_person_is_idle(world: World) -> None:
    """A beat over HTTP may set whether its connection is active. (R8)"""
    world.open("ann")
    assert world.beat("ann", active=False) == []
    assert world.status("ann") == "away"
    world.beat("ann")
    assert world.status("ann") == "away"
    world.beat("ann", active=True)
    assert world.status("ann") == "online"


def test_many_close_in_one_round_trip_and_each_answer_is_its_own(world: World) -> None:
    """Many connections close in one call, unknown and repeated ones included. (R26)"""
    for name in ("ann", "bob", "cat"):
        world.open(name)
    ended = [("ann", "c1"), ("none", "c1"), ("cat", "c1"), ("ann", "c1"), ("bob", "other")]
    assert world.people.close_all_of(ended) == [True, False, True, False, False]
    assert world.status("bob") == "online"
