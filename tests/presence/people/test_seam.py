"""Lists by last seen join Redis, which loses or trims rows, with another storage."""

import random
from collections.abc import Collection, Sequence
from typing import Any

import pytest

from lua_scripts.runner import Client
from presence import listing
from presence.listing import Audience, Listing, Page, Row, Wanted
from presence.outbox import Departure, Outbox
from presence.settings import Settings
from presence.states import Stored, Viewer
from tests.presence.world import FRIEND, OUTSIDER, TRUSTED, World, friends_only

DAY_MS = 24 * 3_600_000


class Kept:
    """The slow twin of SQL: times of last seen and settings, in a dictionary."""

    def __init__(self) -> None:
        self.people: dict[str, Stored] = {}
        self.pages = 0

    def save(self, departures: Collection[Departure], settings: Settings) -> None:
        for one in departures:
            self.people[one.person] = Stored(one.last_seen, one.public_last_seen, settings)

    def __call__(self, people: Sequence[str]) -> dict[str, Stored]:
        return {person: self.people[person] for person in people if person in self.people}

    def page(self, audience: Audience, wanted: Wanted, limit: int) -> list[Row]:
        self.pages += 1
        return self._rows(audience, wanted)[:limit]

    def count(self, audience: Audience, wanted: Wanted) -> int:
        return len(self._rows(audience, wanted))

    def _rows(self, audience: Audience, wanted: Wanted) -> list[Row]:
        rows = []
        for name, one in self.people.items():
            at = one.last_seen if audience == "truth" else one.public_last_seen
            is_shown = one.settings.show_last_seen and one.settings.visibility == audience
            if at is not None and (audience == "truth" or is_shown):
                rows.append(Row(at, name.encode()))
        return [
            row
            for row in sorted(rows, reverse=True)
            if wanted.from_ms <= row.last_seen <= wanted.to_ms
            and (wanted.after is None or row < wanted.after)
            and (wanted.people is None or row.name.decode() in wanted.people)
            and (wanted.group is None or row.name.startswith(wanted.group.encode() + b"/"))
        ]


class Seam:
    """A world whose people are saved as the dashboard saves them."""

    def __init__(self, client: Client, shards: int = 3):
        self.kept = Kept()
        self.world = World(client, storage=self.kept, shards=shards)
        self.listing = Listing(self.world.people, friends_only, self.kept)
        self.outbox = Outbox(self.world.people)

    def open(self, name: str, visibility: str = "everyone", save: bool = True) -> None:
        settings = Settings(1, visibility)
        self.world.open(name, settings=settings)
        if save:
            self.save(settings)

    def save(self, settings: Settings) -> None:
        while departures := self.outbox.read_once():
            self.kept.save(departures, settings)
            self.outbox.acknowledge()

    def lose(self) -> None:
        self.world.clock.advance(1)
        self.world.client.flushall()

    def walk(self, viewer: Viewer = OUTSIDER, limit: int = 3, **more: Any) -> list[str]:
        """Walks through everyone ever seen; checks that every page's total is their number."""
        names, totals, after = [], set(), None
        while True:
            page: Page = self.listing.page((0, 2**42), limit, after, viewer, **more)
            names += [one.id for one in page.people]
            totals.add(page.total)
            after = page.next
            if after is None:
                assert totals == {len(names)}
                return names


@pytest.fixture
def seam(client: Client) -> Seam:
    return Seam(client)


def test_an_emptied_redis_lists_the_same_people_in_the_same_order(seam: Seam) -> None:
    """R56: every viewer sees the same people as before; hidden people stay hidden."""
    rng = random.Random(3)
    for number in range(60):
        seam.world.clock.advance(rng.choice((0, 0, 7)))
        name = f"{rng.choice('ab')}/{number}"
        seam.open(name, rng.choice(("everyone", "contacts", "nobody")))
    asked = [(OUTSIDER, {}), (FRIEND, {}), (TRUSTED, {}), (TRUSTED, {"group": "a"})]
    some = {f"a/{number}" for number in range(0, 60, 2)}
    asked += [(FRIEND, {"among": some}), (FRIEND, {"known": some.intersection})]
    before = [seam.walk(viewer, **more) for viewer, more in asked]
    assert len({len(names) for names in before[:4]}) == 4 and before[4] == before[5] != []
    seam.lose()
    assert [seam.walk(viewer, **more) for viewer, more in asked] == before


def test_who_comes_back_is_listed_once_with_the_newer_time(seam: Seam) -> None:
    """Whether or not the newer time is stored yet: Redis knows better."""
    names = [f"a/{number}" for number in range(9)]
    for name in names:
        seam.world.clock.advance(10)
        seam.open(name)
    seam.lose()
    for name in names[2:5]:
        seam.world.clock.advance(10)
        seam.open(name, save=False)
    left = [*names[4:1:-1], *names[:4:-1], *names[1::-1]]
    assert seam.walk() == seam.walk(TRUSTED) == left
    seam.save(Settings(1))
    assert seam.walk() == seam.walk(TRUSTED, limit=1) == left


def test_who_hid_before_the_loss_comes_back_hidden(seam: Seam) -> None:
    """Invisible in Redis: others see the time when they seemed to leave, the bot sees the truth."""
    seam.open("a/ann")
    seam.open("a/bob")
    seam.world.clock.advance(10)
    hidden = Settings(1).changed({"status": "invisible"}, 0)
    seam.world.people.set("a/ann", hidden)
    seam.save(hidden)
    left_ms = seam.world.clock()
    seam.lose()
    seam.world.clock.advance(60_000)
    seam.world.open("a/ann", settings=hidden)
    page = seam.listing.page((0, 2**42))
    assert {one.id: one.last_seen for one in page.people}["a/ann"] == left_ms
    assert page.total == 2
    page = seam.listing.page((0, 2**42), viewer=TRUSTED)
    assert [one.id for one in page.people] == ["a/ann", "a/bob"]
    assert page.people[0].last_seen == seam.world.clock()


def test_a_list_of_what_redis_knows_does_not_read_the_storage(seam: Seam) -> None:
    for number in range(5):
        seam.open(f"a/{number}")
    seam.world.clock.advance(1_000)
    page = seam.listing.page(1_000, 2)
    while page.next:
        page = seam.listing.page(1_000, 2, page.next)
    assert seam.kept.pages == 0
    assert seam.walk(limit=50) and seam.kept.pages


def test_times_before_the_last_day_come_from_the_storage(seam: Seam) -> None:
    """Redis keeps a day; the order goes on without a seam."""
    seam.open("a/long-gone")
    seam.world.sign_out("a/long-gone")
    seam.save(Settings(1))
    seam.world.clock.advance(DAY_MS)
    seam.open("a/here")
    seam.world.sweeper.trim_once()
    assert seam.walk() == ["a/here", "a/long-gone"]
    assert [one.id for one in seam.listing.page(DAY_MS).people] == ["a/here"]


def test_of_very_many_stored_rows_the_total_counts_all(
    seam: Seam, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is still listed once."""
    monkeypatch.setattr(listing, "EXACT_MAX", 3)
    for number in range(5):
        seam.open(f"a/{number}")
    seam.lose()
    seam.open("a/4", save=False)
    page = seam.listing.page((0, 2**42))
    assert (page.people[0].id, len(page.people), page.total) == ("a/4", 5, 6)
