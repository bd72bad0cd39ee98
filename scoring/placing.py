"""Where threads belong, and the calls that place them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from lua_scripts.runner import LuaCall
from scoring.keys import Keys, member, sort_of
from scoring.unlisted import UNLISTED_ENTRIES

#: Threads that one call places: Redis serves no other client meanwhile (about 1 ms).
THREADS_PER_CALL = 200
#: Places on lists of queries that one call takes (about 5 ms).
PLACES_PER_CALL = 1_000
#: Changes that the log of a query's list keeps, and that of a view's: a dashboard that missed more
#: reads the list again.
LOG_ENTRIES = 200
VIEW_LOG_ENTRIES = 5_000
#: Threads that left the lists of a list id, or the last list of a query, whose revisions are kept:
#: a call that comes later than that many others leave may put one back, until it is repaired.
LEFT_ENTRIES = 1_000
#: Stands for the revision of a thread that SQL does not have: it leaves lists, whatever revision
#: Redis holds, and this is forgotten, too.
GONE = -1
#: Lists whose keys a process remembers.
KNOWN_KEYS = 10_000


class Placement(NamedTuple):
    """Where a thread belongs as of a revision: the views that it enters, with a score for each
    sort, and those that it leaves (or is not on).

    `queries`: the same for lists of queries: list id → score in its sort, None where it leaves. On
    lists of `unordered` it keeps the score that it has there; on those that are not named it
    `stays`. `assignee_id`: who has the thread, counted on each view.
    """

    thread_id: int
    revision: int
    leave: frozenset[str]
    enter: frozenset[str]
    scores: tuple[int, ...]
    queries: Mapping[str, int | None] = MappingProxyType({})
    assignee_id: int | None = None
    unordered: Collection[str] = frozenset()
    stays: bool = False


class PlacedLate(Exception):
    """A later revision of threads is on lists of queries already. These lists share the revisions,
    so this one is refused there, and what it would have removed stays. Place them on every list.

    `changed` is how many threads changed, counted on each list id.
    """

    def __init__(self, thread_ids: Iterable[int], changed: int):
        self.thread_ids = frozenset(thread_ids)
        self.changed = changed
        super().__init__(f"a later revision of {len(self.thread_ids)} threads is placed already")


#: The number of changes, the list ids that are lost, and the threads of which lists of queries hold
#: a later revision.
Result = tuple[int, set[str], set[int]]


class PlaceCall(NamedTuple):
    """A call, and how its answer becomes (number of changes, lost list ids, late threads)."""

    call: LuaCall
    result: Callable[[Any], Result]


def place_calls(
    placements: Sequence[Placement], keys: Keys, sorts: Sequence[str]
) -> list[PlaceCall]:
    """The calls that place threads; they leave lists before they enter others."""
    return [
        *_on_views(placements, keys, sorts),
        *_on_queries(placements, keys),
        *_on_no_view(placements, keys),
    ]


def _on_views(
    placements: Sequence[Placement], keys: Keys, sorts: Sequence[str]
) -> Iterator[PlaceCall]:
    leaving: dict[str, list[list[str]]] = defaultdict(list)
    entering: dict[str, list[list[str]]] = defaultdict(list)
    for placement in placements:
        name, revision = member(placement.thread_id), str(placement.revision)
        off = [name, revision, "", *("" for _ in sorts)]
        on = [name, revision, counted_as(placement.assignee_id), *map(str, placement.scores)]
        for list_id in placement.leave - placement.enter:
            leaving[list_id].append(off)
        for list_id in placement.enter:
            entering[list_id].append(on)
    for places in (leaving, entering):
        for list_id, rows in places.items():
            names = [keys.sort(list_id, sort) for sort in sorts]
            names += [keys.changes(list_id), keys.meta(list_id), keys.revisions(list_id)]
            names += [keys.next(list_id), keys.left(list_id), keys.assigned(list_id)]
            for first in range(0, len(rows), THREADS_PER_CALL):
                args: list[str | int] = [VIEW_LOG_ENTRIES, LEFT_ENTRIES]
                args += [value for row in rows[first : first + THREADS_PER_CALL] for value in row]
                yield PlaceCall(LuaCall("place", names, args), _view_result(list_id))


def counted_as(assignee_id: int | None) -> str:
    """What a thread is counted as on a view: the id of its assignee, or `0`."""
    return str(assignee_id or 0)


def _view_result(list_id: str) -> Callable[[Any], Result]:
    return lambda changed: (0, {list_id}, set()) if changed < 0 else (changed, set(), set())


def _on_queries(placements: Sequence[Placement], keys: Keys) -> Iterator[PlaceCall]:
    batch: list[Placement] = []
    places = 0
    for placement in placements:
        # Who leaves all views may have a revision here, of a list that is no more.
        if not placement.queries and (placement.enter or not placement.leave):
            continue
        if batch and (
            places + len(placement.queries) > PLACES_PER_CALL or len(batch) == THREADS_PER_CALL
        ):
            yield _query_call(batch, keys)
            batch, places = [], 0
        batch.append(placement)
        places += len(placement.queries)
    if batch:
        yield _query_call(batch, keys)


def _on_no_view(placements: Sequence[Placement], keys: Keys) -> Iterator[PlaceCall]:
    """Whoever has such a thread open, or is concerned by what happens in it, hears of it, too."""
    names = [member(placement.thread_id) for placement in placements if not placement.enter]
    for first in range(0, len(names), THREADS_PER_CALL):
        args: list[str | int] = [UNLISTED_ENTRIES, *names[first : first + THREADS_PER_CALL]]
        yield PlaceCall(
            LuaCall("unlisted", [keys.unlisted], args), lambda answer: (0, set(), set())
        )


def _query_call(batch: Sequence[Placement], keys: Keys) -> PlaceCall:
    """Places each thread on all its lists: they share the revision that it leaves there."""
    numbers: dict[str, int] = {}
    args: list[str | int] = []
    for placement in batch:
        places = ["stays"] if placement.stays else []
        for list_id, score in placement.queries.items():
            number = numbers.get(list_id)
            if number is None:
                number = numbers[list_id] = len(numbers) + 1
            sign = "+" if list_id in placement.unordered else "="
            places.append(f"{number}{sign}" if score is None else f"{number}{sign}{score}")
        # One argument for all places: each one costs more than what it says.
        args += [member(placement.thread_id), placement.revision, " ".join(places)]
    list_ids, named = list(numbers), {each.thread_id for each in batch if each.queries}
    names = [keys.touched, keys.query_calls, keys.query_revisions, keys.query_left]
    for list_id in list_ids:
        names += keys_of_query(keys.prefix, list_id)
    return PlaceCall(
        LuaCall("queries/place", names, [LOG_ENTRIES, LEFT_ENTRIES, " ".join(list_ids), *args]),
        lambda answer: (
            answer[0],
            {list_ids[number - 1] for number in answer[1]},
            # What names no list leaves nothing behind where it is refused.
            named.intersection(map(int, answer[2])),
        ),
    )


@lru_cache(maxsize=KNOWN_KEYS)
def keys_of_query(prefix: str, list_id: str) -> tuple[str, str, str]:
    """Sort, log and meta of a list: an event names those of hundreds of lists."""
    keys = Keys(prefix)
    return keys.sort(list_id, sort_of(list_id)), keys.changes(list_id), keys.meta(list_id)
