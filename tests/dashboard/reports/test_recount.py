"""Random months: every number of every report equals a recount by a second program over the
export."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from dashboard.db.database import Database
from dashboard.db.models.threads import thread_acts, threads
from dashboard.transfer.exporting import Exporter
from tests.dashboard.history.days import THREADS, Day, acts_of
from tests.dashboard.reports.recount import (
    Happening,
    Thread,
    percentiles,
    step_of,
    threads_of,
)
from tests.drivers.application import ApplicationDriver
from tests.support import SettableClock

#: One second of a day is this much of a month.
LONGER = 240
OUTCOMES = ("suggestions_used", "suggestions_edited", "suggestions_ignored")
COUNTS = ("new", "closed", "reopened", "answers", *OUTCOMES)
LENGTHS = {"first_reply": "first_reply", "next_reply": "next_reply", "close_time": "closed"}
PARTS = ("desk", "source", "tier", "language", "tag", "admin")
ZONES = ("Europe/Berlin", "America/St_Johns")
WORK = ("answers", "closed")


class Month:
    """A desk after random months, which were counted now and then."""

    def __init__(self, app: ApplicationDriver, seed: int, months: int):
        self.app, self.seed = app, seed
        self.day = Day(app)
        self.begin = app.clock() - 1
        keeper = app.services.fact_keeper
        acts = (act for month in range(months) for act in acts_of(seed + month))
        for number, (what, thread, choice, seconds) in enumerate(acts):
            self.day.do(what, thread, choice, seconds * LONGER)
            if number % 4 == 0:
                keeper.turn()
        self._decide_suggestions()
        self.day.pass_time(60_000)
        keeper.turn()
        self.threads = threads_of(Exporter(app.database).lines())

    def _decide_suggestions(self) -> None:
        """Some are sent as they are, some changed, left, or dismissed, each after a message."""
        chosen = random.Random(self.seed)
        for what, choice in (("reply", 5), ("reply", 9), ("reply", 1), ("read", 3)) * 2:
            thread = chosen.randint(1, THREADS)
            self.day.do("say", thread, 1, 30)
            self.day.do(what, thread, choice, 40)

    def ask(self, path: str = "reports", **query: Any) -> dict[str, Any]:
        end = datetime.fromtimestamp(self.app.clock() / 1_000, UTC).isoformat()
        begin = datetime.fromtimestamp(self.begin / 1_000, UTC).isoformat()
        given = {"from": begin, "to": end} | query
        answer = self.day.sue.get(f"/admin/api/{path}", query_string=given)
        assert answer.status_code == 200, answer.text
        return answer.json

    def last_weeks(self) -> dict[str, str]:
        """Names the last three weeks: a month has too many hours."""
        begin = self.app.clock() - 21 * 86_400_000
        return {"from": datetime.fromtimestamp(begin / 1_000, UTC).isoformat()}

    def name_of(self, id: int) -> str:
        """Returns the chatbot's id of a thread."""
        with self.app.database.read() as connection:
            return connection.scalar(select(threads.c.external_id).where(threads.c.id == id))

    def found(self, *kinds: str) -> Iterator[tuple[Thread, Happening]]:
        for thread in self.threads:
            for one in thread.happenings:
                if one.kind in kinds:
                    yield thread, one


@pytest.fixture
def month(tmp_path, any_database) -> Month:
    return month_of(tmp_path, any_database, 6, 1)


def month_of(folder: Path, database: Database, seed: int, months: int) -> Month:
    return Month(ApplicationDriver(database, SettableClock(), folder), seed, months)


def parts_of(thread: Thread, one: Happening, by: str) -> list[str]:
    if by == "tag":
        return sorted(thread.tags) or [""]
    if by == "admin":
        return [one.admin or ""]
    return [str(getattr(thread, by))]


def named(answer: dict[str, Any], by: str) -> dict[str, Any]:
    """Maps the names of parts that are ids, and the keys of others, to their numbers."""
    is_id = by in ("admin", "source")
    return {
        (part["name"] or "") if is_id else part["key"]: part["total"] for part in answer["parts"]
    }


def check_counts(month: Month) -> None:
    for metric in COUNTS:
        whole = list(month.found(metric))
        assert month.ask(metric=metric)["total"] == len(whole), metric
        for by in PARTS:
            expected = Counter(part for pair in whole for part in parts_of(*pair, by))
            answer = month.ask(metric=metric, by=by)
            assert named(answer, by) == expected, (metric, by)
            assert answer["adds_up"] == (by != "tag")
        for step, zone in product(("hour", "day", "week"), ZONES):
            check_steps(month, metric, step, ZoneInfo(zone), [one.at for _, one in whole])


def check_steps(month: Month, metric: str, step: str, zone: ZoneInfo, times: list[int]) -> None:
    more = month.last_weeks() if step == "hour" else {}
    answer = month.ask(metric=metric, step=step, timezone=zone.key, **more)
    times = [at for at in times if answer["from"] <= at < answer["to"]]
    expected = Counter(step_of(at, step, zone) for at in times)
    names = [step_of(at, step, zone) for at in answer["steps"]]
    assert len(set(names)) == len(names), "each step is another"
    pairs = zip(names, answer["values"], strict=True)
    assert {name: value for name, value in pairs if value} == expected, (metric, step, zone)


def check_lengths(month: Month) -> None:
    for metric, kind in LENGTHS.items():
        whole = [(thread, one) for thread, one in month.found(kind)]
        answer = month.ask(metric=metric)
        assert answer["total"] == percentiles([one.length for _, one in whole]), metric
        bars, low = [], 0
        for bar in answer["histogram"]:
            high = bar["below"] or 2**60
            bars.append(sum(low <= one.length < high for _, one in whole))
            low = high
        assert [bar["count"] for bar in answer["histogram"]] == bars
        for by in PARTS:
            lengths = defaultdict(list)
            for thread, one in whole:
                for part in parts_of(thread, one, by):
                    lengths[part].append(one.length)
            expected = {part: percentiles(some) for part, some in lengths.items()}
            assert named(month.ask(metric=metric, by=by), by) == expected, (metric, by)
        for zone in map(ZoneInfo, ZONES):
            check_length_steps(month, metric, [one for _, one in whole], zone)


def check_length_steps(month: Month, metric: str, whole: list[Happening], zone: ZoneInfo) -> None:
    for step in ("day", "hour of the week"):
        by_name = defaultdict(list)
        for one in whole:
            name = step_of(one.at, step, zone) if step == "day" else hour_of_week(one.at, zone)
            by_name[name].append(one.length)
        query = {"step": "day"} if step == "day" else {"by": "hour"}
        answer = month.ask(metric=metric, timezone=zone.key, **query)
        names = [step_of(at, step, zone) for at in answer["steps"]] or range(168)
        pairs = zip(names, answer["values"], strict=True)
        found = {name: value for name, value in pairs if value["count"]}
        assert found == {name: percentiles(some) for name, some in by_name.items()}, (metric, step)


def check_levels(month: Month) -> None:
    for zone in ZONES:
        answer = month.ask(metric="waiting", step="day", timezone=zone, by="desk")
        ends = [*answer["steps"][1:], answer["to"]]
        levels = [sum(thread.waits_at(end) for thread in month.threads) for end in ends]
        assert answer["values"] == levels
        assert answer["total"] == levels[-1]
        for part in answer["parts"]:
            at_desk = [thread for thread in month.threads if thread.desk == part["key"]]
            assert part["values"] == [sum(one.waits_at(end) for one in at_desk) for end in ends]


def check_threads(month: Month) -> None:
    """Each number opens its threads."""
    chosen = random.Random(month.seed)
    for metric, by in product((*COUNTS, *LENGTHS, "handled", "waiting"), (None, *PARTS)):
        query = {"metric": metric} | ({"by": by} if by else {})
        parts = month.ask(**query)["parts"] if by else [None]
        for part in chosen.sample(parts, min(2, len(parts))):
            key = {} if part is None else {"part": part["key"]}
            name = part and (part["name"] if by in ("admin", "source") else part["key"])
            expected = behind(month, metric, by, name or "")
            found, after = list[int](), {}
            while after is not None:
                answer = month.ask("reports/threads", **query, **key, **after, limit=2)
                found += [row["id"] for row in answer["rows"]]
                assert answer["total"] == len(expected)
                after = answer["next"] and {"after": "{},{}".format(*answer["next"])}
            assert len(found) == len(set(found)), "each thread once"
            assert {month.name_of(id) for id in found} == expected, (metric, by, part)


def check_hours_and_bars(month: Month) -> None:
    """An hour of the week and a bar of a histogram open their threads, too."""
    zone, chosen = ZoneInfo(ZONES[0]), random.Random(month.seed)
    for metric, kind in LENGTHS.items():
        whole = list(month.found(kind))
        query = {"metric": metric, "by": "hour", "timezone": zone.key}
        for thread, one in chosen.sample(whole, min(2, len(whole))):
            hour = hour_of_week(one.at, zone)
            answer = month.ask("reports/threads", **query, part=str(hour))
            theirs = {other.name for other, at in whole if hour_of_week(at.at, zone) == hour}
            assert {month.name_of(row["id"]) for row in answer["rows"]} == theirs
            assert thread.name in theirs
        low = 0
        for bar in month.ask(metric=metric)["histogram"]:
            bounds = {"least": low} | ({} if bar["below"] is None else {"below": bar["below"]})
            low, high = bar["below"], bar["below"] or 2**60
            if bar["count"]:
                answer = month.ask("reports/threads", metric=metric, **bounds)
                least = bounds["least"]
                theirs = {one.name for one, at in whole if least <= at.length < high}
                assert {month.name_of(row["id"]) for row in answer["rows"]} == theirs
                values = answer["values"]
                assert answer["count"] == bar["count"] and len(values) == len(answer["rows"])
                assert values == sorted(values, reverse=True)
                assert least <= values[-1] and values[0] < high


def hour_of_week(at: int, zone: ZoneInfo) -> int:
    local = datetime.fromtimestamp(at / 1_000, zone)
    return 24 * local.weekday() + local.hour


def behind(month: Month, metric: str, by: str | None, part: str) -> set[str]:
    if metric == "waiting":
        waits = [thread for thread in month.threads if thread.waits_at(month.app.clock())]
        if by == "admin":
            return {thread.name for thread in waits} if part == "" else set()
        nothing = Happening("", 0)
        return {
            thread.name for thread in waits if by is None or part in parts_of(thread, nothing, by)
        }
    kinds = WORK if metric == "handled" else (LENGTHS.get(metric, metric),)
    return {
        thread.name
        for thread, one in month.found(*kinds)
        if by is None or part in parts_of(thread, one, by)
    }


def check_handled(month: Month) -> None:
    pairs = {(thread.name, one.admin or "") for thread, one in month.found(*WORK)}
    assert month.ask(metric="handled")["total"] == len({name for name, _ in pairs})
    expected = Counter(admin for _, admin in pairs)
    assert named(month.ask(metric="handled", by="admin"), "admin") == expected
    by_tag = {
        (thread.name, part)
        for thread, one in month.found(*WORK)
        for part in parts_of(thread, one, "tag")
    }
    expected = Counter(part for _, part in by_tag)
    assert named(month.ask(metric="handled", by="tag"), "tag") == expected
    for zone in map(ZoneInfo, ZONES):
        answer = month.ask(metric="handled", step="day", timezone=zone.key)
        days = {(step_of(one.at, "day", zone), thread.name) for thread, one in month.found(*WORK)}
        names = [step_of(at, "day", zone) for at in answer["steps"]]
        values = {name: value for name, value in zip(names, answer["values"], strict=True) if value}
        assert values == Counter(day for day, _ in days)


def check_queries(month: Month) -> None:
    """A query limits a report to threads for which it holds now; a view is its query."""
    held = {
        "tag:vip": [thread for thread in month.threads if "vip" in thread.tags],
        "desk:sales": [thread for thread in month.threads if thread.desk == "sales"],
        "member:3,4,5": [thread for thread in month.threads if thread.tier >= 3],
    }
    for query, some in held.items():
        names = {thread.name for thread in some}
        for metric, kind in LENGTHS.items():
            lengths = [one.length for thread, one in month.found(kind) if thread.name in names]
            assert month.ask(metric=metric, query=query)["total"] == percentiles(lengths), query
    views = month.day.sue.get("/admin/api/views").json["views"]
    shared = {view["id"]: view for view in views if view["owner"] == "all"}
    for metric in (*COUNTS, *LENGTHS, "waiting", "handled"):
        parts = {part["key"]: part for part in month.ask(metric=metric, by="view")["parts"]}
        for id, view in shared.items():
            query = {"metric": metric, "timezone": view["timezone"] or "UTC"}
            alone = month.ask(**query, query=view["query"])["total"]
            part = parts.get(id.removeprefix("v"))
            none = {"count": 0, "p50": None, "p90": None, "p99": None} if metric in LENGTHS else 0
            assert (part["total"] if part else none) == alone, (metric, view)
            if part:
                behind = month.ask("reports/threads", metric=metric, by="view", part=part["key"])
                limited = month.ask("reports/threads", **query, query=view["query"])
                assert behind["total"] == limited["total"]


def check_queues(month: Month) -> None:
    """Hand-outs and returns are the acts of queues."""
    with month.app.database.read() as connection:
        rows = connection.execute(select(thread_acts.c.type, thread_acts.c.at, thread_acts.c.data))
        acts = [row for row in rows if "queue" in (row.data or {})]
    given = [act for act in acts if act.type == "thread.assigned"]
    returned = [act for act in acts if "returned" in act.data]
    times = [act.at - act.data["since"] for act in given]
    for metric, some in (("given", given), ("returned", returned)):
        assert month.ask(metric=metric)["total"] == len(some)
        by_queue = Counter(str(act.data["queue"]["id"]) for act in some)
        parts = month.ask(metric=metric, by="queue")["parts"]
        assert {part["key"]: part["total"] for part in parts} == by_queue
    assert month.ask(metric="queue_time")["total"] == percentiles(times)


def check_all(month: Month) -> None:
    check_counts(month)
    check_lengths(month)
    check_levels(month)
    check_handled(month)
    check_threads(month)
    check_hours_and_bars(month)
    check_queries(month)
    check_queues(month)


def test_every_number_equals_a_recount(month):
    check_all(month)
    assert month.ask(metric="given")["total"] and month.ask(metric="new", by="view")["parts"]
    assert all(month.ask(metric=metric)["total"] for metric in OUTCOMES)


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize("number", range(8))
def test_every_number_of_many_months_equals_a_recount(number, tmp_path, any_database):
    seed = random.SystemRandom().randrange(2**32)
    print("the months of seed", seed)
    check_all(month_of(tmp_path, any_database, seed, 3))
