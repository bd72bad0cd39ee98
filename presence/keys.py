"""Names in Redis: the one place where they are written."""

import zlib
from dataclasses import dataclass

from presence.errors import InvalidName

#: Stands between the parts of a member; names must not hold it.
SEPARATOR = "\x1f"
#: Shards of a namespace, fixed once there are data.
SHARDS = 16

_PEOPLE = (
    "dl", "conn", "st", "man", "due", "ev", "meta",
    "seen", "seen:contacts", "seen:hidden", "left", "left:contacts", "gone",
)  # fmt: skip
_META, _EVENTS = 6, 5
_SEEN = {"everyone": (7, 10), "contacts": (8, 11), "truth": (7, 8, 9)}


@dataclass(frozen=True)
class Space:
    """A namespace: people and rooms that never meet those of another."""

    namespace: str
    prefix: str = "p"
    shards: int = SHARDS

    def __post_init__(self) -> None:
        if set("{}" + SEPARATOR) & set(self.namespace + self.prefix):
            raise InvalidName("a namespace holds no braces")

    def shard_of(self, name: str) -> int:
        return zlib.crc32(name.encode()) % self.shards

    def people(self, shard: int) -> list[str]:
        """The keys of a shard, in the order that lua/people.lua names."""
        return [f"{self._tag(shard)}:{part}" for part in _PEOPLE]

    def meta(self, shard: int) -> str:
        return self.people(shard)[_META]

    def events(self, shard: int) -> str:
        return self.people(shard)[_EVENTS]

    def log(self, shard: int) -> list[str]:
        """Meta and stream: what `head` and `since` read."""
        return [self.meta(shard), self.events(shard)]

    def seen(self, shard: int, audience: str) -> list[str]:
        """Sets of last seen, apart from one another: of `everyone`, of `contacts`, the `truth`."""
        keys = self.people(shard)
        return [keys[index] for index in _SEEN[audience]]

    def channel(self, shard: int) -> str:
        return f"{self._tag(shard)}:ch"

    def rooms(self, shard: int) -> list[str]:
        """Deadlines, typing, meta of the rooms of a shard."""
        return [f"{self._tag(shard)}:room:{part}" for part in ("dl", "typing", "meta")]

    def room(self, name: str) -> list[str]:
        """The keys of one room, in the order that lua/room.lua names."""
        shard = self.shard_of(name)
        return [*self.rooms(shard), f"{self._tag(shard)}:room:in:{name}"]

    def rooms_channel(self, shard: int) -> str:
        return f"{self._tag(shard)}:room:ch"

    def _tag(self, shard: int) -> str:
        return f"{{{self.prefix}{self.namespace}:{shard}}}"


def checked(name: str) -> str:
    """`name` itself, if it can name a person, a connection or a room."""
    if not isinstance(name, str) or not name or SEPARATOR in name:
        raise InvalidName("a name is text, not empty, without the unit separator")
    return name
