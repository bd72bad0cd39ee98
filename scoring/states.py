"""The calls that ask for the epochs, versions and lengths of many lists."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from lua_scripts.runner import Args, LuaCall, text_of
from scoring.keys import ListKeys
from scoring.reading import State

#: Lists that one call asks for: Redis serves no other client meanwhile (about 1 ms).
LISTS_PER_CALL = 250
LOST = State(None, 0, 0)

States = dict[str, State]


class StateCall(NamedTuple):
    """A call, and the function that makes the states of its lists of its answer."""

    call: LuaCall
    result: Callable[[Any], States]


def state_calls(
    lists: Iterable[ListKeys], known: Mapping[str, State] | None
) -> Iterator[StateCall]:
    """Yields one call for each view, and one for every LISTS_PER_CALL lists of a shared group."""
    shared: dict[str, list[ListKeys]] = {}
    for keys in lists:
        if keys.group.is_shared:
            shared.setdefault(keys.group.start, []).append(keys)
            continue
        names = [*keys.sorts, keys.log, keys.meta, keys.group.revisions, keys.assigned]
        args: Args = [len(keys.sorts), 1]
        before = LOST if known is None else known.get(keys.list_id, LOST)
        if known is not None:
            args = [*args, before.epoch or "", before.version]
        result = _with_counts(keys.list_id, before.assigned)
        yield StateCall(LuaCall("states", names, args), result)
    for group in shared.values():
        for first in range(0, len(group), LISTS_PER_CALL):
            some = group[first : first + LISTS_PER_CALL]
            names = [name for keys in some for name in keys.placed]
            call = LuaCall("states", names, [len(some[0].sorts), 0])
            yield StateCall(call, _result([keys.list_id for keys in some]))


def counts_in(meta: Mapping[Any, Any]) -> dict[int, int]:
    """Returns the number of threads by assignee (0: nobody), as the `meta` of a list has it."""
    pairs = ((text_of(name).partition(":"), number) for name, number in meta.items())
    return {int(id): int(number) for (kind, _, id), number in pairs if kind == "of"}


def _result(list_ids: Sequence[str]) -> Callable[[Any], States]:
    def result(answer: Any) -> States:
        rows = zip(list_ids, answer[::3], answer[1::3], answer[2::3], strict=True)
        return {
            list_id: State(text_of(epoch), int(version), total) if epoch else LOST
            for list_id, epoch, version, total in rows
        }

    return result


def _with_counts(list_id: str, counts: Mapping[int, int]) -> Callable[[Any], States]:
    """Returns the function for the call of a view; `counts`: the numbers known before."""

    def result(answer: Any) -> States:
        [state] = _result([list_id])(answer[:3]).values()
        if state.epoch is None:
            return {list_id: LOST}
        assigned: Mapping[int, int] = {}
        if len(answer) > 4:
            admins, numbers, are_all = answer[4:]
            changed = zip(map(int, admins), (int(number or 0) for number in numbers), strict=True)
            assigned = ({} if are_all else {**counts}) | dict(changed)
        uneven = bool(answer[3])
        return {list_id: State(state.epoch, state.version, state.total, uneven, assigned)}

    return result
