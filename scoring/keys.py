"""Every name that the order has in Redis: keys, members and channels of notifications."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import NamedTuple
from zlib import crc32

from redis.crc import key_slot

#: The flags of `notify-keyspace-events` for the listener: K and E (channels by key and by event),
#: g (del, rename), z (sorted sets: `changes` and the canary), x and e (expired, evicted).
NOTIFY_FLAGS = "KEgzxe"
#: Events that say that a key of ours vanished or was replaced; UNLINK notifies `del`. There is no
#: notification for FLUSHALL, FLUSHDB, SWAPDB and for writes that leave a score as it was.
LOSS_EVENTS = ("del", "rename_from", "rename_to", "expired", "evicted", "move_from")
MEMBER_DIGITS = 12
#: Groups into which the lists of queries are divided on a cluster, so that its nodes share them.
CLUSTER_GROUPS = 16
#: Slots of a cluster.
SLOTS = 16_384
#: Maximum number of lists with keys that a process remembers: an event names hundreds of lists.
KNOWN_KEYS = 10_000
#: Prefix of the list ids of queries; see `query_list_id`.
_QUERY = "q:"


def query_list_id(query: str, sort: str) -> str:
    """Returns the list id of a query in a sort; both must be without `:`, `|` and braces."""
    return f"{_QUERY}{query}:{sort}"


def is_query_list(list_id: str) -> bool:
    return list_id.startswith(_QUERY)


def sort_of(list_id: str) -> str:
    """Returns the only sort of a query's list."""
    return list_id.rpartition(":")[2]


def member(thread_id: int) -> str:
    """Returns the member for a thread: 12 digits, so that Redis breaks ties by number."""
    return f"{thread_id:0{MEMBER_DIGITS}d}"


def thread_id(name: bytes | str) -> int | None:
    """Returns the thread of a member; None for a name that `member` cannot have written."""
    return int(name) if len(name) == MEMBER_DIGITS and name.isdigit() else None


def channel(key: str, db: int = 0) -> str:
    """Returns the keyspace channel of a key."""
    return f"__keyspace@{db}__:{key}"


class Group(NamedTuple):
    """The keys that the lists of a group share. One call places a thread on all lists of a group.

    A built-in view has a group of its own. There each admin's threads are counted, and the log
    shows that the list has changed. The lists of queries share groups.
    """

    #: Prefix of its keys.
    start: str
    #: Hash, member → revision that placed the thread last; kept for a while after the thread left.
    #: Where admins are counted it is `REVISION:ADMIN`, until the thread leaves.
    revisions: str
    #: Sorted set, member → number of the call in which it left its last list of the group. It has
    #: the members that left most recently; their revisions are kept.
    left: str
    #: Sorted set of a shared group, list id → number of the call that last changed the list.
    #: A call writes it once for all lists that it changed: one notification, and one key to read.
    #: A list that has not changed since its first rebuild began has 0, so that all lists with keys
    #: are named here.
    touched: str
    #: Number of the last call that changed a list of a shared group.
    calls: str
    #: Set of a shared group: the ids of lists that rebuilds make, or have abandoned.
    building: str
    is_shared: bool


class ListKeys(NamedTuple):
    """The keys of one list."""

    list_id: str
    group: Group
    #: The keys that placing a thread writes, besides the keys of the group.
    placed: tuple[str, ...]
    #: Sorted sets, member → score: the list itself, in each of its sorts.
    sorts: tuple[str, ...]
    #: Sorted set, member → version at which the thread last changed: a compacted log of the latest
    #: changes.
    log: str
    #: Hash: `epoch`, `version`, `floor` (the version from which on the log is whole), `life`, and
    #: while the list is built `building`. Where admins are counted also `counted`, the number of
    #: counted threads, and `of:ADMIN`, the number of the admin's threads (0: nobody).
    meta: str
    #: Sorted set where admins are counted: admin (0: nobody) → version at which the number of their
    #: threads changed.
    assigned: str
    #: Hash, while a rebuild fills the keys below: its `token`, the `version` it began at, the
    #: number of `filled` threads, its `progress`, and the number of rebuilds in a row that were
    #: `overtaken`. A fence: a rebuild that lost its token neither fills nor swaps in.
    next: str
    #: String: the token of the rebuild that makes the list. When it has expired another rebuild may
    #: take over. Each rebuild in a row that was `overtaken` doubles the lease of the next one.
    lease: str
    #: The keys that a rebuild renames to `sorts`.
    next_sorts: tuple[str, ...]
    #: The key that a rebuild renames to the revisions of a group of one list.
    next_revisions: str

    @property
    def counts_admins(self) -> bool:
        """Whether the threads of each admin are counted."""
        return not self.group.is_shared

    @property
    def filled(self) -> tuple[str, ...]:
        """The keys that a rebuild fills; lists that share revisions keep them."""
        return (*self.next_sorts, self.next_revisions) if self.counts_admins else self.next_sorts


@dataclass(frozen=True)
class Keys:
    """Key names under one prefix.

    Keys of a group share a hash tag, so that one node holds them. `node` names the canary of one
    node of a cluster. `groups`: the number of groups that the lists of queries are divided into.
    """

    prefix: str = "lineup"
    node: str = ""
    groups: int = 1

    def group(self, list_id: str) -> Group:
        """Returns the group of a list."""
        if not is_query_list(list_id):
            return _group(f"{{{self.prefix}:{list_id}}}|", is_shared=False)
        return _group(self._start_of_group(crc32(list_id.encode()) % self.groups), is_shared=True)

    def shared_groups(self) -> list[Group]:
        """Returns the groups of the lists of queries."""
        starts = map(self._start_of_group, range(self.groups))
        return [_group(start, is_shared=True) for start in starts]

    def of(self, list_id: str, sorts: Iterable[str]) -> ListKeys:
        """Returns the keys of a list that Redis holds in these sorts."""
        start, group = self._start(list_id), self.group(list_id)
        names = tuple(self.sort(list_id, sort) for sort in sorts)
        log, meta, assigned = self.changes(list_id), f"{start}meta", f"{start}assigned"
        return ListKeys(
            list_id,
            group,
            (*names, log, meta) if group.is_shared else (*names, log, meta, assigned),
            names,
            log,
            meta,
            assigned,
            f"{start}next",
            f"{start}next|lease",
            tuple(f"{start}next|{name.removeprefix(start)}" for name in names),
            f"{start}next|revisions",
        )

    def sort(self, list_id: str, sort: str) -> str:
        """Returns one of `ListKeys.sorts`. The list of a query has one sort, with a fixed name in
        its key: the name of a saved sort may be that of another key."""
        name = "list" if is_query_list(list_id) else sort
        return f"{self._start(list_id)}{name}"

    def changes(self, list_id: str) -> str:
        """Returns `ListKeys.log`. No process listens to a query's log, see `Group.touched`."""
        name = "log" if is_query_list(list_id) else "changes"
        return f"{self._start(list_id)}{name}"

    def meta(self, list_id: str) -> str:
        """Returns `ListKeys.meta`."""
        return f"{self._start(list_id)}meta"

    @property
    def life(self) -> str:
        """String, used if INFO is forbidden: the life of the server that wrote the lists."""
        return f"{{{self.prefix}}}|life"

    @property
    def canary(self) -> str:
        """Sorted set that listeners write to, to check that notifications still arrive.

        Each write needs a new score, such as the time: an unchanged one notifies nothing. Each
        primary of a cluster has a canary, see `of_node`, as it notifies only of its own keys.
        """
        return f"{{{self.prefix}{self.node}}}|canary"

    def of_node(self, slots: Container[int]) -> "Keys":
        """Returns the same keys, with a canary for the node that has these slots, at least one."""
        candidates = (replace(self, node=f"@{number}") for number in count())
        return next(keys for keys in candidates if keys.canary_slot in slots)

    @property
    def canary_slot(self) -> int:
        """The slot of the canary in a cluster."""
        return key_slot(self.canary.encode())

    @property
    def view_changes(self) -> str:
        """Sorted set, `changes` → number of announced changes of views, sorts and queues, and of
        given threads that were opened."""
        return f"{{{self.prefix}}}|views"

    @property
    def unlisted(self) -> str:
        """Sorted set, member → number of the call that noted it: the latest changes of threads on
        no view, which no change log has."""
        return f"{{{self.prefix}}}|unlisted"

    def list_id_of(self, key: str) -> str | None:
        """Returns the list id of a live key; None for other keys, also for keys of a rebuild."""
        start = f"{{{self.prefix}:"
        list_id, brace, name = key.removeprefix(start).partition("}|")
        if list_id.partition(":")[0] == "queries":
            list_id, brace, name = name.partition("|")
        is_live = name != "next" and not name.startswith("next|")
        return list_id if key.startswith(start) and brace and is_live else None

    def changes_pattern(self, db: int = 0) -> str:
        """Returns the pattern of the channels of all `changes` keys; the message is the event."""
        return channel(f"{{{self.prefix}:*}}|changes", db)

    def loss_channels(self, db: int = 0) -> tuple[str, ...]:
        """Returns the keyevent channels that tell of lost keys; the message is the key, see
        `list_id_of`. A rebuild's swap notifies them, too (`del`, `rename_to`), but has a new epoch.
        """
        return tuple(f"__keyevent@{db}__:{event}" for event in LOSS_EVENTS)

    def _start_of_group(self, number: int) -> str:
        if self.groups == 1:
            return f"{{{self.prefix}:queries}}|"
        return _start_in_part(f"{self.prefix}:queries:{number}", number, self.groups)

    def _start(self, list_id: str) -> str:
        start = self.group(list_id).start
        return f"{start}{list_id}|" if is_query_list(list_id) else start


@lru_cache
def _start_in_part(name: str, number: int, parts: int) -> str:
    """Returns a hash tag with a slot in this part of all slots: nodes share the groups evenly."""
    starts = (f"{{{name}.{attempt}}}|" for attempt in count())
    return next(start for start in starts if key_slot(start.encode()) * parts // SLOTS == number)


@lru_cache
def _group(start: str, *, is_shared: bool) -> Group:
    return Group(
        start,
        f"{start}revisions",
        f"{start}left",
        f"{start}touched",
        f"{start}calls",
        f"{start}building",
        is_shared,
    )
