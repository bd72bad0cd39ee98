"""A policy changes while events come: their delay, and the time until each thread follows."""

import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.dataset import is_open
from bench.processes import BenchError, wait_for
from bench.sides.lineup import Lineup
from bench.sides.side import Setting

#: Longest time until each thread follows a change.
FOLLOW_SECONDS = 600.0
#: Length of each run of events.
SECONDS = 10.0
CALENDAR = {
    "name": "Weekdays",
    "timezone": "Asia/Ho_Chi_Minh",
    "week": {day: [["09:00", "12:00"], ["13:00", "18:00"]] for day in ("mon", "tue", "wed", "fri")},
    "exceptions": [{"date": "2027-01-01", "intervals": []}],
}


@dataclass(frozen=True)
class Policies:
    """A changed policy. Six of ten threads wait: more than 100,000 of 170,000."""

    threads: int = 170_000
    rate: float = 100.0
    rounds: int = 2
    seconds: float = SECONDS


def run(bench: Policies, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    lineup = Lineup(Setting(bench.threads), folder / "lineup", templates)
    rounds: list[dict[str, Any]] = []
    try:
        lineup.start()
        desk = _Desk(lineup, bench)
        for number in range(bench.rounds):
            if number and time.monotonic() > deadline:
                break
            rounds.append({"lineup": desk.change(number)})
    finally:
        lineup.stop()
    return {"bench": "policies", "scenario": asdict(bench), "rounds": rounds, "broken": {}}


class _Desk:
    """A supervisor with one calendar and one policy for every thread."""

    def __init__(self, lineup: Lineup, bench: Policies):
        self._lineup, self._bench = lineup, bench
        self._targets = [number for number in range(1, bench.threads + 1) if is_open(number)]
        calendar = self._call("POST", "calendars", CALENDAR)["calendar"]["id"]
        self._policy = {"name": "All", "query": "", "calendar": calendar, "next_reply": 120}
        body = self._policy | {"first_reply": 30}
        self._id = self._call("POST", "policies", body)["policy"]["id"]
        wait_for(self._all_follow, FOLLOW_SECONDS, "each thread following the first policy")

    def change(self, number: int) -> dict[str, float]:
        """Changes the policy, and posts until every thread follows it. Then posts as long without a
        change, for as many events: the slowest of many is slower than that of few."""
        self._took = 0.0
        changing = threading.Thread(target=self._change, args=[31 + number])
        changing.start()
        meanwhile: list[float] = []
        quiet: list[float] = []
        while changing.is_alive() or not meanwhile:
            meanwhile += self._answered_ms(f"change{number}-{len(meanwhile)}")
        changing.join()
        if not self._took:
            raise BenchError(f"not every thread follows the change: {self._recompute()}")
        while len(quiet) < len(meanwhile):
            quiet += self._answered_ms(f"quiet{number}-{len(quiet)}")
        meanwhile.sort()
        quiet.sort()
        return {
            "recompute_seconds": self._took,
            "slowest_ms": quiet[-1],
            "slowest_while_recomputing_ms": meanwhile[-1],
            "p95_ms": _p95(quiet),
            "p95_while_recomputing_ms": _p95(meanwhile),
            "delay_ms": max(0.0, meanwhile[-1] - quiet[-1]),
        }

    def _change(self, minutes: int) -> None:
        time.sleep(1.0)
        begun = time.monotonic()
        self._call("PUT", f"policies/{self._id}", self._policy | {"first_reply": minutes})
        wait_for(self._all_follow, FOLLOW_SECONDS, "each thread following the change")
        self._took = time.monotonic() - begun

    def _answered_ms(self, run: str) -> list[float]:
        """Posts for a while; returns the ms until each event was answered."""
        posted = self._lineup.post(self._targets, self._bench.rate, self._bench.seconds, run)
        return [(answered - due) / 1e6 for _, _, due, answered in posted]

    def _all_follow(self) -> bool:
        return self._recompute() is None

    def _recompute(self) -> dict[str, int] | None:
        return self._call("GET", "policies")["recompute"]

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        url = f"{self._lineup.url}/admin/api/{path}"
        answer = self._lineup.session.request(method, url, json=body, timeout=60)
        assert answer.ok, answer.text
        return answer.json()


def _p95(times: Sequence[float]) -> float:
    return times[int(0.95 * (len(times) - 1))]
