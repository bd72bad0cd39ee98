"""People by last seen: windows, pages, totals, many at once."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from lua_scripts.runner import Client, LuaCall
from presence.listing import MAX_ROWS, Page, colour
from presence.settings import Settings
from presence.sweeper import regroup
from tests.presence.world import FRIEND, OUTSIDER, TRUSTED, World


def fill(world: World, count: int, step_ms: int = 1_000) -> list[str]:
    """People seen one after another; the names, the newest first."""
    names = [f"acme/{number:03}" for number in range(count)]
    for name in names:
        world.clock.advance(step_ms)
        world.open(name)
    return names[::-1]


def walk(world: World, limit: int, **more: object) -> tuple[list[str], list[int]]:
    names, totals, after = [], [], None
    while True:
        page: Page = world.listing.page(3_600_000, limit, after, **more)  # type: ignore[arg-type]
        names += [one.id for one in page.people]
        totals.append(page.total)
        after = page.next
        if after is None:
            return names, totals


def test_who_was_seen_in_the_last_minutes_newest_first(world: World) -> None:
    """A window holds people seen less than its length ago, connected or not. (R62, R64, B13)"""
    names = fill(world, 10, step_ms=60_000)
    world.sign_out(names[3])
    page = world.listing.page(5 * 60_000)
    assert [one.id for one in page.people] == [names[0], names[3], *names[1:3], names[4]]
    assert (page.total, page.next) == (5, None)
    assert page.people[0].last_seen == world.clock()


def test_a_page_between_two_times(world: World) -> None:
    """A page between two times. (B22, R62, R63, R65)"""
    start = world.clock()
    names = fill(world, 10)
    page = world.listing.page((start + 3_000, start + 6_000))
    assert [one.id for one in page.people] == names[4:8]
    assert world.listing.page((start + 6_000, start + 3_000)) == Page([], None, 0)


@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_pages_list_each_person_once_in_order(world: World, limit: int) -> None:
    """Pages list each person once in order. (R63, R66)"""
    names = fill(world, 23)
    assert walk(world, limit) == (names, [23] * -(-23 // limit))


def test_equal_times_are_walked_without_loss(world: World) -> None:
    """Equal times are walked without loss. (B24)"""
    names = fill(world, 60, step_ms=0)
    assert walk(world, 7)[0] == names


def test_pages_hold_still_while_people_move(world: World) -> None:
    """Pages repeat no person while people move, and keep the first total. (B25)"""
    names = fill(world, 30)
    first = world.listing.page(3_600_000, 10)
    for name in names[5:15]:
        world.clock.advance(10_000)
        world.beat(name)
    second = world.listing.page(3_600_000, 10, first.next)
    third = world.listing.page(3_600_000, 10, second.next)
    seen = [one.id for page in (first, second, third) for one in page.people]
    assert seen == names[:10] + names[15:]
    assert (second.total, third.total, third.next) == (30, 30, None)


def test_colours_by_age(world: World) -> None:
    """Colours by age. (R38)"""
    names = fill(world, 3, step_ms=0)
    world.clock.advance(60_000)
    world.beat(names[0])
    world.clock.advance(30_000)
    assert [one.colour for one in world.listing.page(3_600_000).people] == [
        "green", "yellow", "yellow",
    ]  # fmt: skip
    world.clock.advance(300_000)
    assert {one.colour for one in world.listing.page(3_600_000).people} == {"grey"}


def test_a_group_has_pages_and_a_total_of_its_own(world: World) -> None:
    names = fill(world, 12)
    for number in range(5):
        world.open(f"other/{number}")
    assert walk(world, 5, group="acme") == (names, [12, 12, 12])
    assert len(walk(world, 5, group="other")[0]) == 5
    assert walk(world, 5, group="none") == ([], [0])
    assert len(walk(world, 5)[0]) == 17


def test_a_page_of_a_small_group_reads_no_row_of_the_others(one_shard: World) -> None:
    """Listing costs what it shows. (R66)"""
    fill(one_shard, 30)
    one_shard.open("small/1")
    answers: list[list[object]] = []
    run_all = one_shard.lua.run_all

    def counted(calls: Sequence[LuaCall]) -> list[Any]:
        found = run_all(calls)
        answers.extend(zip([call.script for call in calls], found, strict=True))  # type: ignore[arg-type]
        return found

    one_shard.lua.run_all = counted  # type: ignore[method-assign]
    assert one_shard.listing.page(3_600_000, group="small", viewer=TRUSTED).total == 1
    [answer] = [answer for script, answer in answers if script == "people/seen_page"]
    assert len(answer) == 4  # type: ignore[arg-type]


def test_groups_beyond_the_last_number_share_it(one_shard: World) -> None:
    """There are 2,047 numbers; the people of later groups are told apart by name."""
    taken = {f"taken-{number}": number for number in range(1, 2_047)}
    one_shard.client.hset(one_shard.people.space.people(0).groups, mapping=taken)
    names = fill(one_shard, 9)
    for number in range(30):
        one_shard.clock.advance(1)
        one_shard.open(f"other/{number}")
    assert walk(one_shard, 4, group="acme") == (names, [9, 9, 9])
    assert len(walk(one_shard, 10, group="other")[0]) == 30
    assert walk(one_shard, 100)[1] == [39]


def test_rows_of_an_earlier_version_are_found_after_they_got_the_score_of_today(
    world: World,
) -> None:
    """Their score was the time alone; only a heartbeat and `regroup` change it."""
    names = fill(world, 6, step_ms=10_000)
    world.set(names[0], visibility="contacts")
    world.set(names[1], status="invisible")
    for shard in range(world.people.space.shards):
        for key in world.people.space.people(shard):
            if world.client.type(key) == b"zset" and (":seen" in key or ":left" in key):
                rows: Any = world.client.zrange(key, 0, -1, withscores=True)
                for name, score in rows:
                    world.client.zadd(key, {name: score % 2**42})
    assert walk(world, 9, viewer=TRUSTED) == ([], [0])
    world.clock.advance(1_000)
    world.beat(names[5])
    assert walk(world, 9, viewer=TRUSTED)[0] == [names[5]]
    assert (regroup(world.people), regroup(world.people)) == (6, 0)
    assert walk(world, 9, viewer=TRUSTED)[0] == [names[5], *names[:5]]
    assert walk(world, 9)[0] == [names[5], *names[1:5]]


def test_random_pages_equal_a_sorted_list(client: Client) -> None:
    """People of several groups, many of them seen at the same moment. (R62, R63)"""
    world = World(client, shards=3)
    rng, rows = random.Random(11), []
    for number in range(100):
        world.clock.advance(rng.choice((0, 0, 3)))
        name = f"{rng.choice(('a', 'b', 'b/x'))}/{number}"
        visibility = rng.choice(("everyone", "everyone", "nobody"))
        world.open(name, settings=Settings(1, visibility))
        rows.append((world.clock(), name, visibility))
    rows.sort(reverse=True)
    for _ in range(8):
        viewer, group = rng.choice((OUTSIDER, TRUSTED)), rng.choice((None, "a", "b"))
        wanted = [
            name
            for _, name, visibility in rows
            if (group is None or name.startswith(f"{group}/"))
            and (viewer is TRUSTED or visibility == "everyone")
        ]
        names, totals = walk(world, rng.choice((3, 30)), viewer=viewer, group=group)
        assert (names, set(totals)) == (wanted, {len(wanted)})


def test_random_pages_of_some_people_equal_a_sorted_list(client: Client) -> None:
    """The people are given by their names if they are few; else each on the list is checked."""
    world = World(client, shards=3)
    rng, rows = random.Random(12), []
    for number in range(100):
        world.clock.advance(rng.choice((0, 0, 3)))
        visibility = rng.choice(("everyone", "everyone", "contacts", "nobody"))
        world.open(f"a/{number}", settings=Settings(1, visibility))
        rows.append((world.clock(), f"a/{number}", visibility))
    rows.sort(reverse=True)
    shown = {OUTSIDER: ("everyone",), FRIEND: ("everyone", "contacts")}
    for _ in range(12):
        viewer = rng.choice((OUTSIDER, FRIEND, TRUSTED))
        some = {f"a/{number}" for number in rng.sample(range(120), rng.choice((0, 1, 20, 90)))}
        wanted = [
            name
            for _, name, visibility in rows
            if name in some and (viewer is TRUSTED or visibility in shown[viewer])
        ]
        by_name: dict[str, Any] = {"among": some}
        asked: dict[str, Any] = {"known": some.intersection}
        for how in (by_name, asked):
            names, totals = walk(world, rng.choice((3, 30)), viewer=viewer, **how)
            assert (names, set(totals)) == (wanted, {len(wanted)})


def test_a_list_for_a_contact_merges_and_pages(world: World) -> None:
    """A list for a contact merges and pages. (R79, R81)"""
    rng = random.Random(7)
    visible: dict[str, list[str]] = {"everyone": [], "contacts": [], "nobody": []}
    order = []
    for number in range(40):
        world.clock.advance(rng.choice((0, 5)))
        name, visibility = f"p{number:02}", rng.choice(list(visible))
        world.open(name, settings=Settings(1, visibility))
        visible[visibility].append(name)
        order.append((world.clock(), name))
    ordered = [name for _, name in sorted(order, reverse=True)]
    for viewer, hidden in (
        (OUTSIDER, ("contacts", "nobody")),
        (FRIEND, ("nobody",)),
        (TRUSTED, ()),
    ):
        gone = {name for visibility in hidden for name in visible[visibility]}
        names, totals = walk(world, 6, viewer=viewer)
        assert names == [name for name in ordered if name not in gone]
        assert set(totals) == {40 - len(gone)}


def test_a_page_is_capped(world: World) -> None:
    assert MAX_ROWS == 500
    fill(world, 3)
    assert len(world.listing.page(3_600_000, 0).people) == 1


def test_many_people_in_one_round_trip(world: World) -> None:
    """Grouped by shard, one pipeline, keyed by person. (R53, R59, R60, R61, R75, R76)"""
    names = fill(world, 100)
    asked = [*names, "never"]
    states = world.people.look_up(asked, OUTSIDER)
    assert list(states) == asked
    assert [states[name]["status"] for name in asked] == ["online"] * 100 + ["offline"]


@pytest.mark.parametrize(
    ("age_ms", "expected"),
    [
        (0, "green"), (59_999, "green"), (60_000, "yellow"), (299_999, "yellow"),
        (300_000, "grey"), (-5_000, "green"),
    ],
)  # fmt: skip
def test_green_below_a_minute_yellow_below_five_then_grey(age_ms: int, expected: str) -> None:
    """The colour of a look-up by age; never seen is grey. (R38, B26)"""
    now_ms = 1_790_000_000_000
    assert colour(now_ms - age_ms, now_ms) == expected
    assert colour(None, now_ms) == "grey"
