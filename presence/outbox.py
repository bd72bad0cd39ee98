"""Times of last seen, on their way to lasting storage."""

from typing import Any, NamedTuple

from redis.exceptions import ResponseError

from presence.people import People
from presence.scripts import text_of
from presence.states import parsed

#: What a consumer took and did not finish within this, in milliseconds, another takes over.
ABANDONED_MS = 60_000


class Departure(NamedTuple):
    """When a person was last seen, and as far as others may know; store the greater of each."""

    person: str
    last_seen: int | None
    public_last_seen: int | None


class Outbox:
    """One consumer of a namespace's announcements; each goes to one of the group.

    `read_once`, store, `done`: what is not done is read again, so storing must stand a replay.
    """

    def __init__(self, people: People, group: str = "storage", consumer: str = "one"):
        self._people = people
        self._group = group
        self._consumer = consumer
        self._open: list[tuple[str, list[Any]]] = []

    def read_once(self, limit: int = 1_000) -> list[Departure]:
        """Up to about `limit` of the oldest, one a person, from all shards."""
        latest: dict[str, Departure] = {}
        taken = 0
        for shard in range(self._people.space.shards):
            stream = self._people.space.events(shard)
            entries = self._read(stream, limit - taken) if taken < limit else []
            if entries:
                self._open.append((stream, [name for name, _ in entries]))
            taken += len(entries)
            for _, parts in entries:
                if parts:
                    departure = _departure(parsed(next(iter(parts.values()))))
                    latest[departure.person] = _later(latest.get(departure.person), departure)
        return list(latest.values())

    def done(self) -> None:
        """What was read is stored."""
        opened, self._open = self._open, []
        for stream, names in opened:
            self._people.client.xack(stream, self._group, *names)

    def _read(self, stream: str, limit: int) -> list[Any]:
        try:
            return self._take(stream, limit)
        except ResponseError as error:
            if "NOGROUP" not in str(error):
                raise
        self._make_group(stream)
        return self._take(stream, limit)

    def _take(self, stream: str, limit: int) -> list[Any]:
        client: Any = self._people.client
        abandoned = client.xautoclaim(
            stream, self._group, self._consumer, ABANDONED_MS, count=limit
        )[1]
        if abandoned:
            return [entry for entry in abandoned if entry[0] is not None]
        answer = client.xreadgroup(self._group, self._consumer, {stream: ">"}, count=limit)
        streams = answer.items() if isinstance(answer, dict) else answer or ()
        return [entry for _, found in streams for entry in _flat(found)]

    def _make_group(self, stream: str) -> None:
        try:
            self._people.client.xgroup_create(stream, self._group, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise


def _flat(found: Any) -> list[Any]:
    """RESP3 nests a stream's entries once more than RESP2."""
    return found[0] if found and isinstance(found[0], list) else found


def _departure(event: dict[str, Any]) -> Departure:
    truth = event.get("t") or event["p"]
    return Departure(text_of(event["u"]), truth.get("l"), event["p"].get("l"))


def _later(one: Departure | None, other: Departure) -> Departure:
    if one is None:
        return other
    return Departure(
        other.person,
        max(one.last_seen or 0, other.last_seen or 0) or None,
        max(one.public_last_seen or 0, other.public_last_seen or 0) or None,
    )
