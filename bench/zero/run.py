"""One run: a table, servers, desks and changes of one size; and whether its notes are right."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from bench.latency import spread
from bench.zero.oracle import HEAD, Oracle, State
from bench.zero.servers import LOAD_SECONDS, Cost, Process, Servers
from bench.zero.table import Row, fill, rows, store, whats
from bench.zero.views import View, views_without_time
from tests.support import now_ms

#: Badges that count all threads of a view, and badges that count up to a hundred.
BADGES = ("full", "capped")
#: The first changes are compared but not timed: programs are not warm yet.
WARM_SECONDS = 5
#: How long the desks may take to reach the last change.
REACH_SECONDS = 60
DESKS_A_PROCESS = 10
#: A note of a desk: `seq`, `at` in ms, `counts` and `head`.
Note = dict[str, Any]


class Size(NamedTuple):
    threads: int = 1_000
    views: int = 5
    desks: int = 2
    rate: float = 10
    badges: str = "capped"
    seconds: float = 20
    workers: int = 1


class Change(NamedTuple):
    row: Row
    committed_ms: float


def measured(size: Size) -> dict[str, Any]:
    """Returns what a run of this size found. Raises BenchError."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-zero-")))
        servers = Servers(stack, folder)
        base = list(rows(size.threads, now_ms()))
        views = views_without_time(size.views)
        connection = stack.enter_context(psycopg.connect(servers.address, autocommit=True))
        fill(connection, iter(base))
        begun = time.monotonic()
        servers.start([view.condition for view in views], size.badges, size.workers)
        copied = time.monotonic() - begun
        clients, loads = _loaded(servers, size.desks)
        before, begun = servers.cost(), time.monotonic()
        changes = list(_changes(connection, base, size))
        took = time.monotonic() - begun
        late = _reached(clients, len(changes))
        costs = _costs(before, servers.cost(), time.monotonic() - begun)
        notes = servers.notes()
    return {
        **size._asdict(),
        "copy_seconds": round(copied, 2),
        **loads,
        "changes": len(changes),
        "rate_kept": round(len(changes) / took, 1),
        "last_change_seconds": round(late, 2),
        **_times(changes, notes, int(WARM_SECONDS * size.rate)),
        **compared(base, views, changes, notes, size),
        **costs,
    }


def _loaded(servers: Servers, desks: int) -> tuple[list[Process], dict[str, float]]:
    """Starts all desks but the last together, and then the last one alone."""
    groups = [*range(0, desks - 1, DESKS_A_PROCESS), desks - 1, desks]
    clients = [servers.clients(first, behind - first) for first, behind in pairwise(groups[:-1])]
    together = [ms for client in clients for ms in client.answer(seconds=LOAD_SECONDS)]
    last = servers.clients(desks - 1, 1)
    [alone] = last.answer(seconds=LOAD_SECONDS)
    loads = {"load_alone_seconds": round(alone / 1_000, 2)}
    if together:
        loads["load_together_seconds"] = round(max(together) / 1_000, 2)
    return [*clients, last], loads


def _changes(connection: psycopg.Connection, base: list[Row], size: Size) -> Iterator[Change]:
    """Changes threads at the rate, and yields each change after its commit."""
    found = {row.id: row for row in base}
    count, begun = int((size.seconds + WARM_SECONDS) * size.rate), time.monotonic()
    for seq, (id, what) in enumerate(whats(count, size.threads), 1):
        time.sleep(max(0, begun + seq / size.rate - time.monotonic()))
        row = found[id] = found[id].after(what, now_ms(), seq)
        store(connection, row)
        yield Change(row, time.time() * 1_000)


def _reached(clients: Sequence[Process], last: int) -> float:
    """Waits until all desks have the last change; returns the seconds that it took."""
    begun = time.monotonic()
    for client in clients:
        client.say(last)
    for client in clients:
        client.answer(seconds=REACH_SECONDS)
    return time.monotonic() - begun


def _times(changes: Sequence[Change], notes: Sequence[list[Note]], warm: int) -> dict[str, Any]:
    """Returns the spread of the ms from each commit until the last desk was exact."""
    until = [0.0] * (len(changes) + 1)
    for desk in notes:
        for before, after in pairwise(desk):
            for seq in range(before["seq"] + 1, after["seq"] + 1):
                until[seq] = max(until[seq], after["at"])
    found = [until[seq] - change.committed_ms for seq, change in enumerate(changes, 1)][warm:]
    ms = spread(found) | {"max": round(max(found), 2)}
    return {"exact_ms": ms, "notes": sum(map(len, notes))}


def compared(
    base: Sequence[Row],
    views: Sequence[View],
    changes: Sequence[Change],
    notes: Sequence[list[Note]],
    size: Size,
) -> dict[str, Any]:
    """Returns how many notes were compared, and how many badges and lists of them were wrong."""
    listed = [desk % len(views) for desk in range(len(notes))]
    oracle = Oracle(base, views, set(listed))
    states = [oracle.state]
    for change in changes:
        oracle.change(change.row)
        states.append(oracle.state)
    wrong = [
        _wrong(note, states[note["seq"]], view, size.badges)
        for view, desk in zip(listed, notes, strict=True)
        for note in desk
    ]
    return {
        "wrong_badges": sum(badges for badges, _ in wrong),
        "wrong_lists": sum(lists for _, lists in wrong),
        "mean_threads_of_a_view": round(sum(states[0].counts) / len(views)),
    }


def _wrong(note: Note, state: State, view: int, badges: str) -> tuple[int, int]:
    expected = [min(count, HEAD) if badges == "capped" else count for count in state.counts]
    differing = sum(a != b for a, b in zip(note["counts"], expected, strict=True))
    return differing, note["head"] != state.heads[view]


def _costs(before: Cost, after: Cost, seconds: float) -> dict[str, Any]:
    """Returns the used cores and the memory of each kind of process."""
    used = {kind: after.seconds[kind] - before.seconds[kind] for kind in after.seconds}
    return {
        "cores": {kind: round(each / seconds, 2) for kind, each in used.items()},
        "memory_mib": {kind: round(each / 2**20) for kind, each in after.memory.items()},
    }
