"""Holds the dashboards of one side in their own process, which gets commands line by line.

The first line holds the settings; then each line is a command, answered with one line of JSON:
`reset`, `report` (what has come since), `held` (the content of the dashboards), `held all` (the
content of each dashboard with a whole list), `reconnect` (all at once).
"""

import asyncio
import gc
import json
import sys
import time
from typing import Any

from bench.drive import clients, views
from bench.drive.clients import Dashboard
from bench.drive.payloads import Payloads

#: Dashboards that open at the same time, unless all must.
OPENING = 20


class Dashboards:
    def __init__(self, settings: dict[str, Any]):
        self._payloads = Payloads()
        make = (clients.KINDS | views.KINDS)[settings["kind"]]
        self._whole = int(settings.get("whole", 0))
        self._dashboards = [
            make(settings, self._payloads, n) for n in range(settings["dashboards"])
        ]

    async def open(self, at_once: int = OPENING) -> list[float]:
        """Opens the dashboards; returns how many ms each took."""
        turn = asyncio.Semaphore(at_once)

        async def one(dashboard: Dashboard) -> float:
            async with turn:
                begun = time.monotonic()
                await dashboard.open()
                return 1000 * (time.monotonic() - begun)

        return list(await asyncio.gather(*map(one, self._dashboards)))

    async def do(self, command: str) -> Any:
        if command == "reset":
            self._payloads.clear()
            for dashboard in self._dashboards:
                dashboard.reset()
            return True
        if command == "report":
            seen = [
                payload["seen"] if isinstance(payload, dict) else payload
                for payload in self._payloads.seen
            ]
            return {
                "payloads": seen,
                "dashboards": [dashboard.report() for dashboard in self._dashboards],
            }
        if command == "held":
            held = [await dashboard.held() for dashboard in self._dashboards]
            problems = [problem for dashboard in self._dashboards for problem in dashboard.problems]
            # A whole list is long, so only one dashboard reports it.
            return {"held": held[:1], "same": _same(held), "problems": problems[:5]}
        if command == "held all":
            return [await dashboard.held() for dashboard in self._dashboards[: self._whole]]
        if command == "reconnect":
            begun = time.monotonic()
            for dashboard in self._dashboards:
                dashboard.close()
            took = await self.open(len(self._dashboards))
            return {"ms": took, "all_ms": 1000 * (time.monotonic() - begun)}
        raise ValueError(command)


def _same(held: list[Any]) -> bool:
    heads = [each["head"] if isinstance(each, dict) else each for each in held]
    return all(head == heads[0] for head in heads)


async def main() -> None:
    reader = asyncio.StreamReader(limit=2**26)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    dashboards = Dashboards(json.loads(await reader.readline()))
    gc.freeze()
    print(json.dumps(await dashboards.open()), flush=True)
    while line := await reader.readline():
        print(json.dumps(await dashboards.do(line.decode().strip())), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
