"""The calls that ask for the epochs, versions and lengths of many lists."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from lua_scripts.runner import LuaCall, text_of
from scoring.keys import Keys, is_query_list
from scoring.placing import keys_of_query
from scoring.reading import State

#: Lists of queries that one call asks for: Redis serves no other client meanwhile (about 1 ms).
LISTS_PER_CALL = 250
LOST = State(None, 0, 0)

States = dict[str, State]


class StateCall(NamedTuple):
    """A call, and how its answer becomes the states of its lists."""

    call: LuaCall
    result: Callable[[Any], States]


def state_calls(list_ids: Iterable[str], keys: Keys, sorts: Sequence[str]) -> Iterator[StateCall]:
    """One call for each list id of a view, and one for each few hundred lists of queries."""
    queries = []
    for list_id in list_ids:
        if is_query_list(list_id):
            queries.append(list_id)
        else:
            names = [keys.sort(list_id, sort) for sort in sorts]
            names += [keys.changes(list_id), keys.meta(list_id), keys.revisions(list_id)]
            yield StateCall(LuaCall("state", names), _of_view(list_id))
    for first in range(0, len(queries), LISTS_PER_CALL):
        some = queries[first : first + LISTS_PER_CALL]
        names = [name for list_id in some for name in keys_of_query(keys.prefix, list_id)]
        yield StateCall(LuaCall("queries/states", names), _of_queries(some))


def _of_view(list_id: str) -> Callable[[Any], States]:
    def result(answer: Any) -> States:
        epoch, version, total, uneven, counts = answer
        known = None if epoch is None else text_of(epoch)
        assigned = dict(zip(map(int, counts[::2]), map(int, counts[1::2]), strict=True))
        return {list_id: State(known, int(version), total, bool(uneven), assigned)}

    return result


def _of_queries(list_ids: Sequence[str]) -> Callable[[Any], States]:
    def result(answer: Any) -> States:
        found = zip(list_ids, answer[::3], answer[1::3], answer[2::3], strict=True)
        return {
            list_id: State(text_of(epoch), int(version), total) if epoch else LOST
            for list_id, epoch, version, total in found
        }

    return result
