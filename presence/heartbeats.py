"""Signs of life of a worker's connections, sent in batches; lost ones are opened anew."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from presence.people import ANEW, Beat, Connection, People
from presence.settings import Settings

#: Connections that one flush opens anew, so that a flushed Redis is not stormed.
MOST_REOPENED = 250

#: People -> the settings of those that are known; asked in bulk.
SettingsOf = Callable[[Sequence[str]], Mapping[str, Settings]]


@dataclass
class _Live:
    connection: Connection
    hidden: bool = False


class Heartbeats:
    """The live connections of one worker, by (person, connection id).

    The host calls `flush_once` about twice a second. A connection that Redis does not know any
    more is opened anew, with its settings; whoever `settings_of` does not name stays hidden.
    """

    def __init__(self, people: People, settings_of: SettingsOf):
        self._people = people
        self._settings_of = settings_of
        self._live: dict[tuple[str, str], _Live] = {}
        self._marked: dict[tuple[str, str], None] = {}

    def __len__(self) -> int:
        return len(self._live)

    def add(self, connection: Connection) -> bool:
        """A connection is there: online at once. Returns whether that was announced."""
        self._live[connection.person, connection.id] = _Live(connection)
        return open_all(self._people, [connection], self._settings_of)[0]

    def mark(self, person: str, connection: str) -> None:
        """Anything was heard of the connection: a pong, any message."""
        if (person, connection) in self._live:
            self._marked[person, connection] = None

    def mark_all(self) -> None:
        """Redis lost everything: every connection shows itself at the next flushes."""
        self._marked.update(dict.fromkeys(self._live))

    def report(self, person: str, connection: str, active: bool, hidden: bool = False) -> None:
        """What the browser says of itself; only a change of `active` goes to Redis at once."""
        live = self._live.get((person, connection))
        if not live:
            return
        self.mark(person, connection)
        live.hidden = hidden
        if live.connection.active != active:
            self._people.idle(person, connection, active)
            live.connection = live.connection._replace(active=active)

    def drop(self, person: str, connection: str, grace_ms: int = 0) -> None:
        """The connection ended; with a grace, unless it comes back."""
        self._marked.pop((person, connection), None)
        if self._live.pop((person, connection), None):
            self._people.close(person, connection, grace_ms)

    def drain(self) -> None:
        """The worker stops: its connections have time to come back elsewhere."""
        ended, self._live, self._marked = list(self._live), {}, {}
        self._people.close_all_of(ended, self._people.timing.drain_ms)

    def flush_once(self, most_reopened: int = MOST_REOPENED) -> int:
        """Sends what is marked; returns how many connections were opened anew."""
        marked, self._marked = self._marked, {}
        try:
            unknown = self._people.beat([self._beat(one) for one in marked if one in self._live])
        except Exception:
            self._marked = {**marked, **self._marked}
            raise
        lost = [(beat.person, beat.connection) for beat in unknown]
        found = [
            self._live[one].connection._replace(opened_ms=ANEW) for one in lost if one in self._live
        ]
        self._marked.update(dict.fromkeys(lost[most_reopened:]))
        open_all(self._people, found[:most_reopened], self._settings_of)
        return len(found[:most_reopened])

    def _beat(self, key: tuple[str, str]) -> Beat:
        live = self._live[key]
        lifetime_ms = self._people.timing.lifetime_ms(live.connection.type, live.hidden)
        return Beat(*key, lifetime_ms)


def open_all(
    people: People, connections: Sequence[Connection], settings_of: SettingsOf
) -> list[bool]:
    """Opens connections with their people's settings, asked for in bulk."""
    if not connections:
        return []
    settings = settings_of(list(dict.fromkeys(one.person for one in connections)))
    return people.open_all([(one, settings.get(one.person), None) for one in connections])


def accept(people: People, connections: Sequence[Connection], settings_of: SettingsOf) -> int:
    """Beats of connections that this worker does not hold, as they come in over HTTP.

    Says what each connection is, so that a first beat opens it. Returns how many were opened.
    """
    beats = {
        (one.person, one.id): Beat(
            one.person, one.id, people.timing.lifetime_ms(one.type), one.active, one.opened_ms
        )
        for one in connections
    }
    known = {(one.person, one.id): one for one in connections}
    unknown = people.beat(list(beats.values()))
    found = [known[beat.person, beat.connection] for beat in unknown]
    open_all(people, found, settings_of)
    return len(found)
