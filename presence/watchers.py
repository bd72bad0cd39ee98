"""Who watches whom: the registry of one worker, told by announcements."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from presence.errors import TooMany
from presence.people import People
from presence.states import Portrait, Relation, State, Viewer, portrait, same

#: People that one watcher may watch.
MOST_WATCHED = 500

#: (watcher, states that changed for it).
Publish = Callable[[Hashable, dict[str, State]], None]


@dataclass
class _Watch:
    """One watcher of one person: what it was told, whether it is related (None: not asked)."""

    viewer: Viewer
    told: State
    related: bool | None = None


class Watchers:
    """Keeps what sockets were told equal to what is so; a `Source` for a Feed.

    Privacy comes before publishing: a watcher gets what it may know, and nothing where that did
    not change. `flush_once` publishes what changed since the last call, one message a watcher;
    the host's pace is the rate. `on_lost` is called when Redis has lost its data.
    """

    def __init__(
        self,
        people: People,
        publish: Publish,
        related: Relation | None = None,
        on_lost: Callable[[], None] = lambda: None,
        most_watched: int = MOST_WATCHED,
    ):
        self._people = people
        self._publish = publish
        self._related = related
        self._on_lost = on_lost
        self._most_watched = most_watched
        self._known: dict[str, Portrait] = {}
        self._watches: dict[str, dict[Hashable, _Watch]] = defaultdict(dict)
        self._watched: dict[Hashable, set[str]] = defaultdict(set)
        self._changed: set[str] = set()
        self._refilling: set[int] = set()

    def watch(
        self,
        watcher: Hashable,
        viewer: Viewer,
        add: Sequence[str] = (),
        drop: Iterable[str] = (),
    ) -> dict[str, State]:
        """Watches some people and no longer others. Returns the states of those added.

        Raises TooMany, and changes nothing, where that would be more than it may watch.
        """
        gone = set(drop)
        if len((self._watched.get(watcher, set()) - gone) | set(add)) > self._most_watched:
            raise TooMany(f"at most {self._most_watched} people are watched at a time")
        for person in gone:
            self._drop(watcher, person)
        if not add:
            return {}
        # In the registry before the reading, so that what is announced meanwhile is not missed.
        for person in add:
            self._watches[person].setdefault(watcher, _Watch(viewer, _nothing()))
            self._watched[watcher].add(person)
        self._learn(self._people.portraits(add))
        return self._tell(watcher, viewer, add)

    def forget(self, watcher: Hashable) -> None:
        """The watcher is gone."""
        for person in list(self._watched.get(watcher, ())):
            self._drop(watcher, person)
        self._watched.pop(watcher, None)

    def reconsider(self, people: Iterable[str]) -> None:
        """Relations to these people changed: they are asked for again."""
        for person in people:
            for watch in self._watches.get(person, {}).values():
                watch.related = None
            if person in self._known:
                self._changed.add(person)

    def flush_once(self) -> int:
        """Publishes what changed; returns how many watchers were told."""
        changed, self._changed = self._changed, set()
        self._ask(changed)
        told: dict[Hashable, dict[str, State]] = defaultdict(dict)
        for person in changed & self._known.keys():
            for watcher, watch in self._watches.get(person, {}).items():
                state = self._known[person].seen_by(watch.viewer, bool(watch.related))
                if same(state, watch.told):
                    continue
                state = {**state, "v": max(state["v"], watch.told["v"] + 1)}
                watch.told = state
                told[watcher][person] = state
        for watcher, states in told.items():
            self._publish(watcher, states)
        return len(told)

    def contacts(self) -> list[str]:
        """Those watched whose state is for contacts alone."""
        return [person for person, one in self._known.items() if one.audience == "contacts"]

    def __len__(self) -> int:
        return len(self._known)

    def channels(self) -> Mapping[str, int]:
        space = self._people.space
        return {space.channel(shard): shard for shard in range(space.shards)}

    def log(self, shard: int) -> Sequence[str]:
        return self._people.space.log(shard)

    def calm_ms(self) -> int:
        return self._people.timing.calm_ms

    def apply(self, event: Mapping[str, Any]) -> None:
        """An announcement; those about people whom nobody here watches are dropped."""
        person = event["u"]
        if not self._watches.get(person):
            return
        heard = portrait(person, str(event["ep"]), int(event["n"]), int(event["v"]), event)
        known = self._known.get(person)
        if known and self._comes_back(known, heard):
            return
        if known and not event["b"]:
            heard = replace(heard, audience=known.audience, public=known.public)
        self._learn({person: heard})

    def reread(self, shard: int) -> None:
        self._refilling.discard(shard)
        watched = [who for who in self._watches if self._people.space.shard_of(who) == shard]
        self._learn(self._people.portraits(watched))

    def lost(self, shard: int) -> None:
        self._refilling.add(shard)
        self._on_lost()

    def _comes_back(self, known: Portrait, heard: Portrait) -> bool:
        """While a lost shard fills again, connection by connection, only a status is news."""
        refilling = self._people.space.shard_of(known.person) in self._refilling
        return refilling and known.truth["status"] == heard.truth["status"] != "offline"

    def _learn(self, portraits: Mapping[str, Portrait]) -> None:
        for person, found in portraits.items():
            known = self._known.get(person)
            older = known and known.epoch == found.epoch and known.n > found.n
            if self._watches.get(person) and not older:
                self._known[person] = found
                self._changed.add(person)

    def _tell(self, watcher: Hashable, viewer: Viewer, people: Sequence[str]) -> dict[str, State]:
        self._ask(people)
        states: dict[str, State] = {}
        for person in people:
            watch = self._watches.get(person, {}).get(watcher)
            if watch is None:
                continue
            watch.viewer = viewer
            states[person] = self._known[person].seen_by(viewer, bool(watch.related))
            watch.told = states[person]
        return states

    def _ask(self, people: Iterable[str]) -> None:
        """Whether watchers are related to those whose state is for contacts, in bulk."""
        asked: dict[str, dict[str, list[_Watch]]] = defaultdict(lambda: defaultdict(list))
        for person in people:
            known = self._known.get(person)
            if known is None or known.audience != "contacts":
                continue
            for watch in self._watches.get(person, {}).values():
                if watch.related is None:
                    asked[watch.viewer.id][person].append(watch)
        for viewer_id, watches in asked.items():
            try:
                close = set(self._related(viewer_id, list(watches)) if self._related else ())
            except Exception:  # whatever a handed-in function raises, it uncovers nobody
                self._changed.update(watches)
                continue
            for person, ones in watches.items():
                for watch in ones:
                    watch.related = person in close

    def _drop(self, watcher: Hashable, person: str) -> None:
        self._watched.get(watcher, set()).discard(person)
        watches = self._watches.get(person, {})
        watches.pop(watcher, None)
        if not watches:
            self._watches.pop(person, None)
            self._known.pop(person, None)


def _nothing() -> State:
    return {
        "status": "", "last_seen": None, "devices": [],
        "text": "", "activity": "", "at": 0, "v": 0,
    }  # fmt: skip
