"""Every name that the order has in Redis: keys, members and channels of notifications."""

from collections.abc import Container
from dataclasses import dataclass, replace
from itertools import count

from redis.crc import key_slot

#: What `notify-keyspace-events` must hold for the listener: K and E (channels by key and by event),
#: g (del, rename), z (sorted sets: `changes` and the canary), x and e (expired, evicted).
NOTIFY_FLAGS = "KEgzxe"
#: Events that say that a key of ours vanished or was replaced; UNLINK notifies `del`. There is no
#: notification for FLUSHALL, FLUSHDB, SWAPDB and for writes that leave a score as it was.
LOSS_EVENTS = ("del", "rename_from", "rename_to", "expired", "evicted", "move_from")
MEMBER_DIGITS = 12
#: What the list id of a query begins with; see `query_list_id`.
_QUERY = "q:"


def query_list_id(query: str, sort: str) -> str:
    """The list id of a query in a sort; `query` and `sort` without `:`, `|` and braces."""
    return f"{_QUERY}{query}:{sort}"


def is_query_list(list_id: str) -> bool:
    return list_id.startswith(_QUERY)


def sort_of(list_id: str) -> str:
    """The one sort of a query's list."""
    return list_id.rpartition(":")[2]


def member(thread_id: int) -> str:
    """A thread as a member: 12 digits, so that Redis breaks ties by number."""
    return f"{thread_id:0{MEMBER_DIGITS}d}"


def thread_id(name: bytes | str) -> int | None:
    """The thread of a member; None for what `member` cannot have written."""
    return int(name) if len(name) == MEMBER_DIGITS and name.isdigit() else None


def channel(key: str, db: int = 0) -> str:
    """The keyspace channel of a key."""
    return f"__keyspace@{db}__:{key}"


@dataclass(frozen=True)
class Keys:
    """Key names under one prefix.

    Keys of a list id share a hash tag: one node holds them. All lists of queries share one, so that
    one call places a thread on all of them. `node` names the canary of one node of a cluster.
    """

    prefix: str = "lineup"
    node: str = ""

    def sort(self, list_id: str, sort: str) -> str:
        """Sorted set, member → score: the list itself. That of a query has one, under one name: a
        saved sort may have the name of another key."""
        name = "list" if is_query_list(list_id) else sort
        return f"{self._hash_list_id(list_id)}|{name}"

    def changes(self, list_id: str) -> str:
        """Sorted set, member → version at which the thread last changed: a compacted log, of the
        last changes.

        Of that of a query nobody is notified, see `touched`.
        """
        name = "log" if is_query_list(list_id) else "changes"
        return f"{self._hash_list_id(list_id)}|{name}"

    def meta(self, list_id: str) -> str:
        """Hash: `epoch`, `version`, and `floor`, the version from which on the log is whole.

        Of a view also `counted`, how many threads are counted, and `of:ADMIN`, how many of them the
        admin has, 0: nobody.
        """
        return f"{self._hash_list_id(list_id)}|meta"

    def assigned(self, view: str) -> str:
        """Sorted set, admin (0: nobody) → version at which the number of their threads changed."""
        return f"{self._hash_list_id(view)}|assigned"

    def revisions(self, list_id: str) -> str:
        """Hash, member → revision of the thread that placed it last; stays a while when it leaves.

        On a view it is `REVISION:ADMIN`, as what the thread is counted in `meta`, until it leaves.
        The lists of all queries share one.
        """
        if is_query_list(list_id):
            return self.query_revisions
        return f"{self._hash_list_id(list_id)}|revisions"

    def left(self, list_id: str) -> str:
        """Sorted set, member → number of the call in which it left: of the latest ones, whose
        revisions are kept.

        The lists of all queries share one, of threads that left the last of them.
        """
        if is_query_list(list_id):
            return self.query_left
        return f"{self._hash_list_id(list_id)}|left"

    @property
    def of_queries(self) -> str:
        """What the keys of the lists of queries begin with, before the list id."""
        return f"{{{self.prefix}:queries}}|"

    @property
    def query_revisions(self) -> str:
        """`revisions` of the lists of queries."""
        return f"{self.of_queries}revisions"

    @property
    def query_left(self) -> str:
        """`left` of the lists of queries."""
        return f"{self.of_queries}left"

    @property
    def touched(self) -> str:
        """Sorted set, list id of a query → number of the call that last changed the list.

        A call writes it once for all lists that it changed: one notification, and one key to read.
        A list that was never changed since it was begun to be built has 0: this is also where all
        lists are named of which there are keys.
        """
        return f"{self.of_queries}touched"

    @property
    def query_calls(self) -> str:
        """Number of the last call that changed a list of a query."""
        return f"{self.of_queries}calls"

    def next(self, list_id: str) -> str:
        """Hash, while a rebuild fills the keys below: its `token`, the `version` it began at, and
        of a view what it counts, as in `meta`.

        A fence: a rebuild that lost its token neither fills nor swaps in. For a list of a query it
        holds `overtaken`, too, see `lease`.
        """
        return f"{self._hash_list_id(list_id)}|next"

    def lease(self, list_id: str) -> str:
        """String, of a query: the token of the rebuild that makes its list.

        When it has expired another rebuild may take over. Each that was `overtaken` in a row
        doubles the lease of the next one.
        """
        return f"{self._hash_list_id(list_id)}|next|lease"

    def next_sort(self, list_id: str, sort: str) -> str:
        """The key that a rebuild renames to `sort`."""
        name = "list" if is_query_list(list_id) else sort
        return f"{self._hash_list_id(list_id)}|next|{name}"

    def next_revisions(self, list_id: str) -> str:
        """The key that a rebuild renames to `revisions`."""
        return f"{self._hash_list_id(list_id)}|next|revisions"

    @property
    def rebuild_lock(self) -> str:
        """The `lease` of the one rebuild that makes lists of views."""
        return f"{{{self.prefix}}}|rebuild"

    @property
    def builder(self) -> str:
        """Hash: the `token` of the rebuild that took the lock last, and `overtaken`."""
        return f"{{{self.prefix}}}|builder"

    @property
    def life(self) -> str:
        """String, where INFO is forbidden: the life of the server that wrote the lists."""
        return f"{{{self.prefix}}}|life"

    @property
    def canary(self) -> str:
        """Sorted set that listeners write to, to check that notifications still arrive.

        Each write needs a new score, such as the time: an unchanged one notifies nothing. Each
        primary of a cluster has one, see `of_node`: it notifies of its own keys alone.
        """
        return f"{{{self.prefix}{self.node}}}|canary"

    def of_node(self, slots: Container[int]) -> "Keys":
        """The same keys, with the canary of a node that has these slots, at least one."""
        named = (replace(self, node=f"@{number}") for number in count())
        return next(keys for keys in named if keys.canary_slot in slots)

    @property
    def canary_slot(self) -> int:
        """The slot of a cluster in which the canary lies."""
        return key_slot(self.canary.encode())

    @property
    def view_changes(self) -> str:
        """Sorted set, id of an admin or `all` → how often the saved views changed that they see."""
        return f"{{{self.prefix}}}|views"

    @property
    def unlisted(self) -> str:
        """Sorted set, member → number of the call that noted it: the latest threads that changed
        while they are on no view, of which no log of changes tells."""
        return f"{{{self.prefix}}}|unlisted"

    def list_id_of(self, key: str) -> str | None:
        """The list id whose live key this is; None for other keys, also those of a rebuild."""
        start = f"{{{self.prefix}:"
        list_id, brace, name = key.removeprefix(start).partition("}|")
        if list_id == "queries":
            list_id, brace, name = name.partition("|")
        is_live = name != "next" and not name.startswith("next|")
        return list_id if key.startswith(start) and brace and is_live else None

    def changes_pattern(self, db: int = 0) -> str:
        """Pattern of the keyspace channels of all `changes` keys; the message is the event."""
        return channel(f"{{{self.prefix}:*}}|changes", db)

    def loss_channels(self, db: int = 0) -> tuple[str, ...]:
        """Keyevent channels that tell of lost keys; the message is the key, see `list_id_of`.

        A rebuild's swap notifies them as well (`del`, `rename_to`): they differ by the epoch.
        """
        return tuple(f"__keyevent@{db}__:{event}" for event in LOSS_EVENTS)

    def _hash_list_id(self, list_id: str) -> str:
        if is_query_list(list_id):
            return f"{self.of_queries}{list_id}"
        return f"{{{self.prefix}:{list_id}}}"
