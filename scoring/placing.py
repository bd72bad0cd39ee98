"""Placements of threads on lists, and the calls that carry them out."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from lua_scripts.runner import LuaCall
from scoring.keys import Group, ListKeys, member

#: Maximum number of threads in one call: Redis serves no other client meanwhile (about 1 ms).
THREADS_PER_CALL = 200
#: Maximum number of places on lists in one call (about 5 ms).
PLACES_PER_CALL = 1_000
#: Changes that the log of a query's list keeps, and the log of a view: a dashboard that missed more
#: reads the list again.
LOG_ENTRIES = 200
VIEW_LOG_ENTRIES = 5_000
#: Threads that left the last list of a group and keep their revision there. Once more have left, a
#: late call may put a thread back, until it is repaired.
LEFT_ENTRIES = 1_000
#: Changes of threads on no view that are noted: a process that has missed more of them looks at
#: all threads that concern it.
UNLISTED_ENTRIES = 1_000
#: The revision of a thread that SQL does not have: the thread leaves lists, whatever revision Redis
#: holds, and the held revision is forgotten.
GONE = -1

#: A thread's score in each sort of a list; None: it leaves the list.
Scores = Sequence[int] | None


class Placement(NamedTuple):
    """The place of a thread as of a revision: on each list a score for each of its sorts; None: it
    leaves the list.

    On lists of `unordered` it keeps the score that it has there; `stays`: it is also on lists that
    are not named. `assignee_id`: the admin who has the thread, which some lists count.
    `is_shown`: its row or its conversation has changed, not only its lists. `frees`: a queue may
    hand it out now, or give its former admin another thread.
    """

    thread_id: int
    revision: int
    lists: Mapping[str, Scores] = MappingProxyType({})
    assignee_id: int | None = None
    unordered: Collection[str] = frozenset()
    stays: bool = False
    is_shown: bool = True
    frees: bool = False


class PlacedLate(Exception):
    """A shared group holds a later revision of some threads already, so it refused these placements
    and their removals. Place the threads on every list.

    `changed`: the number of threads that changed, counted on each list id.
    """

    def __init__(self, thread_ids: Iterable[int], changed: int):
        self.thread_ids = frozenset(thread_ids)
        self.changed = changed
        super().__init__(f"a later revision of {len(self.thread_ids)} threads is placed already")


#: The number of changes, the list ids that are lost, and the late threads: a shared group holds a
#: later revision of them.
Result = tuple[int, set[str], set[int]]


class PlaceCall(NamedTuple):
    """A call, and the function that makes a Result of its answer."""

    call: LuaCall
    result: Callable[[Any], Result]


def place_calls(
    placements: Sequence[Placement],
    keys_of: Callable[[str], ListKeys],
    shared_groups: Sequence[Group],
    unlisted: str,
) -> list[PlaceCall]:
    """Returns the calls that place threads; threads leave views before they enter other lists.

    `unlisted`: the key that notes threads on no view.
    """
    calls = _Calls(keys_of, shared_groups)
    unnoticed: list[str] = []
    for placement in placements:
        if not calls.add(placement) and placement.is_shown:
            unnoticed.append(member(placement.thread_id))
    return [*calls.calls(), *_notes(unnoticed, unlisted)]


@dataclass
class _Batch:
    """One call: lists, each with its number, and three arguments for each thread."""

    numbers: dict[str, int] = field(default_factory=dict)
    args: list[str | int] = field(default_factory=list)
    places: int = 0
    #: The threads that are on some of these lists, or leave them.
    named: set[int] = field(default_factory=set)


class _Batches:
    """The calls that place threads on the lists of one group."""

    def __init__(self, group: Group, keys_of: Callable[[str], ListKeys]):
        self._group = group
        self._keys_of = keys_of
        self.is_shared = group.is_shared
        self._batch = _Batch()
        self.batches = [self._batch]
        #: The numbers of the lists in the call that takes the next thread.
        self.numbers = self._batch.numbers

    def begin(self, placement: Placement) -> list[str]:
        """Returns the texts before a thread's places; begins a new call if this one is full."""
        batch = self._batch
        is_full = len(batch.args) == 3 * THREADS_PER_CALL
        if batch.args and (is_full or batch.places + len(placement.lists) > PLACES_PER_CALL):
            self._batch = _Batch()
            self.batches.append(self._batch)
            self.numbers = self._batch.numbers
        if not self.is_shared:
            return [f"@{placement.assignee_id or 0}"]
        return ["stays"] if placement.stays else []

    def add(self, placement: Placement, texts: Sequence[str]) -> None:
        """Adds a thread with the texts of its places."""
        batch = self._batch
        # One argument for all places: an argument costs more than its contents.
        batch.args += [member(placement.thread_id), placement.revision, " ".join(texts)]
        batch.places += len(texts)
        if texts and texts[-1] != "stays":
            batch.named.add(placement.thread_id)

    def call(self, batch: _Batch) -> PlaceCall:
        """Returns the call of a batch."""
        group = self._group
        names, list_ids = [group.revisions, group.left], list(batch.numbers)
        for list_id in list_ids:
            list_keys = self._keys_of(list_id)
            names += list_keys.sorts if group.is_shared else list_keys.placed
        sorts = len(self._keys_of(list_ids[0]).sorts) if list_ids else 1
        args: list[str | int] = [VIEW_LOG_ENTRIES, LEFT_ENTRIES, sorts, 1, ""]
        if group.is_shared:
            names += [group.touched, group.calls]
            args = [LOG_ENTRIES, LEFT_ENTRIES, sorts, 0, " ".join(list_ids) or " "]

        def result(answer: Any) -> Result:
            changed, lost, refused = answer
            if not group.is_shared:
                return changed, {list_ids[number - 1] for number in lost}, set()
            # A refused placement without lists leaves no revision behind.
            return changed, set(), batch.named.intersection(map(int, refused))

        return PlaceCall(LuaCall("place", names, args + batch.args), result)


class _Calls:
    """The calls of all groups. Threads leave views before they enter other lists."""

    def __init__(self, keys_of: Callable[[str], ListKeys], shared_groups: Sequence[Group]):
        self._keys_of = keys_of
        self._shared = {group.start: _Batches(group, keys_of) for group in shared_groups}
        self._leaving: dict[str, _Batches] = {}
        self._entering: dict[str, _Batches] = {}

    def add(self, placement: Placement) -> bool:
        """Adds a thread; returns whether it is on a view."""
        texts: dict[_Batches, list[str]] = {}
        unordered = placement.unordered
        is_listed = was_listed = False
        for list_id, scores in placement.lists.items():
            by_list = self._leaving if scores is None else self._entering
            batches = by_list.get(list_id)
            if batches is None:
                group = self._keys_of(list_id).group
                batches = self._shared.get(group.start) or _Batches(group, self._keys_of)
                by_list[list_id] = batches
            places = texts.get(batches)
            if places is None:
                places = texts[batches] = batches.begin(placement)
            if not batches.is_shared:
                was_listed = True
                is_listed |= scores is not None
            numbers = batches.numbers
            number = numbers.get(list_id)
            if number is None:
                number = numbers[list_id] = len(numbers) + 1
            sign = "+" if list_id in unordered else "="
            if scores is None:
                places.append(f"{number}{sign}")
            elif len(scores) == 1:
                places.append(f"{number}{sign}{scores[0]}")
            else:
                places.append(f"{number}{sign}{','.join(map(str, scores))}")
        for batches in self._shared.values() if was_listed and not is_listed else ():
            # Each group may hold its revision, from a list that no longer exists.
            if batches not in texts:
                texts[batches] = batches.begin(placement)
        for batches, places in texts.items():
            batches.add(placement, places)
        return is_listed

    def calls(self) -> list[PlaceCall]:
        """Returns the calls of all groups, without calls that have no threads."""
        batches = [*self._leaving.values(), *self._entering.values(), *self._shared.values()]
        return [
            group_batches.call(batch)
            for group_batches in dict.fromkeys(batches)
            for batch in group_batches.batches
            if batch.args
        ]


def _notes(names: Sequence[str], unlisted: str) -> Iterator[PlaceCall]:
    """Yields calls that note these threads, so that admins who have one open see the change."""
    for first in range(0, len(names), THREADS_PER_CALL):
        args: list[str | int] = [UNLISTED_ENTRIES, *names[first : first + THREADS_PER_CALL]]
        yield PlaceCall(LuaCall("unlisted", [unlisted], args), lambda answer: (0, set(), set()))
