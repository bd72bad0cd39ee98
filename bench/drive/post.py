"""Posts events at a rate, or as fast as they are answered, in its own process.

Reads one JSON line of settings, writes one JSON line of results. At a rate the time of an event
begins when it is due, even if no connection is free then.
"""

import asyncio
import json
import random
import sys
import time
from typing import Any

from bench.drive.wire import Http

#: Longest wait, after the last due event, for events that wait for a connection.
DRAIN_SECONDS = 60.0
#: A posted event: thread number, occurred_at in ms, due and answered in ns.
Posted = tuple[int, int, int, int]


class Poster:
    def __init__(self, settings: dict[str, Any]):
        self._settings = settings
        self._random = random.Random(settings.get("seed", 1))
        self._threads: list[int] = settings["threads"]
        self._last_ms = 0
        self._serial = 0
        self._run = settings["run"]
        self.posted: list[Posted] = []
        self.refused: list[str] = []

    def event(self) -> tuple[int, int, str]:
        """Makes (thread number, occurred_at, event in JSON); each time is later than the last."""
        thread = self._random.choice(self._threads)
        self._last_ms = at = max(self._last_ms + 1, time.time_ns() // 1_000_000)
        self._serial += 1
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at // 1000))
        text = (
            f'{{"id": "{self._run}-{self._serial}", "type": "message", "thread": "t-{thread}",'
            f' "occurred_at": "{moment}.{at % 1000:03}Z", "customer": {{"id": "c-{thread}"}},'
            f' "role": "client", "body": "Message {self._serial}: any news about my order?"}}'
        )
        return thread, at, text

    async def post(self, http: Http, due_ns: int, batch: int) -> None:
        made = [self.event() for _ in range(batch)]
        body = ",".join(text for _, _, text in made)
        if batch > 1:
            body = f'{{"events": [{body}]}}'
        marker = f"X-Bench-At: {made[-1][1]}\r\n"
        status, answer, _ = await http.request("POST", "/api/v1/events", body, marker)
        answered = time.monotonic_ns()
        if status not in (200, 201):
            self.refused.append(f"{status} {answer[:200].decode('utf-8', 'replace')}")
            return
        self.posted += [(thread, at, due_ns, answered) for thread, at, _ in made]

    async def at_a_rate(self) -> int:
        """Posts at a rate; returns how many events were left at the end."""
        rate, seconds = self._settings["rate"], self._settings["seconds"]
        queue: asyncio.Queue[int | None] = asyncio.Queue()
        workers = [asyncio.create_task(self._work(queue)) for _ in range(self._connections)]
        start = time.monotonic_ns() + 50_000_000
        for number in range(int(rate * seconds)):
            due = start + int(number * 1e9 / rate)
            await asyncio.sleep(max(0.0, (due - time.monotonic_ns()) / 1e9))
            queue.put_nowait(due)
        for _ in workers:
            queue.put_nowait(None)
        _, late = await asyncio.wait(workers, timeout=DRAIN_SECONDS)
        for worker in late:
            worker.cancel()
        return int(rate * seconds) - len(self.posted) - len(self.refused)

    async def as_fast_as_they_go(self) -> float:
        """Posts without pauses; returns the seconds that it took."""
        begin = time.monotonic()
        end = begin + self._settings["seconds"]

        async def work() -> None:
            http = self._http()
            while time.monotonic() < end:
                await self.post(http, time.monotonic_ns(), self._settings["batch"])

        await asyncio.gather(*(work() for _ in range(self._connections)))
        return time.monotonic() - begin

    @property
    def _connections(self) -> int:
        return self._settings.get("connections", 8)

    def _http(self) -> Http:
        headers = {"Content-Type": "application/json", **self._settings.get("headers", {})}
        return Http(self._settings["url"], headers)

    async def _work(self, queue: asyncio.Queue[int | None]) -> None:
        http = self._http()
        while (due := await queue.get()) is not None:
            await self.post(http, due, 1)


async def run(settings: dict[str, Any]) -> dict[str, Any]:
    poster = Poster(settings)
    left, cpu = 0, time.process_time()
    if settings.get("rate"):
        left = await poster.at_a_rate()
        seconds = float(settings["seconds"])
    else:
        seconds = await poster.as_fast_as_they_go()
    refused = poster.refused
    posted = poster.posted if settings.get("rate") else []
    return {
        "count": len(poster.posted),
        "seconds": seconds,
        "cpu_seconds": time.process_time() - cpu,
        "posted": posted,
        "left": left,
        "refused": len(refused),
        "refusals": sorted(set(refused))[:3],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(json.loads(sys.stdin.readline())))))
