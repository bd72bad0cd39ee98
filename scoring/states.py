"""The calls that ask for the epochs, versions and lengths of many lists."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lua_scripts.runner import Args, LuaCall, text_of
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


def state_calls(
    list_ids: Iterable[str], keys: Keys, sorts: Sequence[str], known: Mapping[str, State] | None
) -> Iterator[StateCall]:
    """One call for each view, and one for each few hundred lists of queries."""
    queries = []
    for list_id in list_ids:
        if is_query_list(list_id):
            queries.append(list_id)
        else:
            names = [keys.sort(list_id, sort) for sort in sorts]
            names += [keys.changes(list_id), keys.meta(list_id), keys.revisions(list_id)]
            names.append(keys.assigned(list_id))
            before = LOST if known is None else known.get(list_id, LOST)
            since: Args = [] if known is None else [before.epoch or "", before.version]
            yield StateCall(LuaCall("state", names, since), _of_view(list_id, before.assigned))
    for first in range(0, len(queries), LISTS_PER_CALL):
        some = queries[first : first + LISTS_PER_CALL]
        names = [name for list_id in some for name in keys_of_query(keys.prefix, list_id)]
        yield StateCall(LuaCall("queries/states", names), _of_queries(some))


def counts_in(meta: Mapping[Any, Any]) -> dict[int, int]:
    """Admin to how many threads of a view the admin has, 0: nobody, in its `meta`."""
    named = ((text_of(name).partition(":"), number) for name, number in meta.items())
    return {int(id): int(number) for (kind, _, id), number in named if kind == "of"}


def _of_view(list_id: str, known: Mapping[int, int]) -> Callable[[Any], States]:
    """`known`: the numbers that were known before."""

    def result(answer: Any) -> States:
        epoch, version, total, uneven, admins, numbers, are_all = answer
        if epoch is None:
            return {list_id: LOST}
        changed = zip(map(int, admins), (int(number or 0) for number in numbers), strict=True)
        assigned = ({} if are_all else {**known}) | dict(changed)
        return {list_id: State(text_of(epoch), int(version), total, bool(uneven), assigned)}

    return result


def _of_queries(list_ids: Sequence[str]) -> Callable[[Any], States]:
    def result(answer: Any) -> States:
        found = zip(list_ids, answer[::3], answer[1::3], answer[2::3], strict=True)
        return {
            list_id: State(text_of(epoch), int(version), total) if epoch else LOST
            for list_id, epoch, version, total in found
        }

    return result
