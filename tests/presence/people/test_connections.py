"""Connections with deadlines: the people here, their devices, and until when."""

import pytest

from presence.errors import InvalidName, UnknownValue
from presence.people import TOMBSTONE_MS, Beat, Connection
from presence.settings import Settings
from tests.presence.world import OUTSIDER, TRUSTED, TTL, World


def test_connecting_is_being_online_and_counts_as_a_beat(world: World) -> None:
    """A connection is online at once and counts as a beat. (R5, R2)"""
    assert world.open("ann")
    state = world.look_up("ann")
    assert state["status"] == "online"
    assert state["last_seen"] == state["at"] == world.clock()


def test_a_beat_moves_last_seen_and_makes_no_second_member(world: World) -> None:
    """A beat moves last seen and makes no second member. (R1)"""
    world.open("ann")
    for _ in range(3):
        world.clock.advance(25_000)
        assert world.beat("ann") == []
    assert world.look_up("ann")["last_seen"] == world.clock()
    assert world.listing.page(TTL).total == 1


def test_beats_close_together_cost_one_write(world: World) -> None:
    """Within a ninth of the lifetime nothing is written, except nearer deadlines. (R4)"""
    world.open("ann")
    opened = world.clock()
    world.clock.advance(9_999)
    world.beat("ann")
    assert world.look_up("ann")["last_seen"] == opened
    world.clock.advance(1)
    world.beat("ann")
    assert world.look_up("ann")["last_seen"] == world.clock()


def test_a_beat_with_a_shorter_lifetime_is_always_taken(world: World) -> None:
    """Lifetimes differ by type; a tab that is shown again lives by the shorter one. (T6)"""
    world.people.beat([])
    world.open("ann", lifetime_ms=world.timing.hidden_ttl_ms)
    world.clock.advance(1_000)
    world.beat("ann")
    world.sweep_after(TTL)
    assert world.status("ann") == "offline"


def test_a_minimised_phone_stays_online_for_its_own_lifetime(world: World) -> None:
    """A minimised phone stays online for its own lifetime. (T6)"""
    world.open("ann", kind="mobile")
    world.sweep_after(4 * 60_000)
    assert world.status("ann") == "online"
    world.sweep_after(60_001)
    assert world.status("ann") == "offline"


def test_offline_exactly_at_last_beat_plus_lifetime(world: World) -> None:
    """A connection is alive one millisecond before its deadline and expired at it.
    (R15, R17, B13)
    """
    world.open("ann")
    world.sweep_after(TTL - 1)
    assert world.status("ann") == "online"
    world.clock.advance(1)
    world.sweeper.sweep_once()
    assert world.status("ann") == "offline"


def test_signing_off_is_at_once(world: World) -> None:
    """Signing off is at once. (R14, R16, T3)"""
    world.open("ann")
    world.clock.advance(5_000)
    assert world.people.close("ann", "c1")
    state = world.look_up("ann")
    assert (state["status"], state["last_seen"]) == ("offline", world.clock())


def test_signing_out_ends_every_connection_at_once(world: World) -> None:
    """Signing out closes every connection of a person. (T3)"""
    for number in range(3):
        world.open("ann", f"c{number}")
    before = len(world.announced())
    assert world.sign_out("ann")
    assert not world.sign_out("ann")
    assert world.announced()[before:] == ["ann"] * 3, "each device that goes is a change"
    assert world.status("ann") == "offline"
    assert world.people.connections_of("ann") == []
    assert world.beat("ann", "c1") == [Beat("ann", "c1", TTL)]


def test_a_late_beat_does_not_reopen_a_connection_closed_since(world: World) -> None:
    """A late beat counts as of its own moment, whichever connections are left. (R14)"""
    said = world.clock()
    world.open("ann", "web")
    world.clock.advance(300)
    world.people.close_all_of([("ann", "messages"), ("ann", "web")], leave_tombstones=True)
    world.clock.advance(200)
    assert not world.open("ann", "messages", opened_ms=said)
    assert world.people.connections_of("ann") == []
    assert world.look_up("ann")["last_seen"] == said + 300
    assert world.open("ann", "messages", opened_ms=said + 301)
    assert world.look_up("ann")["last_seen"] == said + 301


def test_a_beat_of_a_past_moment_takes_nothing_back(world: World) -> None:
    """The deadline is computed from the late beat; last seen never decreases. (T32)"""
    said = world.clock()
    world.clock.advance(400)
    world.open("ann", "web", lifetime_ms=50_000)
    assert world.people.beat([Beat("ann", "web", TTL, at_ms=said)]) == []
    assert world.look_up("ann")["last_seen"] == said + 400
    world.sweep_after(TTL - 401)
    assert world.status("ann") == "online"
    world.sweep_after(1)
    assert world.look_up("ann")["last_seen"] == said + 400
    assert world.status("ann") == "offline"


def test_a_tombstone_is_removed_in_time(world: World) -> None:
    """A tombstone is kept for TOMBSTONE_MS and then removed. (R72)"""
    gone = world.people.space.people(world.people.space.shard_of("ann")).tombstones
    world.people.close_all_of([("ann", f"c{number}") for number in range(3)], leave_tombstones=True)
    world.sweep_after(TOMBSTONE_MS - 1)
    assert world.client.zcard(gone) == 3
    world.sweep_after(1)
    assert world.client.zcard(gone) == 0


def test_a_refresh_shows_nothing_to_others(world: World) -> None:
    """A reload, where the old socket closes and a new one opens, is not announced. (R18)"""
    world.open("ann", "tab-1", device="browser")
    before = len(world.announced())
    world.people.close("ann", "tab-1", world.timing.page_closed_grace_ms)
    world.clock.advance(1_500)
    world.open("ann", "tab-2", device="browser")
    world.sweep_after(20_000)
    assert len(world.announced()) == before
    assert [one.id for one in world.people.connections_of("ann")] == ["tab-2"]


def test_a_dropped_socket_expires_after_its_grace(world: World) -> None:
    """After the grace the person is offline, last seen when the socket dropped. (R18, R19)"""
    world.open("ann")
    world.clock.advance(30_000)
    world.sweeper.sweep_once()
    world.people.close("ann", "c1", world.timing.dropped_grace_ms)
    dropped = world.clock()
    world.sweep_after(world.timing.dropped_grace_ms - 1)
    assert world.status("ann") == "online"
    world.sweep_after(1)
    assert world.look_up("ann")["last_seen"] == dropped
    assert world.status("ann") == "offline"


def test_a_dropped_socket_that_comes_back_under_its_name_stays(world: World) -> None:
    """A dropped socket that reconnects under its id stays open. (R18)"""
    world.open("ann")
    world.people.close("ann", "c1", world.timing.dropped_grace_ms)
    world.clock.advance(2_000)
    assert world.beat("ann") == []
    world.sweep_after(30_000)
    assert world.status("ann") == "online"


def test_a_late_close_of_an_old_socket_ends_only_that_one(world: World) -> None:
    """Closing an old connection does not close a new one. (B4)"""
    world.open("ann", "old")
    world.open("ann", "new")
    world.people.close("ann", "old")
    assert not world.people.close("ann", "old")
    assert world.status("ann") == "online"


def test_a_hundred_reloads_leave_one_connection(world: World) -> None:
    """A hundred reloads leave one connection. (T28)"""
    for number in range(100):
        world.open("ann", f"c{number}", device="browser")
        if number < 99:
            world.people.close("ann", f"c{number}", world.timing.page_closed_grace_ms)
        world.clock.advance(20)
    world.sweep_after(world.timing.page_closed_grace_ms)
    assert [one.id for one in world.people.connections_of("ann")] == ["c99"]


def test_a_beat_after_the_end_says_so_and_the_connection_is_opened_anew(world: World) -> None:
    """A beat after expiry returns the connection, which is then opened again. (B28, T37)"""
    world.open("ann")
    world.sweep_after(TTL)
    assert world.beat("ann") == [Beat("ann", "c1", TTL)]
    world.open("ann")
    assert world.status("ann") == "online"


def test_idle_but_connected_for_an_hour_is_still_there(one_shard: World) -> None:
    """Beats keep an idle person away, neither offline nor active. (T33, R34)"""
    one_shard.open("ann")
    one_shard.people.idle("ann", "c1", active=False)
    for _ in range(144):
        one_shard.sweep_after(25_000)
        one_shard.beat("ann")
    assert one_shard.status("ann") == "away"


def test_hidden_or_idle_for_long_enough_is_away(world: World) -> None:
    """The worker's thresholds decide whether a browser counts as active. (R31, R32, R33)"""
    timing = world.timing
    assert timing.active(visible=True, idle_ms=299_999)
    assert not timing.active(visible=True, idle_ms=300_000)
    assert timing.active(visible=False, idle_ms=0, hidden_for_ms=59_999)
    assert not timing.active(visible=False, idle_ms=0, hidden_for_ms=60_000)


def test_a_tab_whose_timers_run_once_a_minute_never_flaps(world: World) -> None:
    """A lifetime outlasts three pings. (B12, T1, T30)"""
    world.open("ann")
    before = len(world.announced())
    for _ in range(10):
        world.sweep_after(60_000)
        assert world.beat("ann") == []
    assert len(world.announced()) == before


def test_a_draining_worker_gives_its_connections_time(world: World) -> None:
    """A rolling restart changes no state if browsers reconnect in time. (T11)"""
    for person in ("ann", "bob"):
        world.open(person)
    world.people.close_all_of([("ann", "c1"), ("bob", "c1")], world.timing.drain_grace_ms)
    world.sweep_after(59_000)
    world.open("ann", "c2", device="c1")
    world.sweep_after(1_000)
    assert (world.status("ann"), world.status("bob")) == ("online", "offline")


def test_names_with_the_separator_and_unknown_types_are_refused(world: World) -> None:
    """Names with the separator and unknown types are refused. (B38, B39)"""
    with pytest.raises(InvalidName):
        world.open("ann\x1fvictim")
    with pytest.raises(InvalidName):
        world.open("")
    with pytest.raises(UnknownValue):
        world.people.open(Connection("ann", "c1", "fridge"), Settings())


def test_namespaces_never_mix(world: World) -> None:
    """Namespaces never mix. (R10)"""
    other = World(world.client, "admin", world.clock)
    world.open("7")
    assert other.status("7", TRUSTED) == "offline"
    assert other.listing.page(TTL).total == 0
    other.open("7")
    other.people.close("7", "c1")
    assert world.status("7") == "online"
    assert other.people.counts()["online"] == 0


def test_unknown_people_are_offline_and_never_seen(world: World) -> None:
    """Every name asked for is in the answer; never seen is None, not 1970. (R67, R76, B23)"""
    states = world.people.look_up(["x", "y"], OUTSIDER)
    assert list(states) == ["x", "y"]
    assert states["x"]["status"] == "offline" and states["x"]["last_seen"] is None


def test_empty_structures_leave_nothing_behind(world: World) -> None:
    """Empty structures leave no keys. (R71, R69, T9)"""
    world.open("ann")
    world.sweep_after(TTL)
    shard = world.people.space.shard_of("ann")
    deadlines, connections, states, settings, due = world.people.space.people(shard)[:5]
    assert not world.client.exists(deadlines, connections, states, settings, due)


def test_churn_ends_with_exactly_the_live_connections(world: World) -> None:
    """Churn ends with exactly the live connections. (T9, T24, R69)"""
    live: set[tuple[str, str]] = set()
    for step in range(200):
        person, connection = f"p{step % 7}", f"c{step % 11}"
        world.open(person, connection)
        live.add((person, connection))
        if step % 3 == 0:
            world.people.close(person, connection)
            live.discard((person, connection))
    world.sweep_after(1)
    held = {(one.person, one.id) for n in range(7) for one in world.people.connections_of(f"p{n}")}
    assert held == live
    world.sweep_after(TTL)
    assert not any(world.people.connections_of(f"p{n}") for n in range(7))


def test_a_grace_never_lengthens_a_lifetime(world: World) -> None:
    """A socket that drops just before its deadline still ends at it. (R17, R18)"""
    world.open("ann")
    world.sweep_after(TTL - 2_000)
    world.people.close("ann", "c1", world.timing.dropped_grace_ms)
    world.sweep_after(1_999)
    assert world.status("ann") == "online"
    world.sweep_after(1)
    assert world.status("ann") == "offline"
