"""A small world for tests: people, rooms, their workers, and the time."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import fakeredis

from presence.feed import Feed
from presence.keys import SHARDS
from presence.listing import Listing
from presence.people import Beat, Connection, People
from presence.rooms import Rooms
from presence.scripts import Client
from presence.settings import Settings
from presence.states import Relation, State, Storage, Viewer, parsed
from presence.sweeper import Sweeper, Swept
from presence.timing import Timing
from presence.watchers import Watchers
from tests.presence.servers import SteppedScripts
from tests.support import SettableClock

TTL = 90_000
STRANGER, FRIEND, TRUSTED = Viewer("stranger"), Viewer("friend"), Viewer("bot", truth=True)


def friends_only(viewer_id: str, people: Sequence[str]) -> set[str]:
    """The relation of most tests: `friend` is everybody's contact."""
    return set(people) if viewer_id == "friend" else set()


class World:
    """People of one namespace, with a clock that moves when told."""

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
        self.scripts = SteppedScripts(client, self.clock)
        self.people = People(
            client, namespace, scripts=self.scripts, storage=storage, shards=shards
        )
        self.rooms = Rooms(client, namespace, scripts=self.scripts, shards=shards)
        self.sweeper = Sweeper([self.people])
        self.listing = Listing(self.people, friends_only)

    def open(self, person: str, connection: str = "c1", kind: str = "web", **more: Any) -> bool:
        settings = more.pop("settings", Settings())
        lifetime_ms = more.pop("lifetime_ms", None)
        return self.people.open(Connection(person, connection, kind, **more), settings, lifetime_ms)

    def beat(self, person: str, connection: str = "c1", active: bool | None = None) -> list[Beat]:
        return self.people.beat([Beat(person, connection, TTL, active)])

    def set(self, person: str, revision: int = 1, **changes: Any) -> bool:
        settings = Settings(revision=revision - 1).changed(changes, self.clock())
        return self.people.set(person, settings)

    def look(
        self, person: str, viewer: Viewer = STRANGER, related: Relation | None = friends_only
    ) -> State:
        return self.people.look([person], viewer, related)[person]

    def status(self, person: str, viewer: Viewer = STRANGER) -> str:
        return self.look(person, viewer)["status"]

    def sweep_after(self, milliseconds: int) -> Swept:
        """Time passes with the sweeper at work, so that it never looks like an outage."""
        total, step = Swept(), self.timing.quiet_ms // 2
        while milliseconds > 0:
            self.clock.advance(min(step, milliseconds))
            milliseconds -= step
            swept = self.sweeper.sweep_once()
            total = Swept(
                total.gone + swept.gone, total.announced + swept.announced,
                max(total.lag_ms, swept.lag_ms), total.held + swept.held,
            )  # fmt: skip
        return total

    def announcements(self) -> list[dict[str, Any]]:
        """Every announcement about people that the streams hold, in order of version."""
        found: list[dict[str, Any]] = []
        for shard in range(self.people.space.shards):
            entries: Any = self.client.xrange(self.people.space.events(shard))
            found += [parsed(next(iter(parts.values()))) for _, parts in entries]
        return sorted(found, key=lambda event: event["v"])

    def announced(self) -> list[str]:
        return [event["u"] for event in self.announcements()]

    @contextmanager
    def told(self, *people: str, viewer: Viewer = STRANGER) -> "Iterator[Told]":
        """Somebody who watches, and is told what the feed brings."""
        told = Told(self, viewer, people)
        try:
            yield told
        finally:
            told.feed.close()


class Told:
    """A worker with one watcher; `states` is what a browser would hold."""

    def __init__(self, world: World, viewer: Viewer, people: Sequence[str]):
        self.messages: list[dict[str, State]] = []
        self.states: dict[str, State] = {}
        self.lost = 0
        self.watchers = Watchers(world.people, self._publish, friends_only, self._on_lost)
        self.feed = Feed(world.client, [self.watchers], world.scripts)
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
