"""Heartbeats of a worker's connections, sent in batches; lost connections are opened again."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from presence.people import REOPENED, Beat, Connection, People
from presence.settings import Settings

#: Connections that one flush opens again, to bound the load on a Redis that lost its data.
MAX_REOPENED = 250

#: Maps people to their settings, if these are known; called in bulk.
SettingsOf = Callable[[Sequence[str]], Mapping[str, Settings]]
#: Returns the given people that must not be opened, because their data were deleted.
DeletedOf = Callable[[Sequence[str]], Collection[str]]


@dataclass
class _Live:
    connection: Connection
    hidden: bool = False


class Heartbeats:
    """The live connections of one worker, by (person, connection id).

    Call `flush_once` about twice a second. A connection that Redis has lost is opened again with
    its person's settings; people without settings from `settings_of` stay hidden.
    """

    def __init__(self, people: People, settings_of: SettingsOf):
        self._people = people
        self._settings_of = settings_of
        self._live: dict[tuple[str, str], _Live] = {}
        self._marked: dict[tuple[str, str], None] = {}
        self._grace_ms = 0
        self._refusals = 0

    def __len__(self) -> int:
        return len(self._live)

    @property
    def are_refused(self) -> bool:
        """Whether Redis did not take the last heartbeats, which were sent twice. Each flush sends
        them again."""
        return self._refusals > 1

    def add(self, connection: Connection) -> bool:
        """Opens a connection: its person is online at once. Returns whether that was announced."""
        self._live[connection.person, connection.id] = _Live(connection)
        return self._open_all([connection])[0]

    def mark(self, person: str, connection: str) -> None:
        """Sends a heartbeat for the connection at the next flush, after a pong or a message."""
        if (person, connection) in self._live:
            self._marked[person, connection] = None

    def mark_all(self) -> None:
        """Sends a heartbeat for every connection at the next flushes, after Redis lost its data."""
        self._marked.update(dict.fromkeys(self._live))

    def report(self, person: str, connection: str, active: bool, hidden: bool = False) -> None:
        """Takes the browser's report; only a change of `active` is sent to Redis at once."""
        live = self._live.get((person, connection))
        if not live:
            return
        self.mark(person, connection)
        live.hidden = hidden
        if live.connection.active != active:
            self._people.idle(person, connection, active)
            live.connection = live.connection._replace(active=active)

    def drop(
        self, person: str, connection: str, grace_ms: int = 0, was_silent: bool = False
    ) -> None:
        """Closes the connection, as `People.close` does."""
        self._marked.pop((person, connection), None)
        if self._live.pop((person, connection), None):
            self._people.close(person, connection, grace_ms, was_silent)

    def drain(self) -> None:
        """Closes all connections, with time to come back at another worker."""
        self._grace_ms = self._people.timing.drain_grace_ms
        ended, self._live, self._marked = list(self._live), {}, {}
        self._people.close_all_of(ended, self._grace_ms)

    def flush_once(self, max_reopened: int = MAX_REOPENED) -> int:
        """Sends the marked heartbeats; returns how many connections were opened again."""
        marked, self._marked = self._marked, {}
        try:
            unknown = self._people.beat([self._beat(key) for key in marked if key in self._live])
        except Exception:
            self._marked = {**marked, **self._marked}
            self._refusals += 1
            raise
        self._refusals = 0
        lost = [(beat.person, beat.connection) for beat in unknown]
        connections = [
            self._live[key].connection._replace(opened_ms=REOPENED)
            for key in lost
            if key in self._live
        ]
        self._marked.update(dict.fromkeys(lost[max_reopened:]))
        try:
            self._open_all(connections[:max_reopened])
        except Exception:
            self._marked.update(dict.fromkeys(lost))
            raise
        return len(connections[:max_reopened])

    def _open_all(self, connections: Sequence[Connection]) -> list[bool]:
        announced = open_all(self._people, connections, self._settings_of)
        opened = [(one.person, one.id) for one in connections]
        # They ended while their settings were read: their closing came before their opening.
        ended = [key for key in opened if key not in self._live]
        if ended:
            self._people.close_all_of(ended, self._grace_ms)
        return announced

    def _beat(self, key: tuple[str, str]) -> Beat:
        live = self._live[key]
        lifetime_ms = self._people.timing.lifetime_ms(live.connection.type, live.hidden)
        return Beat(*key, lifetime_ms)


def open_all(
    people: People, connections: Sequence[Connection], settings_of: SettingsOf
) -> list[bool]:
    """Opens connections with their people's settings; returns whether each was announced."""
    if not connections:
        return []
    settings = settings_of(list(dict.fromkeys(one.person for one in connections)))
    return people.open_all([(one, settings.get(one.person), None) for one in connections])


def accept_beats(
    people: People,
    connections: Sequence[Connection],
    settings_of: SettingsOf,
    deleted_of: DeletedOf = lambda names: (),
) -> int:
    """Takes heartbeats of connections that this worker does not hold, such as those over HTTP.

    A first beat opens its connection, unless `deleted_of` returns the person. Returns the number of
    opened ones.
    """
    beats = {
        (one.person, one.id): Beat(
            one.person, one.id, people.timing.lifetime_ms(one.type), one.active, one.opened_ms
        )
        for one in connections
    }
    by_id = {(one.person, one.id): one for one in connections}
    unknown = people.beat(list(beats.values()))
    names = list(dict.fromkeys(beat.person for beat in unknown))
    deleted = deleted_of(names) if names else ()
    fresh = [by_id[beat.person, beat.connection] for beat in unknown if beat.person not in deleted]
    open_all(people, fresh, settings_of)
    return len(fresh)
