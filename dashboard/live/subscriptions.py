"""The subscriptions of sockets to lists, each with the version that was sent last."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dashboard.db.lists.named_lists import ListName

#: Maximum number of reads of a list in one turn: subscribers that lag behind share the last read.
READ_GROUPS_MAX = 4


@dataclass(eq=False)
class Subscriber:
    """One list on one socket; `unacknowledged_since` in monotonic seconds.

    `missed`: the list was due while a frame was unacknowledged; it is read again afterwards.
    """

    sid: str
    list: ListName
    epoch: str
    version: int
    unacknowledged_since: float | None = None
    missed: bool = False
    is_unsubscribed: bool = False


@dataclass
class ReadGroup:
    """Subscribers that one read serves: all have version `since` or a later one."""

    epoch: str
    since: int
    subscribers: list[Subscriber]

    def sorts(self) -> list[str]:
        return sorted({subscriber.list.sort for subscriber in self.subscribers})


@dataclass
class ListSubscriptions:
    """The subscribers of one list id."""

    subscribers: dict[tuple[str, ListName], Subscriber] = field(default_factory=dict)

    def read_groups(self) -> list[ReadGroup]:
        """Returns few groups of subscribers that may get a frame, the newest versions first."""
        ready = []
        for subscriber in self.subscribers.values():
            if subscriber.unacknowledged_since is None:
                ready.append(subscriber)
            else:
                subscriber.missed = True
        ready.sort(key=lambda subscriber: (subscriber.epoch, -subscriber.version))
        groups: list[ReadGroup] = []
        for subscriber in ready:
            last = groups[-1] if groups else None
            if (
                last
                and last.epoch == subscriber.epoch
                and (last.since == subscriber.version or len(groups) >= READ_GROUPS_MAX)
            ):
                last.subscribers.append(subscriber)
                last.since = subscriber.version
            else:
                groups.append(ReadGroup(subscriber.epoch, subscriber.version, [subscriber]))
        return groups


class Subscriptions:
    """All subscriptions of this worker."""

    def __init__(self) -> None:
        self._subscriptions: dict[str, ListSubscriptions] = {}
        self._lists: dict[str, dict[ListName, str]] = {}

    def __contains__(self, list_id: str) -> bool:
        return list_id in self._subscriptions

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._subscriptions))

    def subscribers(self) -> Iterable[Subscriber]:
        return [
            subscriber
            for list_subscriptions in self._subscriptions.values()
            for subscriber in list_subscriptions.subscribers.values()
        ]

    def read_groups(self, list_id: str) -> list[ReadGroup]:
        list_subscriptions = self._subscriptions.get(list_id)
        return list_subscriptions.read_groups() if list_subscriptions else []

    def subscribe(self, list_id: str, sid: str, list: ListName, epoch: str, version: int) -> None:
        """Subscribes a socket that holds the list at this version; frames go on from there."""
        if self._lists.get(sid, {}).get(list, list_id) != list_id:
            self.unsubscribe(sid, list)  # Its name meant another list before.
        list_subscriptions = self._subscriptions.setdefault(list_id, ListSubscriptions())
        subscriber = list_subscriptions.subscribers.get((sid, list))
        if subscriber is None:
            list_subscriptions.subscribers[sid, list] = Subscriber(sid, list, epoch, version)
            self._lists.setdefault(sid, {})[list] = list_id
        else:
            subscriber.epoch, subscriber.version = epoch, version

    def unsubscribe(self, sid: str, list: ListName) -> None:
        lists = self._lists.get(sid, {})
        list_id = lists.pop(list, None)
        if list_id is not None:
            self._remove(list_id, sid, list)
        if not lists:
            self._lists.pop(sid, None)

    def drop(self, sid: str) -> None:
        """Removes all subscriptions of a closed socket."""
        for list in tuple(self._lists.get(sid, ())):
            self.unsubscribe(sid, list)

    def lists_of(self, sid: str) -> dict[ListName, str]:
        """Maps the subscribed lists of a socket to their list ids."""
        return dict(self._lists.get(sid, {}))

    def views_of(self, sid: str) -> set[str | None]:
        """Returns the views of a socket's lists, with None among them if one is a query."""
        return {list.view for list in self._lists.get(sid, ())}

    def _remove(self, list_id: str, sid: str, list: ListName) -> None:
        list_subscriptions = self._subscriptions[list_id]
        list_subscriptions.subscribers.pop((sid, list)).is_unsubscribed = True
        if not list_subscriptions.subscribers:
            del self._subscriptions[list_id]
