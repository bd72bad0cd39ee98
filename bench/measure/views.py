"""A thousand saved views: their cost for an event, and whether every badge and list is right.

One Lineup is measured first without and then with saved views, in the same run.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from bench.drive.drivers import Dashboards
from bench.measure.live import Live, measured
from bench.processes import BenchError, wait_for
from bench.saved_views import SavedView, saved_views, worst_views
from bench.sides.counting import Counting
from bench.sides.lineup import Lineup
from dashboard.db.lists import entries, query_lists
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.lists.views import visible_to
from scoring.ranking import Ranking

#: Lists that a dashboard holds completely, to be compared entry by entry.
SAMPLE = 5
#: Views that are saved while events come, one every half second.
SAVED_MEANWHILE = 4
#: Longest waits: until all lists are built; until everything agrees after the last event. With
#: the worst views, time changes many lists each second for a minute and a half.
BUILD_SECONDS = 1_500.0
AGREE_SECONDS = 60.0
AGREE_SECONDS_WORST = 200.0
#: Views on screens have this sort: its scores show which message a frame contains.
SCREEN_SORT = "arrival"


@dataclass(frozen=True)
class Views:
    """`worst`: not random views, but the most expensive ones for an event."""

    threads: int = 100_000
    views: int = 1_000
    on_screens: int = 100
    dashboards: int = 100
    rate: float = 200.0
    seconds: float = 10.0
    rounds: int = 3
    sides: tuple[str, ...] = ("lineup", "counting")
    list_seconds: float = 5.0
    badge_seconds: float = 45.0
    worst: bool = False

    def live(self) -> Live:
        return Live(self.threads, self.dashboards, self.rate, seconds=self.seconds)


def run(bench: Views, folder: Path, templates: Path, deadline: float) -> dict[str, Any]:
    broken: dict[str, str] = {}
    found: dict[str, list[dict[str, Any]]] = {}
    memory: dict[str, Any] = {}
    for name in bench.sides:
        try:
            if name == "lineup":
                without, with_views, memory = _lineup(bench, folder / name, templates, deadline)
                found |= {"without": without, "lineup": with_views}
            else:
                found[name] = _counting(bench, folder / name, deadline)
        except (BenchError, AssertionError) as error:
            broken[name] = str(error)[:300]
    count = max((len(rounds) for rounds in found.values()), default=0)
    rounds = [
        {name: each[number] for name, each in found.items() if number < len(each)}
        for number in range(count)
    ]
    return {
        "bench": "views",
        "scenario": asdict(bench),
        "rounds": rounds,
        "broken": broken,
        "memory": memory,
    }


Rounds = list[dict[str, Any]]


def _lineup(
    bench: Views, folder: Path, templates: Path, deadline: float
) -> tuple[Rounds, Rounds, dict[str, Any]]:
    """Returns the rounds without saved views, the rounds with them, and their memory."""
    lineup = Lineup(bench.live().setting(), folder, templates)
    try:
        lineup.start()
        without = _rounds(bench, lineup, lineup.dashboard_settings(), "without", deadline)
        before = lineup.memory()["redis"]
        saved = Saved(bench, lineup)
        saved.save(chosen(bench))
        seconds = wait_until_built(lineup)
        held = saved.entries()
        memory = {
            "entries": held,
            "bytes_an_entry": (lineup.memory()["redis"] - before) / max(1, held),
            "all_built_seconds": seconds,
        }
        settings = lineup.dashboard_settings() | {"kind": "views", "sort": SCREEN_SORT}
        settings |= {"views": saved.on_screens(), "whole": SAMPLE}
        with_views = _rounds(bench, lineup, settings, "views", deadline, saved.check)
        memory |= saved.save_meanwhile()
    finally:
        lineup.stop()
    return without, with_views, memory


def _counting(bench: Views, folder: Path, deadline: float) -> Rounds:
    pauses = bench.list_seconds, bench.badge_seconds
    side = Counting(bench.live().setting(), folder, (bench.views, bench.on_screens), pauses)
    try:
        side.start()
        found = _rounds(bench, side, side.dashboard_settings(), "counting", deadline)
        found[-1]["wrong_badges"] = side.wrong_badges()["wrong"]
    finally:
        side.stop()
    return found


def _rounds(
    bench: Views,
    side: Any,
    settings: dict[str, Any],
    run: str,
    deadline: float,
    check: Callable[[Dashboards], object] = lambda dashboards: None,
) -> Rounds:
    live = bench.live()
    found: Rounds = []
    dashboards = Dashboards(settings | {"dashboards": bench.dashboards}, side.log)
    try:
        for number in range(bench.rounds):
            if number and time.monotonic() > deadline:
                break
            found.append(measured(side, dashboards, live, live.targets(), f"{run}{number}"))
            check(dashboards)
    finally:
        dashboards.stop()
    return found


def chosen(bench: Views) -> list[SavedView]:
    """Returns the views to save, those on screens first."""
    return [
        view._replace(sort=SCREEN_SORT) if number < bench.on_screens else view
        for number, view in enumerate(
            worst_views(bench.views) if bench.worst else saved_views(bench.views)
        )
    ]


def wait_until_built(lineup: Lineup) -> float:
    """Waits until the lists of all views are built; returns the seconds."""
    begun = time.monotonic()

    def are_built() -> bool:
        answer = lineup.session.get(f"{lineup.url}/admin/api/views", timeout=60)
        # Until its list is built, a view has no total.
        return all(view["total"] is not None for view in answer.json()["views"])

    # A look at a thousand views keeps the server from its work.
    wait_for(are_built, BUILD_SECONDS, "all lists being built", pause_seconds=1.0)
    return time.monotonic() - begun


class Saved:
    """The saved views of a running Lineup."""

    def __init__(self, bench: Views, lineup: Lineup):
        self._bench = bench
        self._lineup = lineup
        self._database = lineup.database()
        #: The ids of the saved views.
        self.ids: list[str] = []

    def save(self, views: list[SavedView]) -> None:
        for view in views:
            self.ids.append(self._save(view))

    def on_screens(self) -> list[str]:
        return self.ids[: self._bench.on_screens]

    def entries(self) -> int:
        lists = self.lists()
        states = self._ranking.states({each.id for each in lists.values()})
        return sum(state.total for state in states.values())

    def save_meanwhile(self) -> dict[str, float]:
        """Returns the slowest answer to an event, without and with views being saved, in ms."""
        quiet = self._slowest("quiet")
        saving = threading.Thread(target=self._save_some)
        saving.start()
        while_saving = self._slowest("saving")
        saving.join()
        return {
            "slowest_ms": quiet,
            "slowest_while_saving_ms": while_saving,
            "delay_by_saving_ms": max(0.0, while_saving - quiet),
        }

    def check(self, dashboards: Dashboards) -> None:
        """Checks that every badge equals SQL's count, and sampled lists equal SQL's and Redis's.

        Raises BenchError.
        """
        seconds = AGREE_SECONDS_WORST if self._bench.worst else AGREE_SECONDS
        wait_for(lambda: not self._wrong_badges(dashboards), seconds, "all badges being right")
        wait_for(lambda: not self._differing(dashboards), seconds, "the lists being right")
        if wrong := self._miscounted():
            raise BenchError(f"of {len(self.ids)} lists {len(wrong)} are not what SQL counts")

    def _wrong_badges(self, dashboards: Dashboards) -> list[str]:
        states = self._ranking.states({each.id for each in self.lists().values()})
        totals = dashboards.do("held all")[0]["totals"]
        lists = self.lists().items()
        return [id for id, each in lists if totals.get(id) != states[each.id].total]

    def _differing(self, dashboards: Dashboards) -> set[tuple[str, Any]]:
        """Returns differences that are found twice in a row: time may change a list in between."""
        return self._differences(dashboards) & self._differences(dashboards)

    def _differences(self, dashboards: Dashboards) -> set[tuple[str, Any]]:
        """Returns (view id, entry) of entries that a dashboard, SQL and Redis do not all have."""
        lists = self.lists()
        found: set[tuple[str, Any]] = set()
        for held in dashboards.do("held all"):
            query_list = lists[held["of"]]
            stored = set(self._sql(partial(_entries, query_list=query_list)))
            scanned = self._ranking.scan(query_list.id, query_list.sort)
            redis = {(entry.score, entry.id) for some in scanned for entry in some}
            shown = {tuple(entry) for entry in held["whole"]}
            found |= {(held["of"], entry) for entry in (shown ^ stored) | (redis ^ stored)}
        return found

    def _miscounted(self) -> list[str]:
        """Returns the lists with a wrong count; asks several times, as time may change them."""
        wrong = [*self.lists().values()]
        for _ in range(5):
            wrong = [each for each in wrong if not self._is_counted(each)]
        return [each.id for each in wrong]

    def _is_counted(self, query_list: QueryList) -> bool:
        before = self._ranking.states([query_list.id])[query_list.id].total
        counted = self._sql(lambda connection: entries.total(connection, query_list, _now()))
        return counted in (before, self._ranking.states([query_list.id])[query_list.id].total)

    def lists(self) -> dict[str, QueryList]:
        """Maps view ids to their lists."""

        def read(connection: Connection) -> dict[str, QueryList]:
            known = query_lists.current(connection).lists
            views = visible_to(connection, 1, None)
            return {
                view.public_id: known[view.list_id]
                for view in views
                if view.list_id is not None and view.list_id in known
            }

        return self._sql(read)

    def _sql(self, read: Callable[[Connection], Any]) -> Any:
        with self._database.read() as connection:
            return read(connection)

    def _save(self, view: SavedView, owner: str = "all") -> str:
        body = view._asdict() | {"owner": owner}
        url = f"{self._lineup.url}/admin/api/views"
        while (answer := self._lineup.session.post(url, json=body)).status_code == 429:
            time.sleep(int(answer.headers["Retry-After"]))
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def _save_some(self) -> None:
        for number in range(SAVED_MEANWHILE):
            time.sleep(0.5)
            query = f"is:open member:{number} waits:>{(5, 10, 15, 20)[number % 4]}m"
            # The views of everybody have reached their limit.
            self._save(SavedView(f"Meanwhile {number}", query, "longest_wait"), owner="me")

    def _slowest(self, run: str) -> float:
        live = self._bench.live()
        seconds = 1.0 + SAVED_MEANWHILE * 0.5
        posted = self._lineup.post(live.targets(), live.rate, seconds, run)
        return max((answered - due) / 1e6 for _, _, due, answered in posted)

    @property
    def _ranking(self) -> Ranking:
        return self._lineup.ranking()


def _entries(connection: Connection, query_list: QueryList) -> list[tuple[int, int]]:
    found = entries.entries(connection, query_list, _now(), -1)
    return [(entry.score, entry.id) for entry in found]


def _now() -> int:
    return time.time_ns() // 1_000_000
