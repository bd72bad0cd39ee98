"""Claims on one's own status: set, shown, ended."""

import json

import pytest

from presence.errors import UnknownValue
from presence.settings import Settings, StatusOverride
from tests.presence.world import TTL, World


@pytest.mark.parametrize("status", ["away", "busy", "dnd"])
def test_an_override_stands_over_activity_and_is_never_cleared_by_it(
    world: World, status: str
) -> None:
    """An override takes precedence over activity, which never clears it. (R29, R30, R35, B33)"""
    world.open("ann")
    world.set("ann", status=status)
    world.people.idle("ann", "c1", active=False)
    world.people.idle("ann", "c1", active=True)
    world.beat("ann", active=True)
    assert world.status("ann") == status


def test_an_override_survives_beats_and_reconnecting(world: World) -> None:
    """An override survives beats and reconnecting. (R39, B9, B30)"""
    world.open("ann")
    world.set("ann", status="dnd")
    for _ in range(10):
        world.sweep_after(25_000)
        world.beat("ann")
    world.people.close("ann", "c1")
    world.sweep_after(TTL)
    world.open("ann", "c2", settings=None)
    assert world.status("ann") == "dnd"


def test_offline_wins_over_any_override(world: World) -> None:
    """The override of an absent person shows when they come, and opens no connection. (B10, B34)"""
    assert not world.set("ann", status="dnd", text="away from desk")
    state = world.look_up("ann")
    assert (state["status"], state["text"], state["last_seen"]) == ("offline", "", None)
    world.open("ann", settings=None)
    assert world.look_up("ann")["text"] == "away from desk"
    assert world.status("ann") == "dnd"


@pytest.mark.parametrize("activity", ["in a call", "in a meeting", "presenting", "focus"])
def test_text_and_activity_are_set_announced_and_cleared(world: World, activity: str) -> None:
    """Text alone is announced too. (B27, R36, R37, B11, B34)"""
    world.open("ann")
    assert world.set("ann", 1, text="back at two", activity=activity)
    state = world.look_up("ann")
    assert (state["status"], state["text"], state["activity"]) == (
        "online",
        "back at two",
        activity,
    )
    assert world.set("ann", 2, text=None, activity="")
    assert world.look_up("ann")["text"] == world.look_up("ann")["activity"] == ""


def test_an_unknown_status_visibility_or_name_is_refused() -> None:
    """Offline cannot be set. (R29, R20)"""
    for changes in (
        {"status": "offline"}, {"status": "asleep"}, {"visibility": "some"}, {"colour": "red"},
    ):  # fmt: skip
        with pytest.raises(UnknownValue):
            Settings().changed(changes, 0)


def test_what_is_left_out_stays() -> None:
    settings = Settings().changed({"status": "busy", "text": "x"}, 0)
    settings = settings.changed({"visibility": "contacts"}, 0).changed({"text": "y"}, 0)
    assert settings.override == StatusOverride("busy", "y")
    assert (settings.visibility, settings.revision) == ("contacts", 3)


def test_an_override_ends_by_itself_and_is_announced_once(world: World) -> None:
    world.open("ann", lifetime_ms=1_000_000)
    world.set("ann", status="busy", text="talk", until=world.clock() + 60_000)
    world.sweep_after(59_999)
    assert world.status("ann") == "busy"
    assert world.sweep_after(1).announced == 1
    state = world.look_up("ann")
    assert (state["status"], state["text"]) == ("online", "")
    assert world.sweep_after(60_000).announced == 0
    due = world.people.space.people(world.people.space.shard_of("ann"))[4]
    assert not world.client.exists(due)


@pytest.mark.parametrize("until", [0, 1])
def test_an_override_with_an_end_in_the_past_has_no_effect(world: World, until: int) -> None:
    world.open("ann")
    world.set("ann", status="busy", until=until)
    assert world.status("ann") == "online"


def test_the_override_before_a_timed_one_comes_back(world: World) -> None:
    now = world.clock()
    world.open("ann", lifetime_ms=1_000_000)
    settings = Settings().changed({"status": "busy", "text": "writing"}, now)
    settings = settings.changed({"status": "dnd", "until": now + 60_000}, now)
    world.people.set("ann", settings)
    assert world.status("ann") == "dnd"
    world.sweep_after(60_000)
    assert (world.status("ann"), world.look_up("ann")["text"]) == ("busy", "writing")
    later = settings.changed({"activity": "focus"}, now + 60_000)
    assert later.override == StatusOverride("busy", "writing", "focus")


def test_a_later_revision_is_never_undone_by_an_older_one(world: World) -> None:
    """Loads and changes may arrive in any order. (B30)"""
    world.open("ann")
    world.set("ann", 2, status="dnd")
    world.set("ann", 1, status="away")
    world.people.set("ann", Settings())
    world.open("ann", "c2", settings=Settings())
    assert world.status("ann") == "dnd"


def test_settings_sent_again_are_kept_of_people_with_a_trace_in_redis_alone(world: World) -> None:
    """Those of people who were absent for long would never be removed. (R72)"""
    world.open("here", settings=None)
    world.open("left")
    world.people.close("left", "c1")
    world.set("set")
    people = ("here", "left", "set", "away")
    world.people.set_again(dict.fromkeys(people, Settings(revision=7, visibility="nobody")))
    space = world.people.space
    held = [
        person
        for person in people
        if b'"r":7'
        in (world.client.hget(space.people(space.shard_of(person)).settings, person) or b"")
    ]
    assert held == ["here", "left", "set"]


def test_settings_survive_a_column_of_json() -> None:
    settings = Settings().changed({"status": "busy", "text": "ồn"}, 5)
    settings = settings.changed({"until": 99, "show_last_seen": False}, 5)
    assert Settings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings
    assert Settings.from_dict({}) == Settings()


def test_removing_everything_leaves_no_override() -> None:
    settings = Settings().changed({"status": "busy", "until": 99}, 5)
    settings = settings.changed({"status": "auto", "until": None}, 6)
    assert settings.override == StatusOverride()
