"""Privacy: states are filtered before they are sent, and a hidden person looks absent."""

from collections.abc import Sequence
from typing import Any

import pytest

from presence.errors import TooMany
from presence.settings import Settings
from presence.states import State, Stored, Viewer
from tests.presence.world import FRIEND, OUTSIDER, TRUSTED, TTL, World, friends_only


def bare(state: State) -> dict[str, Any]:
    """A state without version and time, which differ between people."""
    return {name: part for name, part in state.items() if name != "v"}


def test_invisible_is_as_if_one_had_left_at_that_moment(world: World) -> None:
    """Invisible looks as if the person had left at that moment. (R77, R20)"""
    world.open("hidden")
    world.open("left")
    world.clock.advance(5_000)
    world.set("hidden", status="invisible")
    world.people.close("left", "c1")
    for _ in range(3):
        world.clock.advance(20_000)
        world.sweeper.sweep_once()
        world.beat("hidden")
        states = world.people.look_up(["hidden", "left"], OUTSIDER)
        assert states["hidden"] == states["left"]
    page = world.listing.page(TTL)
    assert {one.id: one.last_seen for one in page.people} == {
        "hidden": world.clock() - 60_000,
        "left": world.clock() - 60_000,
    }


def test_visibility_nobody_looks_as_never_seen_also_when_offline(world: World) -> None:
    """Changes of a hidden person change nothing shown, the version included. (R79)"""
    world.open("hidden", settings=Settings(visibility="nobody", revision=1))
    for happens in ("idle", "close"):
        states = world.people.look_up(["hidden", "never"], OUTSIDER)
        assert states["hidden"] == states["never"]
        assert world.listing.page(TTL).total == 0
        if happens == "idle":
            world.people.idle("hidden", "c1", active=False)
        else:
            world.people.close("hidden", "c1")
    states = world.people.look_up(["hidden", "never"], OUTSIDER)
    assert states["hidden"] == states["never"]


def test_visibility_nobody_while_offline_hides_last_seen(world: World) -> None:
    world.open("ann")
    world.people.close("ann", "c1")
    with world.watching("ann") as watcher:
        assert watcher.states["ann"]["last_seen"] is not None
        assert world.set("ann", visibility="nobody")
        watcher.settle()
        assert watcher.states["ann"]["last_seen"] is None


def test_changes_of_a_hidden_person_are_not_sent_to_others(world: World) -> None:
    """A watcher gets no message about people whom it may not see. (R81, B16)"""
    world.open("ann")
    with world.watching("ann") as watcher:
        world.set("ann", 1, status="invisible")
        assert [list(message) for message in watcher.settle()] == [["ann"]]
        world.people.idle("ann", "c1", active=False)
        world.open("ann", "c2", "mobile")
        world.set("ann", 2, status="invisible", text="secret", activity="in a call")
        world.people.close("ann", "c2")
        world.sign_out("ann")
        assert watcher.settle() == []


def test_toggling_invisible_a_hundred_times_is_one_offline_a_switch(world: World) -> None:
    world.open("ann")
    with world.watching("ann") as watcher:
        seen = []
        for turn in range(100):
            world.clock.advance(10)
            world.set("ann", turn + 1, status="auto" if turn % 2 else "invisible")
            seen += [message["ann"]["status"] for message in watcher.settle()]
    assert seen == ["offline", "online"] * 50


def test_oneself_and_the_trusted_see_the_truth(world: World) -> None:
    """Oneself and the trusted see the truth. (B41, R78)"""
    world.open("ann")
    world.set("ann", status="invisible", text="here", visibility="nobody")
    for viewer in (Viewer("ann"), TRUSTED):
        state = world.look_up("ann", viewer)
        assert (state["status"], state["text"]) == ("online", "here")
        with world.watching("ann", viewer=viewer) as watcher:
            world.people.idle("ann", "c1", active=False)
            watcher.settle()
            assert watcher.states["ann"]["status"] == "away"
        world.people.idle("ann", "c1", active=True)


def test_contacts_see_and_others_see_nothing(world: World) -> None:
    """Only viewers whom the relation names see people shown to contacts. (R79, R80, R82)"""
    world.open("ann")
    with world.watching("ann") as outsider, world.watching("ann", viewer=FRIEND) as friend:
        world.set("ann", visibility="contacts")
        outsider.settle(), friend.settle()
        assert outsider.states["ann"]["last_seen"] is None
        assert (outsider.states["ann"]["status"], friend.states["ann"]["status"]) == (
            "offline", "online",
        )  # fmt: skip
        world.people.idle("ann", "c1", active=False)
        assert outsider.settle() == []
        assert friend.settle() and friend.states["ann"]["status"] == "away"
    states = world.people.look_up(["ann", "never"], OUTSIDER)
    assert states["ann"] == states["never"]


def test_a_failing_relation_shows_no_hidden_person(world: World) -> None:
    """Relations are loaded once in bulk; where that fails nothing is shown. (T38, R83)"""
    asked: list[list[str]] = []

    def broken(viewer_id: str, people: Sequence[str]) -> set[str]:
        asked.append(list(people))
        raise RuntimeError("the cache is away")

    for person in ("ann", "bob"):
        world.open(person, settings=Settings(visibility="contacts", revision=1))
    states = world.people.look_up(["ann", "bob", "cat"], FRIEND, broken)
    assert asked == [["ann", "bob"]]
    assert {state["status"] for state in states.values()} == {"offline"}


def test_contacts_keep_the_last_state_while_relations_cannot_be_read(world: World) -> None:
    """Supervisors get every change, and who hides from contacts is hidden at once. (T38, R81)"""

    def broken(viewer_id: str, people: Sequence[str]) -> set[str]:
        raise RuntimeError("SQL is away")

    for person in ("ann", "bob", "cat"):
        world.open(person, settings=Settings(visibility="contacts", revision=1))
    with (
        world.watching("ann", "bob", "cat", viewer=FRIEND) as friend,
        world.watching("ann", viewer=TRUSTED) as supervisor,
    ):
        watched = (friend, supervisor)
        for one in watched:
            one.settle()
            one.watchers._related = broken
            one.watchers.refresh_relations(["ann", "bob", "cat"])
        world.people.idle("ann", "c1", active=False)
        world.set("cat", 2, visibility="nobody")
        for one in watched:
            one.settle()
        assert {name: state["status"] for name, state in friend.states.items()} == {
            "ann": "online", "bob": "online", "cat": "offline",
        }  # fmt: skip
        assert supervisor.states["ann"]["status"] == "away"
        friend.watchers._related = friends_only
        friend.settle()
        assert friend.states["ann"]["status"] == "away"


def test_a_new_relation_is_published_when_relations_are_read_again(world: World) -> None:
    close: set[str] = set()
    world.open("ann", settings=Settings(visibility="contacts", revision=1))
    with world.watching("ann", viewer=Viewer("new")) as watcher:
        watcher.watchers._related = lambda viewer, people: close
        assert watcher.settle() == []
        close.add("ann")
        watcher.watchers.refresh_relations(["ann"])
        watcher.settle()
        assert watcher.states["ann"]["status"] == "online"


def test_without_loaded_settings_no_hidden_person_is_shown(world: World) -> None:
    """After a flush a person is hidden until the settings are loaded. (R82)"""
    assert world.open("ann", settings=None)
    states = world.people.look_up(["ann", "never"], OUTSIDER)
    assert states["ann"] == states["never"]
    assert world.status("ann", TRUSTED) == "online"
    assert world.listing.page(TTL).total == 0 and world.people.counts()["online"] == 0
    world.people.set("ann", Settings())
    assert world.status("ann") == "online"


def test_a_person_known_before_stays_as_they_were_until_settings_are_loaded(world: World) -> None:
    world.open("ann")
    world.people.close("ann", "c1")
    left = bare(world.look_up("ann"))
    world.clock.advance(60_000)
    world.open("ann", settings=None)
    assert bare(world.look_up("ann")) == left


def test_hiding_last_seen_hides_it_and_nothing_else(world: World) -> None:
    """Last seen can be hidden apart from the status. (R77)"""
    world.open("ann")
    world.set("ann", show_last_seen=False)
    assert (world.status("ann"), world.look_up("ann")["last_seen"]) == ("online", None)
    assert world.listing.page(TTL).total == 0
    assert world.listing.page(TTL, viewer=TRUSTED).total == 1
    world.people.close("ann", "c1")
    states = world.people.look_up(["ann", "never"], OUTSIDER)
    assert states["ann"] == states["never"]
    world.set("ann", 2, show_last_seen=True)
    assert world.look_up("ann")["last_seen"] == world.clock()


def test_ending_invisibility_while_offline_does_not_reveal_last_seen(world: World) -> None:
    world.open("ann")
    world.set("ann", 1, status="invisible")
    left = world.clock()
    world.clock.advance(50_000)
    world.beat("ann")
    world.people.close("ann", "c1")
    world.set("ann", 2, status="auto")
    assert world.look_up("ann")["last_seen"] == left
    assert world.look_up("ann", TRUSTED)["last_seen"] == world.clock()
    world.clock.advance(5)
    world.open("ann", settings=None)
    assert world.look_up("ann")["last_seen"] == world.clock()


def test_counts_leave_hidden_people_out(world: World) -> None:
    for person, settings in (
        ("open", Settings()),
        ("nobody", Settings(1, "nobody")),
        ("contacts", Settings(1, "contacts")),
    ):
        world.open(person, settings=settings)
    assert world.people.counts() == {"online": 1, "away": 0, "busy": 0, "dnd": 0}


def test_lists_show_contacts_to_contacts_only(world: World) -> None:
    """Single reads, bulk reads and lists alike. (R81)"""
    world.open("open")
    world.open("close", settings=Settings(1, "contacts"))
    world.open("hidden", settings=Settings(1, "nobody"))
    for viewer, names in (
        (OUTSIDER, {"open"}), (FRIEND, {"open", "close"}), (TRUSTED, {"open", "close", "hidden"}),
    ):  # fmt: skip
        page = world.listing.page(TTL, viewer=viewer)
        assert ({one.id for one in page.people}, page.total) == (names, len(names))


def test_storage_fills_in_what_redis_forgot_as_far_as_settings_let_it(client: Any) -> None:
    """Loaded once in bulk; of invisible people only the public time. (R55, R56, R83)"""
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
    states = world.people.look_up(names, OUTSIDER)
    assert asked == [names]
    assert [states[name]["last_seen"] for name in names] == [500, None, None, 300, None]
    states = world.people.look_up(names, TRUSTED)
    assert {state["last_seen"] for state in states.values()} == {500}


def test_a_look_up_is_capped(world: World) -> None:
    """A look-up of more than 500 people is refused. (R46)"""
    with pytest.raises(TooMany):
        world.people.look_up([str(number) for number in range(501)], OUTSIDER)


def test_nothing_is_left_of_a_forgotten_person(world: World) -> None:
    world.open("ann")
    world.open("bob")
    world.set("ann", status="busy", until=world.clock() + 1_000)
    with world.watching("ann") as watcher:
        assert world.people.forget("ann")
        watcher.settle()
        assert bare(watcher.states["ann"]) == bare(world.look_up("never"))
    assert world.announced() == ["bob"]
    keys: Any = world.client.keys("*")
    for key in keys:
        kind: Any = world.client.type(key)
        if kind == b"zset":
            assert not any(b"ann" in member for member in world.client.zrange(key, 0, -1))
        if kind == b"hash":
            assert b"ann" not in world.client.hkeys(key)
