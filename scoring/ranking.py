"""The order in Redis: places threads on sorted sets, and reads them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from redis.cluster import RedisCluster

from lua_scripts.runner import Args, LuaCall, text_of
from lua_scripts.servers import Client, run_id_of
from lua_scripts.sources import read_lua
from scoring.keys import (
    CLUSTER_GROUPS,
    KNOWN_KEYS,
    Keys,
    ListKeys,
    is_query_list,
    member,
    sort_of,
    thread_id,
)
from scoring.placing import PlacedLate, Placement, place_calls
from scoring.pulse import Pulse, Watch, read_pulse
from scoring.reading import Changes, Entry, Head, Known, State, changes, entries
from scoring.rebuilding import Rebuild
from scoring.server_life import LifeUnknown, RunId, ServerLife
from scoring.sorts import SORTS
from scoring.states import LOST, counts_in, state_calls

#: How long lists of an earlier release live on, on a cluster: that release may come back.
EARLIER_MS = 86_400_000
#: Members that one call removes.
REMOVED_PER_CALL = 200
#: Entries that count as the top of a list: a screen and a little more; see `Changes.on_top`.
TOP_ENTRIES = 30
#: Entries that `scan` reads at a time.
SCAN_ENTRIES = 5_000
#: Entries among which one call looks for members that are not threads (about 0.5 ms).
FOREIGN_ENTRIES = 2_000

_NAMES = (
    "begin",
    "fill",
    "foreign",
    "place",
    "pulse",
    "raise_revisions",
    "read",
    "remove",
    "since",
    "states",
    "swap",
    "totals",
    "unlisted",
)
#: Scripts that begin with the functions of another file.
_SHARED = {"place": "leaving", "begin": "lease"}
_SCRIPTS = {
    name: "".join(read_lua("scoring", part) for part in (_SHARED.get(name), name) if part)
    for name in _NAMES
}


class RankingLost(Exception):
    """Redis has lost data of these list ids, or never held them. Rebuild them."""

    def __init__(self, list_ids: Iterable[str]):
        self.list_ids = frozenset(list_ids)
        super().__init__(f"Redis does not hold {', '.join(sorted(self.list_ids))}")


class UnlistedChanges(NamedTuple):
    """`number`: that of the last change, to ask for later ones. `ids`: the threads that changed
    since the number that was asked for; None: they are not known any more."""

    number: int
    ids: set[int] | None


class Totals(NamedTuple):
    """The lengths of lists at one moment, by list id.

    `numbers`: for each group the number of the last call that changed a list. `is_whole`: all lists
    that may have changed are among them; else Redis has lost data.
    """

    numbers: tuple[int, ...]
    totals: dict[str, int]
    is_whole: bool


class Ranking:
    """The lists under one prefix. Raises redis.RedisError as it comes.

    Lists are also lost if Redis was started since they were rebuilt: see scoring/server_life.
    """

    def __init__(
        self,
        client: Client,
        prefix: str = "lineup",
        sorts: Iterable[str] = tuple(SORTS),
        run_id: RunId = run_id_of,
        groups: int | None = None,
    ):
        """`groups`: the number of groups of the lists of queries; None: one, or CLUSTER_GROUPS on
        a cluster."""
        most = CLUSTER_GROUPS if isinstance(client, RedisCluster) else 1
        self.keys = Keys(prefix, groups=groups or most)
        self.sorts = tuple(sorts)
        self._client = client
        self._life = ServerLife(client, _SCRIPTS, self.keys.life, run_id)
        self._groups = self.keys.shared_groups()
        self._list_keys: dict[str, ListKeys] = {}

    def sorts_of(self, list_id: str) -> Sequence[str]:
        """Returns the sorts in which Redis holds the threads of a list id."""
        return (sort_of(list_id),) if is_query_list(list_id) else self.sorts

    def keys_of(self, list_id: str) -> ListKeys:
        """Returns the keys of a list."""
        list_keys = self._list_keys.get(list_id)
        if list_keys is None:
            if len(self._list_keys) >= KNOWN_KEYS:
                self._list_keys.clear()
            list_keys = self._list_keys[list_id] = self.keys.of(list_id, self.sorts_of(list_id))
        return list_keys

    def place(self, placements: Sequence[Placement]) -> int:
        """Places threads in one round trip; they leave lists before they enter others.

        A revision older than the held one is refused, so calls may be repeated and may race.
        Returns the number of threads that changed, counted on each list id. Raises RankingLost if a
        view is lost (no epoch, or a log cut off); threads are placed on all other lists. A lost
        list in a shared group raises nothing: it may be in a rebuild, or no longer needed. Raises
        PlacedLate after all else is done.
        """
        calls = place_calls(placements, self.keys_of, self._groups, self.keys.unlisted)
        list_ids = {id for placement in placements for id in placement.lists}
        answers = self._run([call for call, _ in calls], list_ids)
        results = [result(answer) for (_, result), answer in zip(calls, answers, strict=True)]
        lost = {id for _, ids, _ in results for id in ids}
        if lost:
            raise RankingLost(lost)
        changed = sum(changed for changed, _, _ in results)
        late = {id for _, _, ids in results for id in ids}
        if late:
            raise PlacedLate(late, changed)
        return changed

    def head(self, list_id: str, sort: str, limit: int) -> Head:
        """Returns the first entries of a list. Raises RankingLost if the list id has no epoch."""
        return self._read(list_id, sort, "", "", limit)[0]

    def after(self, list_id: str, sort: str, score: int, id: int, limit: int) -> Head:
        """Returns the entries that follow (score, id), whether or not that entry is still there.

        Raises RankingLost if the list id has no epoch.
        """
        return self._read(list_id, sort, str(score), member(id), limit)[0]

    def through(
        self,
        list_id: str,
        sort: str,
        score: int,
        id: int,
        target_id: int,
        beyond: int = 20,
        most: int = 20_000,
    ) -> tuple[Head, int | None]:
        """Returns the entries that follow (score, id), up to `beyond` entries past the target, at
        most `most`; and the target's rank from 0. No entries and None if the target is not there.

        Raises RankingLost if the list id has no epoch.
        """
        return self._read(list_id, sort, str(score), member(id), beyond, member(target_id), most)

    def since(
        self, list_id: str, sorts: Sequence[str], epoch: str, version: int, limit: int
    ) -> Changes | None:
        """Returns the changes on the sorts of a list since a version; costs grow with them only.

        None if they are not known: the epoch is another one or lost, the version is not of this
        epoch, or more than `limit` threads changed. Then read the list again.
        """
        return self.since_all([Known(list_id, sorts, epoch, version)], limit)[0]

    def since_all(self, known: Sequence[Known], limit: int) -> list[Changes | None]:
        """Does `since` for many lists, in one round trip."""
        calls = []
        for base in known:
            list_keys = self.keys_of(base.list_id)
            keys = [list_keys.log, list_keys.meta]
            keys += [self.keys.sort(base.list_id, sort) for sort in base.sorts]
            calls.append(LuaCall("since", keys, [base.epoch, base.version, limit, TOP_ENTRIES]))
        answers = self._run(calls, [base.list_id for base in known]) if calls else []
        return [
            None if answer is None else changes(base.epoch, tuple(base.sorts), answer)
            for base, answer in zip(known, answers, strict=True)
        ]

    def rank(self, list_id: str, sort: str, id: int) -> tuple[int | None, int]:
        """Returns the thread's rank from 0 (None: not on the list), and the length of the list."""
        pipeline = self._client.pipeline(transaction=True)
        pipeline.zrank(self.keys.sort(list_id, sort), member(id))
        pipeline.zcard(self.keys.sort(list_id, sort))
        rank, total = pipeline.execute()
        return rank, total

    def count_below(self, list_id: str, sort: str, score: int) -> int:
        """Returns the number of threads of a list with a lower score; 0 if Redis lacks the list."""
        return self._client.zcount(self.keys.sort(list_id, sort), "-inf", f"({score}")

    def columns(self, ids: Mapping[str, Sequence[int]]) -> dict[str, list[list[float | None]]]:
        """Returns for each list id a column for each sort: the scores of these threads, as floats;
        None: not on the list. Takes one round trip.
        """
        members = {id: member(id) for thread_ids in ids.values() for id in thread_ids}
        pipeline = self._client.pipeline(transaction=False)
        list_ids = [list_id for list_id, thread_ids in ids.items() if thread_ids]
        for list_id in list_ids:
            names = [members[id] for id in ids[list_id]]
            for key in self.keys_of(list_id).sorts:
                pipeline.zmscore(key, names)
        answers = iter(pipeline.execute() if list_ids else [])
        return {list_id: [next(answers) for _ in self.sorts_of(list_id)] for list_id in list_ids}

    def states(
        self, list_ids: Iterable[str], known: Mapping[str, State] | None = None
    ) -> dict[str, State]:
        """Returns the epoch, version and total of each list id, in one round trip.

        `known`: states of views that were read before, perhaps none. If given, the states of views
        also have the number of each admin's threads; numbers that did not change cost nothing.
        """
        names = list(list_ids)
        calls = list(state_calls(map(self.keys_of, names), known))
        states: dict[str, State] = {}
        try:
            answers = self._life.run_all([call for call, _ in calls])
        except LifeUnknown:
            return dict.fromkeys(names, LOST)
        for (_, result), answer in zip(calls, answers, strict=True):
            states |= result(answer)
        return {list_id: states[list_id] for list_id in names}

    def counts(self, list_ids: Sequence[str]) -> dict[str, dict[int, int]]:
        """Returns for each list, even a lost one, the number of threads by assignee (0: nobody)."""
        pipeline = self._client.pipeline(transaction=False)
        for list_id in list_ids:
            pipeline.hgetall(self.keys.meta(list_id))
        return dict(zip(list_ids, map(counts_in, pipeline.execute()), strict=True))

    def pulse(self) -> Pulse | None:
        """Returns the pulse, which differs after each change of any list; None: all are lost."""
        return read_pulse(self._client, self.keys, self._life)

    def watch(self, list_ids: Iterable[str]) -> Watch:
        """Watches these lists: `Watch.end` says whether any program has written to them."""
        lists = map(self.keys_of, list_ids)
        return Watch(self._client, (key for keys in lists for key in (*keys.sorts, keys.meta)))

    def notice_restarts(self) -> None:
        """Asks Redis whether it was started again: then all lists are lost.

        Every call notices a start by itself if the server has lost the scripts; a server that keeps
        them with its data (6.2) must be asked.
        """
        with suppress(LifeUnknown):
            self._life.renew()

    def scan(self, list_id: str, sort: str) -> Iterator[list[Entry]]:
        """Yields the whole list in order, in batches; moving entries may come twice or not at all.

        Raises RankingLost if the list id has no epoch.
        """
        score: bytes | str = ""
        name: bytes | str = ""
        while flat := self._answer(list_id, sort, [score, name, SCAN_ENTRIES, "", SCAN_ENTRIES])[4]:
            yield entries(flat)
            name, score = flat[-2:]

    def remove_foreign_members(self, list_id: str) -> int:
        """Removes members that are not thread ids from the lists; returns how many.

        Raises RankingLost.
        """
        foreign = sorted(
            {name for sort in self.sorts_of(list_id) for name in self._foreign(list_id, sort)}
        )
        list_keys = self.keys_of(list_id)
        keys = [*list_keys.sorts, list_keys.log, list_keys.meta]
        for first in range(0, len(foreign), REMOVED_PER_CALL):
            names = foreign[first : first + REMOVED_PER_CALL]
            self._run([LuaCall("remove", keys, names)], [list_id])
        return len(foreign)

    def remove(self, list_ids: Iterable[str]) -> None:
        """Removes lists that nobody needs any more, half-built ones, too."""
        for list_id in list_ids:
            keys = self.keys_of(list_id)
            own = [*keys.placed, *keys.filled, keys.next, keys.lease]
            if keys.group.is_shared:
                self._client.unlink(*own)
                self._client.srem(keys.group.building, list_id)
                # Last: a process that dies before this leaves a name by which the rest is found.
                self._client.zrem(keys.group.touched, list_id)
            else:
                self._client.unlink(*own, keys.group.revisions, keys.group.left)

    def begin_rebuild(
        self, list_ids: Iterable[str], *, seen: Mapping[str, str | None] | None = None
    ) -> Rebuild:
        """Begins to rebuild the lists of these list ids, beside the live ones.

        `Rebuild.list_ids`: the lists that were begun, without lists that another rebuild makes.
        `seen`: the epochs that were read before, or None; leaves out lists that were built since.
        """
        return Rebuild(self._client, self._life, map(self.keys_of, list_ids), seen=seen)

    # Shared groups

    def last_changes(self, list_ids: Sequence[str]) -> dict[str, int | None]:
        """Returns the number of the call that last changed each list; None: not known."""
        pipeline = self._client.pipeline(transaction=False)
        shared: dict[str, list[str]] = {}
        for list_id in list_ids:
            shared.setdefault(self.keys_of(list_id).group.touched, []).append(list_id)
        for touched, names in shared.items():
            pipeline.zmscore(touched, names)
        answers = pipeline.execute() if shared else []
        numbers = {
            list_id: None if number is None else int(number)
            for names, scores in zip(shared.values(), answers, strict=True)
            for list_id, number in zip(names, scores, strict=True)
        }
        return {list_id: numbers[list_id] for list_id in list_ids}

    def totals(self, since: Sequence[int] | None) -> Totals:
        """Returns the lengths of lists that calls after the numbers `since` changed; None: of all.

        Leaves out lists that are lost or were never built.
        """
        before = since or [-1] * len(self._groups)
        calls = [
            LuaCall("totals", [group.touched, group.calls], [number, group.start])
            for group, number in zip(self._groups, before, strict=True)
        ]
        try:
            answers = self._life.run_all(calls)
        except LifeUnknown:
            return Totals((0,) * len(calls), {}, is_whole=False)
        lengths = {
            text_of(name): total
            for _, names, totals in answers
            for name, total in zip(names, totals, strict=True)
        }
        numbers = tuple(number for number, _, _ in answers)
        is_whole = all(now >= number for now, number in zip(numbers, before, strict=True))
        return Totals(numbers, lengths, is_whole)

    def unlisted_since(self, number: int | None) -> UnlistedChanges:
        """Returns the threads on no view (snoozed, archived) that changed after a call's number.

        None: no number is known yet. Raises RedisError.
        """
        with self._client.pipeline(transaction=False) as pipeline:
            # Read first: a change in between is read once more.
            pipeline.zrange(self.keys.unlisted, -1, -1, withscores=True)
            pipeline.zrange(self.keys.unlisted, 0, 0, withscores=True)
            pipeline.zrangebyscore(self.keys.unlisted, f"({number or 0}", "+inf")
            newest, oldest, names = pipeline.execute()
        last = int(newest[0][1]) if newest else 0
        first = int(oldest[0][1]) if oldest else 1
        if number is None or last < number or first > number + 1:
            return UnlistedChanges(last, None)
        return UnlistedChanges(last, {id for name in names if (id := thread_id(name)) is not None})

    def progress(self, list_id: str) -> float | None:
        """Returns the progress (0 to 1) of the rebuild of a list; None if there is no rebuild."""
        list_keys = self.keys_of(list_id)
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.exists(list_keys.lease)
            pipeline.hget(list_keys.next, "progress")
            is_under_way, progress = pipeline.execute()
        return float(progress or 0.0) if is_under_way else None

    def held_lists(self) -> set[str]:
        """Returns the lists in shared groups that have keys in Redis, needed or not."""
        pipeline = self._client.pipeline(transaction=False)
        for group in self._groups:
            pipeline.zrange(group.touched, 0, -1)
        return {text_of(name) for names in pipeline.execute() for name in names}

    def held_revisions(self, list_ids: Iterable[str], ids: Collection[int]) -> dict[int, float]:
        """Maps thread ids to the latest revision that the groups of these lists hold.

        Leaves out values that are no numbers; placing ignores them, too.
        """
        names = [member(id) for id in ids]
        pipeline = self._client.pipeline(transaction=False)
        for key in {self.keys_of(list_id).group.revisions for list_id in list_ids}:
            pipeline.hmget(key, names)
        revisions: dict[int, float] = {}
        for values in pipeline.execute() if names else ():
            for id, value in zip(ids, values, strict=True):
                with suppress(ValueError):
                    revision = float(text_of(value or "").partition(":")[0])
                    revisions[id] = max(revision, revisions.get(id, revision))
        return revisions

    def expire_undivided(self) -> None:
        """Lets the lists of earlier releases expire, which were in one group instead of many."""
        if len(self._groups) == 1:
            return
        earlier = replace(self.keys, groups=1)
        [group] = earlier.shared_groups()
        names = [group.revisions, group.left, group.touched, group.calls, group.building]
        for name in map(text_of, self._client.zrange(group.touched, 0, -1)):
            names += earlier.of(name, self.sorts_of(name)).placed
        pipeline = self._client.pipeline(transaction=False)
        for name in names:
            pipeline.pexpire(name, EARLIER_MS)
        pipeline.execute()

    def forget_shared_revisions(self) -> None:
        """Forgets the revisions of shared groups, which no rebuild of their lists forgets."""
        for group in self._groups:
            self._client.unlink(group.revisions, group.left)

    def _read(
        self,
        list_id: str,
        sort: str,
        score: str,
        after: str,
        count: int,
        target: str = "",
        most: int = 0,
    ) -> tuple[Head, int | None]:
        args: Args = [score, after, count, target, most if target else count]
        epoch, version, total, rank, flat = self._answer(list_id, sort, args)
        rows = entries(flat)
        foreign = len(flat) // 2 - len(rows)
        if foreign and not target:
            # Foreign members do not count towards the limit: else a walk would end at them.
            limit = count
            while foreign and len(rows) < limit and len(flat) // 2 >= count:
                count += 2 * foreign
                args = [score, after, count, "", count]
                epoch, version, total, rank, flat = self._answer(list_id, sort, args)
                rows = entries(flat)
                foreign = len(flat) // 2 - len(rows)
            rows = rows[:limit]
        return Head(text_of(epoch), int(version), total, rows), rank

    def _foreign(self, list_id: str, sort: str) -> Iterator[bytes]:
        cursor: bytes | int = 0
        while True:
            call = LuaCall("foreign", [self.keys.sort(list_id, sort)], [cursor, FOREIGN_ENTRIES])
            [[cursor, names]] = self._run([call], [list_id])
            yield from names
            if int(cursor) == 0:
                return

    def _answer(self, list_id: str, sort: str, args: Args) -> list[Any]:
        keys = [self.keys.sort(list_id, sort), self.keys.meta(list_id)]
        [answer] = self._run([LuaCall("read", keys, args)], [list_id])
        if answer is None:
            raise RankingLost([list_id])
        return answer

    def _run(self, calls: Sequence[LuaCall], list_ids: Iterable[str]) -> list[Any]:
        # Every script may be repeated, and threads leave lists before they enter others.
        try:
            return self._life.run_all(calls)
        except LifeUnknown as error:
            raise RankingLost(list_ids) from error
