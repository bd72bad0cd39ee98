"""Helpers of the tests of rooms: reading a room, and a worker that shows rooms."""

from collections.abc import Hashable
from typing import Any

from presence.feed import Feed
from presence.rooms import Membership, Room
from presence.watchers import RoomWatchers
from tests.presence.world import World

ANN, BOB = Membership("t1", "ann", "c1"), Membership("t1", "bob", "c1")


def members(world: World, room: str = "t1") -> dict[str, str]:
    """Person -> mode."""
    return {one.person: one.mode for one in world.rooms.look_up([room])[room].members}


class Shown:
    """A worker with one socket that shows rooms."""

    def __init__(self, world: World, *rooms: str):
        self.published: list[dict[str, Room]] = []
        self.cursors: list[tuple[str, str, Any]] = []
        self.lost = 0
        self.watchers = RoomWatchers(
            world.rooms, self._publish, self._publish_cursor, self._on_lost
        )
        self.feed = Feed(world.client, [self.watchers], world.lua)
        self.feed.pump(0)
        self.rooms = self.watchers.watch("socket", rooms)

    def settle(self) -> list[dict[str, Room]]:
        self.feed.verify_once()
        while self.feed.pump(0):
            pass
        self.watchers.flush_once()
        published, self.published = self.published, []
        return published

    def _publish(self, watcher: Hashable, rooms: dict[str, Room]) -> None:
        for name, room in rooms.items():
            assert name not in self.rooms or room.version > self.rooms[name].version
        self.published.append(rooms)
        self.rooms.update(rooms)

    def _publish_cursor(self, watcher: Hashable, room: str, person: str, cursor: Any) -> None:
        self.cursors.append((room, person, cursor))

    def _on_lost(self) -> None:
        self.lost += 1
