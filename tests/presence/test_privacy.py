"""Who may know: filtered before anything leaves, and hidden looks absent, field for field."""

from collections.abc import Sequence
from typing import Any

import pytest

from presence.errors import TooMany
from presence.settings import Settings
from presence.states import State, Stored, Viewer
from tests.presence.world import FRIEND, STRANGER, TRUSTED, TTL, World


def bare(state: State) -> dict[str, Any]:
    """A state without whose it is: versions and times differ between people."""
    return {name: part for name, part in state.items() if name != "v"}


def test_invisible_is_as_if_one_had_left_at_that_moment(world: World) -> None:
    """R77, R20."""
    world.open("hidden")
    world.open("left")
    world.clock.advance(5_000)
    world.set("hidden", status="invisible")
    world.people.close("left", "c1")
    for _ in range(3):
        world.clock.advance(20_000)
        world.sweeper.sweep_once()
        world.beat("hidden")
        states = world.people.look(["hidden", "left"], STRANGER)
        assert states["hidden"] == states["left"]
    page = world.listing.recent(TTL)
    assert {one.id: one.last_seen for one in page.people} == {
        "hidden": world.clock() - 60_000,
        "left": world.clock() - 60_000,
    }


def test_nobody_is_as_never_seen_also_when_offline(world: World) -> None:
    """R79: also for the version, which would tell that something goes on."""
    world.open("hidden", settings=Settings(visibility="nobody", revision=1))
    for happens in ("idle", "close"):
        states = world.people.look(["hidden", "never"], STRANGER)
        assert states["hidden"] == states["never"]
        assert world.listing.recent(TTL).total == 0
        if happens == "idle":
            world.people.idle("hidden", "c1", active=False)
        else:
            world.people.close("hidden", "c1")
    states = world.people.look(["hidden", "never"], STRANGER)
    assert states["hidden"] == states["never"]


def test_turning_to_nobody_while_offline_takes_last_seen_away(world: World) -> None:
    world.open("ann")
    world.people.close("ann", "c1")
    with world.told("ann") as told:
        assert told.states["ann"]["last_seen"] is not None
        assert world.set("ann", visibility="nobody")
        told.settle()
        assert told.states["ann"]["last_seen"] is None


def test_what_a_hidden_person_does_tells_others_nothing(world: World) -> None:
    """R81, B16: no event, not even one that is filtered later by the browser."""
    world.open("ann")
    with world.told("ann") as told:
        world.set("ann", 1, status="invisible")
        assert [list(message) for message in told.settle()] == [["ann"]]
        world.people.idle("ann", "c1", active=False)
        world.open("ann", "c2", "mobile")
        world.set("ann", 2, status="invisible", text="secret", activity="in a call")
        world.people.close("ann", "c2")
        world.people.sign_out("ann")
        assert told.settle() == []


def test_toggling_invisible_a_hundred_times_is_one_offline_a_switch(world: World) -> None:
    world.open("ann")
    with world.told("ann") as told:
        seen = []
        for turn in range(100):
            world.clock.advance(10)
            world.set("ann", turn + 1, status="auto" if turn % 2 else "invisible")
            seen += [message["ann"]["status"] for message in told.settle()]
    assert seen == ["offline", "online"] * 50


def test_oneself_and_the_trusted_see_the_truth(world: World) -> None:
    """B41, R78."""
    world.open("ann")
    world.set("ann", status="invisible", text="here", visibility="nobody")
    for viewer in (Viewer("ann"), TRUSTED):
        state = world.look("ann", viewer)
        assert (state["status"], state["text"]) == ("online", "here")
        with world.told("ann", viewer=viewer) as told:
            world.people.idle("ann", "c1", active=False)
            told.settle()
            assert told.states["ann"]["status"] == "away"
        world.people.idle("ann", "c1", active=True)


def test_contacts_see_and_strangers_see_nothing(world: World) -> None:
    """R79, R80, R82: the relation is a function handed in."""
    world.open("ann")
    with world.told("ann") as stranger, world.told("ann", viewer=FRIEND) as friend:
        world.set("ann", visibility="contacts")
        stranger.settle(), friend.settle()
        assert stranger.states["ann"]["last_seen"] is None
        assert (stranger.states["ann"]["status"], friend.states["ann"]["status"]) == (
            "offline", "online",
        )  # fmt: skip
        world.people.idle("ann", "c1", active=False)
        assert stranger.settle() == []
        assert friend.settle() and friend.states["ann"]["status"] == "away"
    states = world.people.look(["ann", "never"], STRANGER)
    assert states["ann"] == states["never"]


def test_a_relation_that_fails_uncovers_nobody(world: World) -> None:
    """T38, R83: asked once in bulk, and dropped on failure."""
    asked: list[list[str]] = []

    def broken(viewer_id: str, people: Sequence[str]) -> set[str]:
        asked.append(list(people))
        raise RuntimeError("the cache is away")

    for person in ("ann", "bob"):
        world.open(person, settings=Settings(visibility="contacts", revision=1))
    states = world.people.look(["ann", "bob", "cat"], FRIEND, broken)
    assert asked == [["ann", "bob"]]
    assert {state["status"] for state in states.values()} == {"offline"}


def test_a_new_relation_is_told_when_it_is_reconsidered(world: World) -> None:
    close: set[str] = set()
    world.open("ann", settings=Settings(visibility="contacts", revision=1))
    with world.told("ann", viewer=Viewer("new")) as told:
        told.watchers._related = lambda viewer, people: close
        assert told.settle() == []
        close.add("ann")
        told.watchers.reconsider(["ann"])
        told.settle()
        assert told.states["ann"]["status"] == "online"


def test_unloaded_settings_uncover_nobody(world: World) -> None:
    """R82: after a flush a person is hidden until what they set is back."""
    assert world.open("ann", settings=None)
    states = world.people.look(["ann", "never"], STRANGER)
    assert states["ann"] == states["never"]
    assert world.status("ann", TRUSTED) == "online"
    assert world.listing.recent(TTL).total == 0 and world.people.counts()["online"] == 0
    world.people.set("ann", Settings())
    assert world.status("ann") == "online"


def test_a_person_known_before_stays_as_they_were_until_settings_are_loaded(world: World) -> None:
    world.open("ann")
    world.people.close("ann", "c1")
    left = bare(world.look("ann"))
    world.clock.advance(60_000)
    world.open("ann", settings=None)
    assert bare(world.look("ann")) == left


def test_hiding_last_seen_hides_it_and_nothing_else(world: World) -> None:
    """R77: a switch of its own."""
    world.open("ann")
    world.set("ann", show_last_seen=False)
    assert (world.status("ann"), world.look("ann")["last_seen"]) == ("online", None)
    assert world.listing.recent(TTL).total == 0
    assert world.listing.recent(TTL, viewer=TRUSTED).total == 1
    world.people.close("ann", "c1")
    states = world.people.look(["ann", "never"], STRANGER)
    assert states["ann"] == states["never"]
    world.set("ann", 2, show_last_seen=True)
    assert world.look("ann")["last_seen"] == world.clock()


def test_lifting_invisibility_when_gone_does_not_tell_when_one_was_there(world: World) -> None:
    world.open("ann")
    world.set("ann", 1, status="invisible")
    left = world.clock()
    world.clock.advance(50_000)
    world.beat("ann")
    world.people.close("ann", "c1")
    world.set("ann", 2, status="auto")
    assert world.look("ann")["last_seen"] == left
    assert world.look("ann", TRUSTED)["last_seen"] == world.clock()
    world.clock.advance(5)
    world.open("ann", settings=None)
    assert world.look("ann")["last_seen"] == world.clock()


def test_counts_leave_hidden_people_out(world: World) -> None:
    for person, settings in (
        ("open", Settings()),
        ("nobody", Settings(1, "nobody")),
        ("contacts", Settings(1, "contacts")),
    ):
        world.open(person, settings=settings)
    assert world.people.counts() == {"online": 1, "away": 0, "busy": 0, "dnd": 0}
    assert world.people.counts(truth=True)["online"] == 3


def test_lists_show_contacts_to_contacts_only(world: World) -> None:
    """R81: single reads, bulk reads and lists alike."""
    world.open("open")
    world.open("close", settings=Settings(1, "contacts"))
    world.open("hidden", settings=Settings(1, "nobody"))
    for viewer, names in (
        (STRANGER, {"open"}), (FRIEND, {"open", "close"}), (TRUSTED, {"open", "close", "hidden"}),
    ):  # fmt: skip
        page = world.listing.recent(TTL, viewer=viewer)
        assert ({one.id for one in page.people}, page.total) == (names, len(names))


def test_storage_fills_in_what_redis_forgot_as_far_as_settings_let_it(client: Any) -> None:
    """R55, R56, R83: asked once in bulk; invisible people only as they seemed to leave."""
    asked: list[list[str]] = []
    stored = {
        "open": Stored(500, 500),
        "nobody": Stored(500, 500, Settings(1, "nobody")),
        "contacts": Stored(500, 500, Settings(1, "contacts")),
        "invisible": Stored(500, 300, Settings().changed({"status": "invisible"}, 0)),
        "quiet": Stored(500, 500, Settings(1, show_last_seen=False)),
    }

    def storage(people: Sequence[str]) -> dict[str, Stored]:
        asked.append(list(people))
        return stored

    world = World(client, storage=storage)
    names = list(stored)
    states = world.people.look(names, STRANGER)
    assert asked == [names]
    assert [states[name]["last_seen"] for name in names] == [500, None, None, 300, None]
    states = world.people.look(names, TRUSTED)
    assert {state["last_seen"] for state in states.values()} == {500}


def test_a_look_up_is_capped(world: World) -> None:
    """R46: 500 a call."""
    with pytest.raises(TooMany):
        world.people.look([str(number) for number in range(501)], STRANGER)


def test_nothing_is_left_of_a_forgotten_person(world: World) -> None:
    world.open("ann")
    world.open("bob")
    world.set("ann", status="busy", until=world.clock() + 1_000)
    with world.told("ann") as told:
        assert world.people.forget("ann")
        told.settle()
        assert bare(told.states["ann"]) == bare(world.look("never"))
    assert world.announced() == ["bob"]
    keys: Any = world.client.keys("*")
    for key in keys:
        kind: Any = world.client.type(key)
        if kind == b"zset":
            assert not any(b"ann" in member for member in world.client.zrange(key, 0, -1))
        if kind == b"hash":
            assert b"ann" not in world.client.hkeys(key)
