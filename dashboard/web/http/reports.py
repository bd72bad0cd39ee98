"""Reports over HTTP, the same for supervisors and for chatbots: what they ask, and the answers."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field
from sqlalchemy import Connection

from dashboard.db import policies
from dashboard.db.accounts import sources, team
from dashboard.db.database import Database
from dashboard.db.history import lists, states
from dashboard.db.lists import named_lists, views
from dashboard.db.lists.named_lists import ListName
from dashboard.db.lists.query_lists import people_in
from dashboard.db.queues import definitions
from dashboard.db.reports import figures, progress
from dashboard.db.reports.facts import SHOWN_BOUNDS
from dashboard.db.reports.figures import Durations, Figures, Value, Wanted
from dashboard.db.reports.metrics import METRICS, OVERLAPPING, By, Metric
from dashboard.db.reports.questions import WEEK_HOURS, Question
from dashboard.db.steps import Step
from dashboard.db.threads import thread_rows
from dashboard.errors import NotFound, Problem, StorageUnavailable
from dashboard.live.requests import ViewId
from dashboard.validation.accounts import Timezone
from dashboard.validation.field_errors import field_error, invalid_query
from dashboard.validation.fields import (
    Answer,
    Milliseconds,
    Timestamp,
    check_characters,
    check_length,
)
from dashboard.validation.strict_json import JsonObject
from dashboard.web.http.queries import Query
from scoring.calendar import offsets_of
from scoring.conditions.language.parser import LENGTH_MAX, parse
from scoring.conditions.language.query import QueryError
from scoring.conditions.resolve import resolve
from scoring.conditions.resolved import Resolved
from scoring.views import DAY_MS

#: The most steps of one answer, and the most hours that `by=hour` looks at.
STEPS_MAX, HOURS_MAX = 800, 24 * 370
#: The time that is looked at without `from`.
SPAN_MS = 7 * DAY_MS
#: The longest time over which the length of a list is counted, and the most steps if time alone
#: changes the list: each is a reading of its own.
LENGTH_MS, TIMED_STEPS_MAX = 31 * DAY_MS, 31
#: Views that parts of `view` are made of, at most.
VIEWS_MAX = 60
_HOUR_MS = 3_600_000
_DIGITS_MAX = 16
#: Tries to count what changes meanwhile.
_TRIES = 3
_ABOUT = " ".join(f"`{name}`: {metric.about}" for name, metric in METRICS.items())


class ReportQuery(Query):
    """The metric, what divides it, and the time to look at."""

    metric: Annotated[
        Literal[tuple(METRICS)],  # type: ignore[valid-type]
        Field(description=_ABOUT),
    ]
    by: Annotated[
        By | None,
        Field(description="Divides the number into parts; `hour`: by hour of the week, Monday 0."),
    ] = None
    since: Annotated[
        Timestamp | None,
        Field(alias="from", description="From this time on; without it the last seven days."),
    ] = None
    until: Annotated[Timestamp | None, Field(alias="to", description="Before this time.")] = None
    step: Annotated[
        Literal["hour", "day", "week"] | None,
        Field(description="One number for each step, which begins with an hour, day or Monday."),
    ] = None
    timezone: Annotated[Timezone, Field(description="The time zone of steps.")] = "UTC"
    query: Annotated[
        str,
        AfterValidator(check_characters),
        AfterValidator(lambda text: check_length(text, LENGTH_MAX)),
        Field(description="Only threads for which this holds now, in the language of views."),
    ] = ""
    view: Annotated[
        ViewId | None,
        Field(description="With `length`: the view; without it the list of `query`."),
    ] = None
    hours: Annotated[
        Literal["clock", "opening"],
        Field(description="Durations by the clock, or in the opening time of the policy."),
    ] = "clock"


class DurationsValue(Answer):
    """The number of durations, and their percentiles in milliseconds; null without any."""

    count: int
    p50: int | None
    p90: int | None
    p99: int | None


class ReportPart(Answer):
    """A part of the whole: its number, and one for each step if they were asked for."""

    key: Annotated[str, Field(description="Empty: what belongs to no part.")]
    name: str | None
    total: int | DurationsValue
    values: list[int | DurationsValue | None]


class HistogramBar(Answer):
    """The number of durations below a bound (ms), and not below the one before; null: no bound."""

    below: int | None
    count: int


class Report(Answer):
    """The answer to a report: the number of the whole, of each step, and of each part."""

    metric: str
    unit: Annotated[
        Literal["count", "milliseconds"], Field(description="Of the numbers of this metric.")
    ]
    about: Annotated[str, Field(description="How it is counted.")]
    since: Annotated[Milliseconds, Field(alias="from")]
    until: Annotated[Milliseconds, Field(alias="to")]
    steps: Annotated[
        list[Milliseconds], Field(description="When each step begins; none with `by=hour`.")
    ]
    total: int | DurationsValue
    values: Annotated[
        list[int | DurationsValue | None],
        Field(description="One for each step or hour of the week; null: to come, or not known."),
    ]
    parts: list[ReportPart]
    adds_up: Annotated[bool, Field(description="Whether the parts add up to the whole.")]
    histogram: Annotated[list[HistogramBar] | None, Field(description="Of durations alone.")]
    counted_until: Annotated[
        Milliseconds | None,
        Field(description="Up to then all is counted; null: the first counting is under way."),
    ]
    known_since: Annotated[
        Milliseconds | None,
        Field(description="From then on lists are known; of `length` and `waiting` alone."),
    ]


class Reader(NamedTuple):
    """A supervisor, who reads all threads, or a chatbot, which reads those of its source."""

    admin_id: int | None = None
    source_id: int | None = None


class Reports:
    """Answers reports."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def report(self, query: ReportQuery, reader: Reader) -> JsonObject:
        """Returns the document of `Report`. Raises Invalid, Problem and StorageUnavailable."""
        now = self._clock()
        with self._database.read() as connection:
            question = _question(connection, query, reader, now)
            counted_until = _counted_until(connection)
            known_since = _known_since(connection, question)
        if question.metric.measure == "list":
            found = self._lengths(query, question, reader)
        else:
            found = self._figures(question)
        with self._database.read() as connection:
            parts = _parts(connection, question, found)
        return {
            "metric": query.metric,
            "unit": "milliseconds" if question.metric.measure in ("durations", "time") else "count",
            "about": question.metric.about,
            "from": question.begin,
            "to": question.end,
            "steps": [step.begin for step in question.steps] if query.step else [],
            "total": _json(found.total),
            "values": [_json(value) for value in found.steps],
            "parts": parts,
            "adds_up": _adds_up(query, question.metric),
            "histogram": _bars(found),
            "counted_until": counted_until,
            "known_since": known_since,
        }

    def _figures(self, question: Question) -> Figures:
        """Counts, again if facts have changed meanwhile. Raises StorageUnavailable."""
        for _ in range(_TRIES):
            with suppress(figures.FactsChanged):
                return figures.figures(self._database, question)
        raise StorageUnavailable("The numbers change while they are counted: try again.")

    def _lengths(self, query: ReportQuery, question: Question, reader: Reader) -> Figures:
        """Counts the threads on a list at the end of each step, by the view as it was at the end.

        Raises Invalid, NotFound, Problem and StorageUnavailable.
        """
        now = question.now_ms
        assert reader.admin_id is not None
        text = None if query.view else query.query
        name = ListName(query.view, "arrival", "all", text, query.timezone)
        ends = [step.end for step in question.steps]
        with self._database.read() as connection:
            since = states.check_moment(connection, question.end, now, "to")
            query_list = named_lists.find_at(connection, name, reader.admin_id, ends[-1])
        if not query_list.resolved.is_timeless and len(ends) > TIMED_STEPS_MAX:
            rule = f"gives more than {TIMED_STEPS_MAX} steps, and time alone changes this list"
            raise field_error("/step", "number_out_of_range", rule)
        known = [end for end in ends if end >= since]
        begin = max(question.begin, since)
        found: list[Value] = [None] * (len(ends) - len(known))
        found += lists.lengths(self._database, query_list, [begin, *known])[1:]
        return Figures(found[-1], found if question.is_stepped else [], {}, {})

    def behind(self, query: ReportQuery, reader: Reader, wanted: Wanted) -> JsonObject:
        """Returns rows of the threads behind a number and their values, how many there are, the
        next position, and of a level its moment.

        Raises Invalid, NotFound, Problem and StorageUnavailable.
        """
        now = self._clock()
        with self._database.read() as connection:
            question = _question(connection, query, reader, now)
        if question.metric.measure in ("time", "list"):
            raise field_error("/metric", "unknown_value", "has no threads here")
        _check_wanted(question, query, wanted)
        is_level = question.metric.measure == "level"
        if is_level and query.by == "hour" and wanted.part is not None:
            question = _highest(self._database, question, int(wanted.part))
            wanted = wanted._replace(part=None)
        found = figures.behind(self._database, question, wanted)
        with self._database.read() as connection:
            rows = thread_rows.rows(connection, found.ids)
        pairs = zip(found.ids, found.values, strict=True)
        return {
            "rows": [rows[id] for id in found.ids if id in rows],
            "values": [value for id, value in pairs if id in rows],
            "total": found.total,
            "count": found.times,
            "next": found.next,
            "at": min(question.end, now) if is_level else None,
        }


def _highest(database: Database, question: Question, hour: int) -> Question:
    """Asks for the threads that waited when most did, in an hour of the week."""
    at = figures.highest_at(database, question, hour)
    if at is None:
        raise NotFound("There is no such part.")
    return question._replace(steps=[Step(question.begin, at, 0)], by=None, labels=0)


def _question(connection: Connection, query: ReportQuery, reader: Reader, now: int) -> Question:
    metric = METRICS[query.metric]
    _check_fits(query, metric, reader)
    until = now if query.until is None else query.until
    since = until - SPAN_MS if query.since is None else query.since
    if since >= until:
        raise field_error("/to", "number_out_of_range", "must be after `from`")
    resolved = None
    if metric.measure == "list" and until > since + LENGTH_MS:
        raise field_error("/to", "number_out_of_range", "must be 31 days after `from` at most")
    if query.query.strip() and metric.measure != "list":
        resolved = _resolved(connection, query.query, reader.admin_id, query.timezone, "/query")
    is_weekly = query.by == "hour" and metric.measure not in ("level", "time")
    steps = _offsets(query, since, until) if is_weekly else _steps_of(query, since, until)
    return Question(
        metric,
        steps,
        query.by,
        now,
        labels=WEEK_HOURS if query.by == "hour" else len(steps) if query.step else 0,
        is_weekly=is_weekly,
        opening=query.hours == "opening",
        source_id=reader.source_id,
        query=resolved,
        views=_views(connection, reader) if query.by == "view" else (),
        on_postgres=connection.dialect.name == "postgresql",
    )


def _check_fits(query: ReportQuery, metric: Metric, reader: Reader) -> None:
    """Raises Invalid for parameters that do not go together."""
    if query.view is not None and metric.measure != "list":
        raise field_error("/view", "unknown_field", f"does not go with {query.metric}")
    if metric.measure in ("time", "list") and reader.source_id is not None:
        raise field_error("/metric", "unknown_value", "is for supervisors")
    if metric.measure == "list":
        _check_list(query)
    if metric.measure == "time":
        if query.by not in (None, "admin", "hour"):
            raise field_error("/by", "unknown_field", f"does not go with {query.metric}")
        if query.query.strip():
            raise field_error("/query", "unknown_field", f"does not go with {query.metric}")
    if metric.measure == "threads" and query.by == "hour":
        raise field_error("/by", "unknown_field", f"does not go with {query.metric}")
    if query.step is None or query.by is None:
        return
    if query.by == "hour" or metric.measure in ("durations", "threads"):
        raise field_error("/step", "unknown_field", f"does not go with by={query.by} here")


def _check_list(query: ReportQuery) -> None:
    """Raises Invalid for parameters that do not go with the length of a list."""
    if query.by is not None:
        raise field_error("/by", "unknown_field", "does not go with length")
    if (query.view is None) == (not query.query.strip()):
        raise field_error("/view", "missing_field", "or `query` must be given, and not both")


def _resolved(
    connection: Connection, text: str, admin_id: int | None, timezone: str, pointer: str
) -> Resolved:
    try:
        zone = ZoneInfo(timezone)
        return resolve(parse(text), admin_id, policies.admin_id_of(connection), zone)
    except QueryError as error:
        raise invalid_query(error, pointer) from error


def _views(connection: Connection, reader: Reader) -> list[tuple[int, Resolved]]:
    """Returns the ids and queries of views that several admins see. Left out are those that name
    `me`, which hold other threads for each of them, and those with a mistake by now."""
    shared = [
        view
        for view in views.of_several(connection, [])
        if not people_in(view.query).me and (reader.source_id is None or view.desk is None)
    ]
    found = list[tuple[int, Resolved]]()
    for view in shared[:VIEWS_MAX]:
        with suppress(Problem):
            timezone = view.timezone or "UTC"
            found.append((view.id, _resolved(connection, view.query, None, timezone, "/by")))
    return found


def _check_wanted(question: Question, query: ReportQuery, wanted: Wanted) -> None:
    """Raises NotFound for a part that cannot be, Invalid for what does not go together."""
    for name in ("least", "below"):
        if getattr(wanted, name) is not None and question.metric.measure != "durations":
            raise field_error(f"/{name}", "unknown_field", f"does not go with {query.metric}")
    part, by = wanted.part, query.by
    if part is None:
        return
    if by is None:
        raise field_error("/part", "unknown_field", "needs `by`")
    is_number = part.removeprefix("-").isdecimal() and part.isascii() and len(part) <= _DIGITS_MAX
    if by in ("admin", "source", "tier", "queue") and not (is_number or part == ""):
        raise NotFound("There is no such part.")
    if by == "hour" and not (is_number and 0 <= int(part) < WEEK_HOURS):
        raise NotFound("There is no such part.")
    if by == "view" and not (is_number and int(part) in dict(question.views)):
        raise NotFound("There is no such part.")


def _offsets(query: ReportQuery, since: int, until: int) -> list[Step]:
    """Returns the spans of time in which the time zone has one offset (ms), as labels."""
    spans, begin = list[Step](), since
    for end, offset in offsets_of(query.timezone).spans(since):
        spans.append(Step(begin, min(end, until), offset))
        if end >= until:
            return spans
        begin = end
    raise AssertionError("spans never end")


def _steps_of(query: ReportQuery, since: int, until: int) -> list[Step]:
    """Returns the steps of a report; of `by=hour` all hours, by their numbers in the week."""
    zone = ZoneInfo(query.timezone)
    if query.by == "hour":
        return _hours_of_weeks(since, until, zone)
    if query.step is None:
        return [Step(since, until, 0)]
    begins = [since]
    for begin in _begins(query.step, since, zone):
        if begin >= until:
            break
        begins.append(begin)
        if len(begins) > STEPS_MAX:
            rule = f"gives more than {STEPS_MAX} steps"
            raise field_error("/step", "number_out_of_range", rule)
    ends = [*begins[1:], until]
    return [Step(begin, end, at) for at, (begin, end) in enumerate(zip(begins, ends, strict=True))]


def _hours_of_weeks(since: int, until: int, zone: ZoneInfo) -> list[Step]:
    if until - since > HOURS_MAX * _HOUR_MS:
        raise field_error("/by", "number_out_of_range", "looks at a year at most")
    steps, begin = list[Step](), since
    for end in _begins("hour", since, zone):
        local = datetime.fromtimestamp(begin / 1_000, zone)
        steps.append(Step(begin, min(end, until), 24 * local.weekday() + local.hour))
        if end >= until:
            return steps
        begin = end
    raise AssertionError("hours never end")


def _begins(step: str, since: int, zone: ZoneInfo) -> Iterator[int]:
    """Yields when steps begin after a time."""
    local = datetime.fromtimestamp(since / 1_000, zone)
    if step == "hour":
        at = since
        while True:
            offset = datetime.fromtimestamp(at / 1_000, zone).utcoffset() or timedelta()
            local_ms = at + offset // timedelta(milliseconds=1)
            at += _HOUR_MS - local_ms % _HOUR_MS
            yield at
    day = local.date() - timedelta(days=local.weekday() if step == "week" else 0)
    while True:
        day += timedelta(days=7 if step == "week" else 1)
        begin = datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
        at = round(begin.timestamp() * 1_000)
        if at > since:
            yield at


def _counted_until(connection: Connection) -> int | None:
    known = progress.current(connection)
    return None if known.swept_id is not None else known.counted_until


def _known_since(connection: Connection, question: Question) -> int | None:
    """Returns the time from which the lists are known that a number is of."""
    if question.metric.measure not in ("list", "level"):
        return None
    return states.known_since(connection, question.now_ms)


def _adds_up(query: ReportQuery, metric: Metric) -> bool:
    return query.by not in OVERLAPPING and metric.measure in ("facts", "level", "time")


def _json(value: Value) -> Any:
    if isinstance(value, Durations):
        return {"count": value.number, "p50": value.p50, "p90": value.p90, "p99": value.p99}
    return value


def _bars(found: Figures) -> list[dict[str, int | None]] | None:
    if found.histogram is None:
        return None
    bounds = (*SHOWN_BOUNDS, None)
    pairs = zip(bounds, found.histogram, strict=True)
    return [{"below": bound, "count": count} for bound, count in pairs]


def _parts(connection: Connection, question: Question, found: Figures) -> list[JsonObject]:
    """Returns the parts, the largest first."""
    names = _names(connection, question, found)
    parts = [
        {
            "key": key,
            "name": names.get(key, None if question.by in _NAMED else key or None),
            "total": _json(total),
            "values": [_json(value) for value in found.parts_by_step.get(key, [])],
        }
        for key, total in found.parts.items()
    ]
    return sorted(parts, key=lambda part: (-_size(found.parts[part["key"]]), part["key"]))


_NAMED = ("admin", "source", "queue", "view")


def _names(connection: Connection, question: Question, found: Figures) -> Mapping[str, str]:
    """Maps the keys of parts that are ids to names; what was deleted has none."""
    if question.by not in _NAMED:
        return {}
    ids = {int(key) for key in found.parts if key}
    if question.by == "admin":
        names = team.names(connection, ids)
    elif question.by == "source":
        names = sources.names_of(connection, ids)
    elif question.by == "queue":
        names = {queue.id: queue.name for queue in definitions.listing(connection)}
    else:
        names = {view.id: view.name for view in views.of_several(connection, [])}
    return {str(id): name for id, name in names.items()}


def _size(value: Value) -> int:
    if isinstance(value, Durations):
        return value.number
    return value or 0
