"""How many threads an open list has with each filter, for those sockets that ask."""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from dashboard.db.lists.named_lists import ListName
from dashboard.live.queries.filtered_lists import Filtered, FilteredLists
from dashboard.live.socket_admins import SocketAdmins
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode


class Watched(NamedTuple):
    """The list of a socket, and the lists whose lengths are its totals."""

    name: ListName
    lists: Filtered


class FilterTotals:
    """Keeps the lists of the filters of one list for each socket, and sends how long they are.

    A list whose filter is then chosen is there already.
    """

    def __init__(self, lists: FilteredLists, emitter: Emitter, admins: SocketAdmins):
        self._lists = lists
        self._emitter = emitter
        self._admins = admins
        self._watched: dict[str, Watched] = {}
        #: What is read from SQL at the next turn: a list that was asked for, or is another one now.
        self._asked: dict[str, ListName] = {}
        self._sent: dict[str, dict[str, int]] = {}

    def __bool__(self) -> bool:
        return bool(self._watched or self._asked)

    @property
    def looked_at(self) -> Collection[str]:
        """Lists that are kept for the sake of their totals."""
        return {id for watched in self._watched.values() for id in watched.lists.temporary}

    def watch(self, sid: str, name: ListName) -> None:
        """Sends the socket the totals of this list, and of no other one any more."""
        self.drop(sid)
        self._asked[sid] = name

    def close(self, sid: str, name: ListName) -> None:
        """The socket has closed a list: its totals are not sent any more."""
        watched = self._watched.get(sid)
        if name == (watched.name if watched else self._asked.get(sid)):
            self.drop(sid)

    def drop(self, sid: str) -> None:
        """Sends the socket no totals any more."""
        self._watched.pop(sid, None)
        self._asked.pop(sid, None)
        self._sent.pop(sid, None)

    def views_changed(self, means_another: Callable[[ListName], bool]) -> None:
        """The names of which this holds may mean other lists now."""
        for sid, watched in self._watched.items():
            if means_another(watched.name):
                self._asked[sid] = watched.name

    def look_up(self) -> None:
        """Finds and keeps the lists that were asked for. Raises StorageUnavailable."""
        while self._asked:
            sid, name = next(iter(self._asked.items()))
            found = self._lists.find(name, self._admins[sid]) if sid in self._admins else None
            # Another one may have been asked for meanwhile.
            if self._asked.get(sid) == name:
                self.drop(sid)
                if found is not None:
                    self._watched[sid] = Watched(name, found)

    def send(self, changed: Collection[str], totals: Mapping[str, int]) -> None:
        """Sends what has changed; to whom nothing was sent yet, all that is known."""
        for sid, watched in [*self._watched.items()]:
            sent = self._sent.get(sid)
            if sent is not None and not any(id in changed for id in watched.lists.ids.values()):
                continue
            found = {each: totals[id] for each, id in watched.lists.ids.items() if id in totals}
            # A list that is lost is built anew: until then the last number stays.
            if found and found != sent and found.keys() >= (sent or found).keys():
                self._sent[sid] = found
                data = EncodedJson(encode(watched.name.to_json() | {"totals": found}))
                self._emitter.send(sid, "list:totals", data)
