"""Names of keys and channels in Redis; no other module of the package builds one."""

import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from presence.errors import InvalidName

#: Separates the parts of a member; names must not hold it.
SEPARATOR = "\x1f"
#: Shards of a namespace, fixed once there are data.
SHARDS = 16


class PeopleKeys(NamedTuple):
    """The keys of one shard of people, in the order of lua/state/keys.lua."""

    deadlines: str
    connections: str
    states: str
    settings: str
    override_ends: str
    events: str
    meta: str
    seen: str
    seen_contacts: str
    seen_hidden: str
    left: str
    left_contacts: str
    tombstones: str
    groups: str


class RoomKeys(NamedTuple):
    """The keys of one shard of rooms, in the order of lua/rooms/room.lua."""

    deadlines: str
    typing: str
    meta: str


#: The last parts of the names in Redis.
_PEOPLE = PeopleKeys(
    deadlines="dl",
    connections="conn",
    states="st",
    settings="man",
    override_ends="due",
    events="ev",
    meta="meta",
    seen="seen",
    seen_contacts="seen:contacts",
    seen_hidden="seen:hidden",
    left="left",
    left_contacts="left:contacts",
    tombstones="gone",
    groups="groups",
)
_ROOMS = RoomKeys(deadlines="room:dl", typing="room:typing", meta="room:meta")


@dataclass(frozen=True)
class Space:
    """A namespace: its people and rooms share no key with another namespace.

    `shards` must not change once there are data. Raises InvalidName for a namespace or a prefix
    that would break the hash tag.
    """

    namespace: str
    prefix: str = "p"
    shards: int = SHARDS

    def __post_init__(self) -> None:
        if set("{}" + SEPARATOR) & set(self.namespace + self.prefix):
            raise InvalidName("a namespace holds no braces")

    def shard_of(self, name: str) -> int:
        """Returns the shard of a person or of a room."""
        return zlib.crc32(name.encode()) % self.shards

    def batches(self, names: Sequence[str], size: int) -> list[tuple[int, list[int]]]:
        """Returns (shard, indexes of the names that live there), at most `size` indexes in one."""
        shards: dict[int, list[int]] = defaultdict(list)
        for index, name in enumerate(names):
            shards[self.shard_of(name)].append(index)
        return [
            (shard, indexes[start : start + size])
            for shard, indexes in shards.items()
            for start in range(0, len(indexes), size)
        ]

    @property
    def layout(self) -> str:
        """The key of a string: the number of shards with which the data were written."""
        return f"{{{self.prefix}{self.namespace}}}:shards"

    def people(self, shard: int) -> PeopleKeys:
        """Returns the keys of a shard of people; they share a hash tag."""
        return PeopleKeys(*(f"{self._tag(shard)}:{part}" for part in _PEOPLE))

    def log(self, shard: int) -> list[str]:
        """Returns meta and stream: the keys that the jobs feed/head and feed/since read."""
        keys = self.people(shard)
        return [keys.meta, keys.events]

    def channel(self, shard: int) -> str:
        """Returns the channel of a shard's announcements about people."""
        return f"{self._tag(shard)}:ch"

    def rooms(self, shard: int) -> RoomKeys:
        """Returns the keys that the rooms of a shard share."""
        return RoomKeys(*(f"{self._tag(shard)}:{part}" for part in _ROOMS))

    def members(self, room: str) -> str:
        """Returns the key of the hash of a room's members."""
        return f"{self._tag(self.shard_of(room))}:room:in:{room}"

    def room(self, name: str) -> list[str]:
        """Returns the keys of one room, in the order of lua/rooms/room.lua."""
        return [*self.rooms(self.shard_of(name)), self.members(name)]

    def rooms_channel(self, shard: int) -> str:
        """Returns the channel of a shard's announcements about rooms."""
        return f"{self._tag(shard)}:room:ch"

    def _tag(self, shard: int) -> str:
        return f"{{{self.prefix}{self.namespace}:{shard}}}"


def checked(name: str) -> str:
    """Returns `name`; raises InvalidName if it cannot name a person, connection or room."""
    if not isinstance(name, str) or not name or SEPARATOR in name:
        raise InvalidName("a name is text, not empty, without the unit separator")
    return name
