"""Every name that the order has in Redis: keys, members and the channels of the bell."""

from dataclasses import dataclass

#: What `notify-keyspace-events` must hold for the bell: K and E (channels by key and by event),
#: g (del, rename), z (sorted sets: `changes` and the canary), x and e (expired, evicted).
BELL_FLAGS = "KEgzxe"
#: Events that say that a key of ours vanished or was replaced; UNLINK rings `del`. Nothing rings
#: for FLUSHALL, FLUSHDB, SWAPDB and for writes that leave a score as it was.
LOSS_EVENTS = ("del", "rename_from", "rename_to", "expired", "evicted", "move_from")
MEMBER_DIGITS = 12


def member(thread_id: int) -> str:
    """A thread as a member: 12 digits, so that Redis breaks ties by number."""
    return f"{thread_id:0{MEMBER_DIGITS}d}"


def thread_id(name: bytes | str) -> int | None:
    """The thread of a member; None for what `member` cannot have written."""
    return int(name) if len(name) == MEMBER_DIGITS and name.isdigit() else None


@dataclass(frozen=True)
class Keys:
    """Key names under one prefix. A tag's keys share a hash tag: a cluster keeps them together."""

    prefix: str = "lineup"

    def sort(self, tag: str, sort: str) -> str:
        """Sorted set, member → score: the list itself."""
        return f"{self._hash_tag(tag)}|{sort}"

    def changes(self, tag: str) -> str:
        """Sorted set, member → version at which the thread last changed: a compacted log."""
        return f"{self._hash_tag(tag)}|changes"

    def meta(self, tag: str) -> str:
        """Hash: `epoch`, `version`, and `floor`, the version with which the epoch began."""
        return f"{self._hash_tag(tag)}|meta"

    def revisions(self, tag: str) -> str:
        """Hash, member → revision of the thread that placed it last; stays when it leaves."""
        return f"{self._hash_tag(tag)}|revisions"

    def next(self, tag: str) -> str:
        """Hash, while a rebuild fills the keys below: its `token`, and the `version` it began at.

        It fences: what another rebuild or a flush took over is neither filled nor swapped in.
        """
        return f"{self._hash_tag(tag)}|next"

    def next_sort(self, tag: str, sort: str) -> str:
        """What a rebuild puts in the place of `sort`."""
        return f"{self._hash_tag(tag)}|next|{sort}"

    def next_revisions(self, tag: str) -> str:
        """What a rebuild puts in the place of `revisions`."""
        return f"{self._hash_tag(tag)}|next|revisions"

    @property
    def rebuild_lock(self) -> str:
        """String with a time to live: held by the one process that rebuilds."""
        return f"{{{self.prefix}}}|rebuild"

    @property
    def canary(self) -> str:
        """Sorted set that listeners write to, to hear whether the bell still rings.

        Each write needs a new score, such as the time: an unchanged one rings nothing.
        """
        return f"{{{self.prefix}}}|canary"

    def tag_of(self, key: str) -> str | None:
        """The tag whose live key this is; None for other keys, also those of a rebuild."""
        start = f"{{{self.prefix}:"
        tag, brace, name = key.removeprefix(start).partition("}|")
        return tag if key.startswith(start) and brace and not name.startswith("next") else None

    def changes_pattern(self, db: int = 0) -> str:
        """Pattern of the keyspace channels of every tag's `changes`; the message is the event."""
        return f"__keyspace@{db}__:{{{self.prefix}:*}}|changes"

    def canary_channel(self, db: int = 0) -> str:
        return f"__keyspace@{db}__:{self.canary}"

    def loss_channels(self, db: int = 0) -> tuple[str, ...]:
        """Keyevent channels that tell of lost keys; the message is the key, see `tag_of`.

        A rebuild's swap rings them as well (`del`, `rename_to`): the new epoch tells them apart.
        """
        return tuple(f"__keyevent@{db}__:{event}" for event in LOSS_EVENTS)

    def _hash_tag(self, tag: str) -> str:
        return f"{{{self.prefix}:{tag}}}"
