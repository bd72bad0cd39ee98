"""Bytes in Redis of an open thread, and of an entry of a saved view, by kind of server.

python -m bench.memory                        20,000 threads, on redis-server and on Valkey

Lineup builds the lists itself. An open thread has its places on all lists of the built-in views,
its share of their logs, and its revisions; bytes are those of `MEMORY USAGE`, summed over all keys.
A view has all open threads; an entry has its share of the log and of the group's revisions.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from bench.dataset import is_open
from bench.measure.views import Saved, Views, wait_until_built
from bench.processes import ROOT
from bench.saved_views import SavedView
from bench.sides.lineup import Lineup
from bench.sides.side import Setting
from scoring.sorts import SORTS
from tests.servers.redis import packaged_program, redis_program

RESULTS = ROOT / "bench" / "results" / "memory.json"


def measured(program: str, threads: int, views: int) -> dict[str, float | str]:
    """Returns the server's name, and bytes of a thread and of an entry of a view."""
    with _lineup(program, threads) as lineup:
        client = lineup.client()
        count = sum(map(is_open, range(1, threads + 1)))
        before = _bytes(client)
        saved = Saved(Views(threads, views), lineup)
        saved.save([_view(number) for number in range(views)])
        wait_until_built(lineup)
        entries = saved.entries()
        info = client.info("server")
        version = info.get("valkey_version", info["redis_version"])
        return {
            "server": f"{info.get('server_name', 'redis')} {version}",
            "bytes_an_open_thread": before / count,
            "bytes_an_entry": (_bytes(client) - before) / entries,
            "entries": entries,
        }


@contextmanager
def _lineup(program: str, threads: int) -> Iterator[Lineup]:
    with tempfile.TemporaryDirectory(prefix="lineup-memory-") as folder:
        place = Path(folder)
        setting = Setting(threads, redis_program=program)
        lineup = Lineup(setting, place / "lineup", place / "templates")
        try:
            lineup.start()
            yield lineup
        finally:
            lineup.stop()


def _view(number: int) -> SavedView:
    """Returns a view of all open threads, another one for each number."""
    return SavedView(f"Open {number}", f"is:open -tag:none-{number}", [*SORTS][number % len(SORTS)])


def _bytes(client: redis.Redis) -> int:
    keys = list(client.scan_iter(count=1_000))
    return sum(int(client.memory_usage(key, samples=0) or 0) for key in keys)


def main() -> None:
    made = argparse.ArgumentParser(prog="python -m bench.memory", description="Bytes in Redis.")
    made.add_argument("--threads", type=int, default=20_000)
    made.add_argument("--views", type=int, default=10)
    made.add_argument("--out", type=Path, default=RESULTS)
    given = made.parse_args()
    programs = (redis_program(), packaged_program())
    found = {"servers": [measured(path, given.threads, given.views) for path in programs]}
    given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
