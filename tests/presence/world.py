"""A small world for tests: people, rooms, their workers, and the time."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import fakeredis

from lua_scripts.servers import Client
from presence.feed import Feed
from presence.keys import SHARDS, Space
from presence.listing import Listing
from presence.people import Beat, Connection, People
from presence.rooms import Rooms
from presence.settings import Settings
from presence.states import Relation, State, Storage, Viewer, parsed
from presence.sweeper import Sweeper, Swept
from presence.timing import Timing
from presence.watchers import Watchers
from tests.presence.stepped_lua import SteppedLua
from tests.support import SettableClock

TTL = 90_000
OUTSIDER, FRIEND, TRUSTED = Viewer("outsider"), Viewer("friend"), Viewer("bot", truth=True)


def friends_only(viewer_id: str, people: Sequence[str]) -> set[str]:
    """The relation of most tests: `friend` is a contact of all people."""
    return set(people) if viewer_id == "friend" else set()


class World:
    """People of one namespace, with a settable clock."""

    def __init__(
        self,
        client: Client,
        namespace: str = "customer",
        clock: SettableClock | None = None,
        storage: Storage | None = None,
        shards: int = SHARDS,
    ):
        self.client = client
        self.clock = clock or SettableClock()
        self.timing = Timing()
        self.lua = SteppedLua(client, self.clock)
        space = Space(namespace, shards=shards)
        self.people = People(client, space, lua=self.lua, storage=storage)
        self.rooms = Rooms(client, space, lua=self.lua)
        self.sweeper = Sweeper([self.people])
        self.listing = Listing(self.people, friends_only)

    def open(self, person: str, connection: str = "c1", kind: str = "web", **more: Any) -> bool:
        settings = more.pop("settings", Settings())
        lifetime_ms = more.pop("lifetime_ms", None)
        return self.people.open(Connection(person, connection, kind, **more), settings, lifetime_ms)

    def beat(self, person: str, connection: str = "c1", active: bool | None = None) -> list[Beat]:
        return self.people.beat([Beat(person, connection, TTL, active)])

    def sign_out(self, person: str) -> bool:
        """Closes all connections of a person; whether that was announced."""
        held = [(person, one.id) for one in self.people.connections_of(person)]
        return any(self.people.close_all_of(held))

    def set(self, person: str, revision: int = 1, **changes: Any) -> bool:
        settings = Settings(revision=revision - 1).changed(changes, self.clock())
        return self.people.set(person, settings)

    def look_up(
        self, person: str, viewer: Viewer = OUTSIDER, related: Relation | None = friends_only
    ) -> State:
        return self.people.look_up([person], viewer, related)[person]

    def status(self, person: str, viewer: Viewer = OUTSIDER) -> str:
        return self.look_up(person, viewer)["status"]

    def sweep_after(self, milliseconds: int) -> Swept:
        """Lets time pass with the sweeper at work, so that it never looks like an outage."""
        total, step = Swept(), self.timing.outage_after_ms // 2
        while milliseconds > 0:
            self.clock.advance(min(step, milliseconds))
            milliseconds -= step
            swept = self.sweeper.sweep_once()
            total = Swept(
                total.expired + swept.expired, total.announced + swept.announced,
                max(total.lag_ms, swept.lag_ms), total.held + swept.held,
            )  # fmt: skip
        return total

    def subscribers(self) -> int:
        """Returns how many connections hear the announcements of the first shard."""
        [(_, count)] = self.client.pubsub_numsub(self.people.space.channel(0))
        return int(count)

    def announcements(self) -> list[dict[str, Any]]:
        """Every announcement about people that the streams hold, in order of version."""
        found: list[dict[str, Any]] = []
        for shard in range(self.people.space.shards):
            entries: Any = self.client.xrange(self.people.space.people(shard).events)
            found += [parsed(next(iter(parts.values()))) for _, parts in entries]
        return sorted(found, key=lambda event: event["v"])

    def announced(self) -> list[str]:
        return [event["u"] for event in self.announcements()]

    @contextmanager
    def watching(self, *people: str, viewer: Viewer = OUTSIDER) -> "Iterator[Watcher]":
        """A watcher that is pumped by `settle`."""
        watcher = Watcher(self, viewer, people)
        try:
            yield watcher
        finally:
            watcher.feed.close()


class Watcher:
    """A worker with one watcher; `states` is what a browser would hold."""

    def __init__(self, world: World, viewer: Viewer, people: Sequence[str]):
        self.messages: list[dict[str, State]] = []
        self.states: dict[str, State] = {}
        self.lost = 0
        self.watchers = Watchers(world.people, self._publish, friends_only, self._on_lost)
        self.feed = Feed(world.client, [self.watchers], world.lua)
        self.feed.pump(0)
        self.states.update(self.watchers.watch("socket", viewer, people))

    def settle(self) -> list[dict[str, State]]:
        """Hears and publishes all there is; returns what was published since the last call."""
        self.feed.verify_once()
        while self.feed.pump(0):
            pass
        self.watchers.flush_once()
        published, self.messages = self.messages, []
        return published

    def _publish(self, watcher: Hashable, states: dict[str, State]) -> None:
        self.messages.append(states)
        for person, state in states.items():
            assert state["v"] > self.states[person]["v"], "a version that is not above the known"
            self.states[person] = state

    def _on_lost(self) -> None:
        self.lost += 1


def fake() -> fakeredis.FakeStrictRedis:
    return fakeredis.FakeStrictRedis(version=(7,), server=fakeredis.FakeServer())
