"""The numbers of reports, counted by SQL from facts, exactly; and the threads behind each."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate
from typing import Any, NamedTuple

from pydantic_core import from_json
from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    FromClause,
    Select,
    Subquery,
    Text,
    case,
    cast,
    column,
    func,
    literal,
    null,
    or_,
    select,
    tuple_,
    union_all,
)

from dashboard.db.database import Database
from dashboard.db.models.reports import report_facts
from dashboard.db.reports import hours, questions
from dashboard.db.reports.facts import SHOWN_BOUNDS, bucket_of
from dashboard.db.reports.metrics import OVERLAPPING
from dashboard.db.reports.questions import NO_PART, Question, Source
from dashboard.db.steps import Step, json_table, step_table
from dashboard.turns import turns

#: The percentiles of durations, by nearest rank: p90 is the shortest one that 90 % do not exceed.
PERCENTILES = (50, 90, 99)
#: Rows between two turns of others.
ROWS_A_TURN = 250


class Durations(NamedTuple):
    """The number of durations, and their percentiles in milliseconds, None without any."""

    number: int
    p50: int | None
    p90: int | None
    p99: int | None


#: A count, a time in milliseconds, or durations; None for a level that is still to come.
Value = int | Durations | None


class Figures(NamedTuple):
    """The number of the whole, of each label, and of each part by its key, and that of each part
    for each label if both are asked for. The key of what belongs to no part is empty.

    `histogram`: how many durations are below each of SHOWN_BOUNDS, but not below the one before,
    and last those above all.
    """

    total: Value
    steps: list[Value]
    parts: dict[str, Value]
    parts_by_step: dict[str, list[Value]]
    histogram: list[int] | None = None


def figures(database: Database, question: Question) -> Figures:
    """Returns the numbers that answer a question; of durations and threads only one axis: steps, or
    parts. Raises FactsChanged and StorageUnavailable."""
    measure = question.metric.measure
    if measure == "durations":
        return _durations(database, question)
    if measure == "threads":
        return _distinct(database, question)
    if measure == "level":
        return _levels(database, question)
    if measure == "time":
        return _summed(question, _times(database, question))
    return _summed(question, _groups(database, question, func.count()))


def _in_turns(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yields rows; others run after each half a millisecond, for events wait meanwhile."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % ROWS_A_TURN == 0:
            turns.give()


# Counts and times


_NUMBER = func.row_number(type_=BigInteger)
#: A label, the key of a part, and a number.
_Group = tuple[int, Any, Any]


def _groups(
    database: Database,
    question: Question,
    number: ColumnElement[Any],
    before: ColumnElement[int] | None = None,
) -> Iterator[_Group]:
    """Yields a number of each step, or of each part in it; with `before`, the time of the work
    before, only the first work of a step counts."""
    if question.on_postgres:
        source = questions.source(question)
        counted = questions.counted(question, source, source.label, number, before)
        yield from map(tuple, database.read_beside(counted))
        return
    # A step has its groups as one value of JSON: to group all rows by steps and parts at once takes
    # twice as long.
    each = step_table(question.steps)
    source = questions.of_step(question, each)
    hour = source.label if question.is_weekly else NO_PART
    counted = questions.counted(question, source, hour, number, before).correlate(each)
    groups = counted.subquery("groups").c
    collected = func.json_group_array(func.json_array(*groups))
    of_step = select(each.c.label, select(collected).scalar_subquery()).select_from(each)
    for label, found in database.read_beside(of_step):
        for hour_of_week, key, sum_or_count in from_json(found):
            yield hour_of_week if question.is_weekly else label, key, sum_or_count


def _times(database: Database, question: Question) -> Sequence[Sequence[Any]]:
    """Returns rows of a label, an admin, and the admin's time in the step (ms)."""
    each = step_table(question.steps)
    return database.read_beside(hours.spent(each, question.metric.hours, question.now_ms))


def _summed(question: Question, rows: Iterable[Sequence[Any]]) -> Figures:
    names = questions.names(question)
    labels = max(question.labels, 1)
    total, steps = 0, [0] * labels
    parts: dict[str, list[int]] = defaultdict(lambda: [0] * labels)
    for label, key, sum_or_count in _in_turns(rows):
        number = int(sum_or_count)
        total += number
        steps[label] += number
        for name in names(key):
            parts[name][label] += number
    totals: dict[str, Value] = {name: sum(of_steps) for name, of_steps in parts.items()}
    if not question.is_stepped:
        return Figures(total, [], totals, {})
    return Figures(total, list(steps), totals, {name: list(one) for name, one in parts.items()})


def _distinct(database: Database, question: Question) -> Figures:
    """Counts threads, each once in each number: at the first work of a step, or of the whole."""
    its = report_facts.c
    before = its.own_before if question.by == "admin" else its.before
    names, found = questions.names(question), Counter[Any]()
    for label, key, number in _in_turns(_groups(database, question, func.count(), before)):
        for name in (label,) if question.is_stepped else names(key):
            found[name] += number
    steps = [Step(question.begin, question.end, 0)]
    undivided = question._replace(steps=steps, labels=0, by=None)
    [(_, _, total)] = _groups(database, undivided, func.count(), its.before)
    return _on_axis(question, total, found, 0)


# Levels


def _levels(database: Database, question: Question) -> Figures:
    """Counts what lasts at the end of each step: what began before, less what ended. Steps of one
    label give the highest."""
    steps = [step._replace(label=at) for at, step in enumerate(question.steps)]
    # The first one begins with all that ever happened.
    each = question._replace(steps=[steps[0]._replace(begin=0), *steps[1:]])
    begins = report_facts.c.kind == question.metric.numbers[0]
    change = func.sum(case((begins, 1), else_=-1))
    names = questions.names(question)
    changes: dict[str | None, list[int]] = defaultdict(lambda: [0] * len(steps))
    for number, part, difference in _in_turns(_groups(database, each, change)):
        for name in (None, *names(part)):
            # Nothing at all gives one row without a number.
            changes[name][number] += difference or 0
    levels = {name: list(accumulate(some)) for name, some in changes.items()}
    whole = levels.pop(None, [0] * len(steps))
    last = sum(step.begin <= question.now_ms for step in question.steps)
    parts = {
        name: level[last - 1] if last else 0 for name, level in levels.items() if name is not None
    }
    by_step = {
        name: _highest(question, level) for name, level in levels.items() if name is not None
    }
    return Figures(
        whole[last - 1] if last else 0,
        _highest(question, whole) if question.is_stepped else [],
        {name: level for name, level in parts.items() if level or any(levels[name])},
        by_step if question.is_stepped else {},
    )


def _highest(question: Question, levels: Sequence[int]) -> list[Value]:
    found: dict[int, int] = {}
    for step, level in zip(question.steps, levels, strict=True):
        if step.begin <= question.now_ms:
            found[step.label] = max(level, found.get(step.label, 0))
    return [found.get(label) for label in range(question.labels)]


def highest_at(database: Database, question: Question, label: int) -> int | None:
    """Returns the end of the step of this label at which the level is the highest (ms), the first
    of several; None without one. Raises StorageUnavailable."""
    steps = [step._replace(label=at) for at, step in enumerate(question.steps)]
    single = question._replace(steps=steps, labels=len(steps), by=None)
    levels = _levels(database, single).steps
    known = [
        (-level, step.end)
        for step, level in zip(question.steps, levels, strict=True)
        if step.label == label and isinstance(level, int)
    ]
    return min(known)[1] if known else None


# Durations


class FactsChanged(Exception):
    """A fact went, or came, between two statements: each sees the facts of its own time."""


def _durations(database: Database, question: Question) -> Figures:
    """Counts buckets, then reads the durations at the places in them where percentiles are."""
    source = questions.source(question)
    axis = _Axis.of(database, question, source)
    whole, cells = _places(database, question, source, axis)
    none = Durations(0, None, None, None)
    if not whole.total:
        return _on_axis(question, none, {}, none)._replace(histogram=_histogram(whole.counts))
    found = dict[tuple[Any, ...], int]()
    statement = _at_places(question, source, axis, whole, cells)
    for name, bucket, at, at_in_all, duration in database.read_beside(statement):
        found[name, bucket, at] = found[bucket, at_in_all] = duration
    try:
        parts = {
            shown: Durations(cell.total, *(found[name, *place] for place in cell.places))
            for name, cell in cells.items()
            for shown in axis.names(name)
        }
        total = Durations(whole.total, *(found[place] for place in whole.places))
    except KeyError as error:
        raise FactsChanged() from error
    return _on_axis(question, total, parts, none)._replace(histogram=_histogram(whole.counts))


class _Axis(NamedTuple):
    """The steps or parts by which durations are counted: the key of each fact. Parts that overlap
    have a table of the keys and the names that each counts for; `names` shows any other key."""

    key: ColumnElement[Any]
    names: Callable[[Any], Iterable[Any]]
    table: CTE | None = None

    @classmethod
    def of(cls, database: Database, question: Question, source: Source) -> "_Axis":
        """Returns the axis of a question. Raises StorageUnavailable."""
        if question.is_stepped:
            return cls(source.label, lambda label: (label,))
        key, names = questions.key(question), questions.names(question)
        if question.by not in OVERLAPPING:
            return cls(key, names)
        keys = select(key).select_from(source.rows).where(*source.conditions).distinct()
        rows = [(one, name) for (one,) in database.read_beside(keys) for name in names(one)]
        if not rows:
            return cls(NO_PART, lambda name: ())
        columns = [column("key", key.type), column("name", Text)]
        return cls(key, lambda name: (name,), json_table(question.on_postgres, columns, rows))

    def named(self, rows: CTE | Subquery) -> tuple[FromClause, ColumnElement[Any]]:
        """Returns rows that have a `key`, each once for each of its names, and the name."""
        if self.table is None:
            return rows, rows.c.key
        its = self.table.c
        return rows.join(self.table, its.key == rows.c.key, isouter=True), its.name


class _Places(NamedTuple):
    """The number of durations, and for each percentile the bucket and the place in it, from 1 on;
    `counts`: how many are in each bucket, of the whole alone."""

    total: int
    places: list[tuple[int, int]]
    counts: Counter[int]


def _buckets(question: Question, source: Source, axis: _Axis) -> Select[Any]:
    """Selects (null, bucket, count, 0) of the whole, and of each name, for the buckets with
    percentiles, (name, bucket, how many durations are in those before, in all)."""
    value, bucket = questions.duration_columns(question)
    columns = axis.key.label("key"), bucket.label("bucket"), func.count().label("n")
    counted: Select[Any] = select(*columns).select_from(source.rows)
    counted = counted.where(*source.conditions, value.is_not(None))
    keys = (column for column in (axis.key, bucket) if column is not NO_PART)
    counts = counted.group_by(*keys).cte("counts")
    rows, name = axis.named(counts)
    number = func.sum(counts.c.n).label("n")
    each = select(name.label("name"), counts.c.bucket, number).select_from(rows)
    each = each.where(name.is_not(None)).group_by(name, counts.c.bucket)
    its = each.subquery("each").c
    upto = func.sum(its.n).over(partition_by=its.name, order_by=its.bucket).label("upto")
    total = func.sum(its.n).over(partition_by=its.name).label("total")
    running = select(its.name, its.bucket, its.n, upto, total).subquery("running").c
    before = running.upto - running.n
    has_place = (
        (percent * running.total > 100 * before) & (percent * running.total <= 100 * running.upto)
        for percent in PERCENTILES
    )
    named = select(running.name, running.bucket, before, running.total).where(or_(*has_place))
    whole = select(cast(null(), name.type), counts.c.bucket, number, literal(0))
    both = union_all(whole.group_by(counts.c.bucket), named)
    return select(both.subquery("buckets"))


def _places(
    database: Database, question: Question, source: Source, axis: _Axis
) -> tuple[_Places, dict[Any, _Places]]:
    """Returns the places of the whole, and those of each name."""
    counts, rows = Counter[int](), defaultdict[Any, list[tuple[int, int]]](list)
    totals = dict[Any, int]()
    for name, bucket, number, of_all in database.read_beside(_buckets(question, source, axis)):
        if name is None:
            counts[bucket] = int(number)
        else:
            rows[name].append((bucket, int(number)))
            totals[name] = int(of_all)
    ordered = sorted(counts)
    before = accumulate((counts[bucket] for bucket in ordered), initial=0)
    in_all = counts.total()
    whole = _Places(in_all, _placed(list(zip(ordered, before, strict=False)), in_all), counts)
    return whole, {
        name: _Places(totals[name], _placed(sorted(some), totals[name]), Counter())
        for name, some in rows.items()
    }


def _placed(buckets: Sequence[tuple[int, int]], total: int) -> list[tuple[int, int]]:
    """Returns the place of each percentile, by buckets in order and the durations before each."""
    ranks = [-(-percent * total // 100) for percent in PERCENTILES] if total else []
    found = []
    for rank in ranks:
        bucket, before = [pair for pair in buckets if pair[1] < rank][-1]
        found.append((bucket, rank - before))
    return found


def _at_places(
    question: Question, source: Source, axis: _Axis, whole: _Places, cells: Mapping[Any, _Places]
) -> Select[Any]:
    """Selects the durations at places: the name, the bucket, the place in it among those of the
    name and among all, and the duration."""
    value, bucket = questions.duration_columns(question)
    places = {(name, *place) for name, cell in cells.items() for place in cell.places}
    in_all = set(whole.places)
    wanted: ColumnElement[bool]
    if axis.table is None:
        pairs = {place[:2] for place in places}
        wanted = bucket.in_({place[0] for place in in_all})
        wanted |= _is_among(question, (axis.key, bucket), pairs)
    else:
        wanted = bucket.in_({place[-2] for place in places | in_all})
    at_in_all = _NUMBER.over(partition_by=bucket, order_by=value).label("at_in_all")
    columns = axis.key.label("key"), bucket.label("bucket"), value.label("duration"), at_in_all
    some: Select[Any] = select(*columns).select_from(source.rows).where(*source.conditions, wanted)
    numbered = some.subquery("numbered")
    rows, name = axis.named(numbered)
    its = numbered.c
    order = _NUMBER.over(partition_by=[name, its.bucket], order_by=its.duration)
    numbers = order.label("at"), its.at_in_all, its.duration
    joined: Select[Any] = select(name.label("name"), its.bucket, *numbers).select_from(rows)
    placed = joined.subquery("placed").c
    return select(*placed).where(
        _is_among(question, (placed.name, placed.bucket, placed.at), places)
        | _is_among(question, (placed.bucket, placed.at_in_all), in_all)
    )


def _is_among(
    question: Question, its: Sequence[ColumnElement[Any]], rows: Set[tuple[Any, ...]]
) -> ColumnElement[bool]:
    """Whether columns equal one of these rows: a table, as PostgreSQL compares with each row of a
    list."""
    columns = [column(f"column{at}", each.type) for at, each in enumerate(its)]
    return tuple_(*its).in_(select(*json_table(question.on_postgres, columns, sorted(rows)).c))


def _histogram(counts: Counter[int]) -> list[int]:
    edges = [bucket_of(bound) for bound in SHOWN_BOUNDS]
    found, at = [0] * (len(edges) + 1), 0
    for bucket in sorted(counts):
        while at < len(edges) and bucket >= (edges[at] or 0):
            at += 1
        found[at] += counts[bucket]
    return found


def _on_axis(question: Question, total: Value, found: Mapping[Any, Value], none: Value) -> Figures:
    if question.is_stepped:
        steps = [found.get(label, none) for label in range(question.labels)]
        return Figures(total, steps, {}, {})
    return Figures(total, [], dict(found), {})


# The threads behind a number


class Behind(NamedTuple):
    """The threads behind a number: ids in their order, and the values of the order: the longest
    time (ms) of durations, else when it happened last, or since when a thread waited. `times`: how
    often it happened in the `total` threads; `next`: the position after which more follow."""

    ids: list[int]
    values: list[int]
    total: int
    times: int
    next: tuple[int, int] | None


class Wanted(NamedTuple):
    """The threads to read: up to `limit` after a position, of a part, None: of the whole. Of
    durations only those of at least `least` and below `below` ms."""

    part: str | None
    limit: int
    after: tuple[int, int] | None
    least: int | None = None
    below: int | None = None


def behind(database: Database, question: Question, wanted: Wanted) -> Behind:
    """Returns threads behind a number: the longest first, or those first that it happened to last.

    Raises StorageUnavailable.
    """
    is_level = question.metric.measure == "level"
    # The longest wait began first; all others have the highest value first.
    sign = 1 if is_level else -1
    rows = _threads(question, wanted, sign).subquery("found")
    total = select(func.count()).select_from(rows).scalar_subquery()
    count = select(func.sum(rows.c.times)).scalar_subquery()
    statement = select(rows.c.id, rows.c.score, total, count)
    if wanted.after is not None:
        value_after, id_after = wanted.after
        place = tuple_(rows.c.score, rows.c.id)
        statement = statement.where(place > tuple_(sign * value_after, id_after))
    ordered = statement.order_by(rows.c.score, rows.c.id).limit(wanted.limit + 1)
    shown = database.read_beside(ordered)
    part = shown[: wanted.limit]
    ids, values = [id for id, *_ in part], [sign * score for _, score, *_ in part]
    _, _, threads, times = shown[0] if shown else (0, 0, 0, 0)
    last = (values[-1], ids[-1]) if len(shown) > wanted.limit else None
    return Behind(ids, values, threads, threads if is_level else int(times), last)


def _threads(question: Question, wanted: Wanted, sign: int) -> Select[Any]:
    """Selects the threads behind a number, each with the signed value of its place, and how often
    it happened."""
    its, metric = report_facts.c, question.metric
    source = _of_part(question, wanted.part)
    value: ColumnElement[int] = its.at
    limits = [its.at < question.end]
    if metric.measure != "level":
        limits.append(its.at >= question.begin)
    if metric.measure == "durations":
        value, _ = questions.duration_columns(question)
        limits += _within(value, wanted)
    score = (sign * func.max(value)).label("score")
    columns = its.thread_id.label("id"), score, func.count().label("times")
    found: Select[Any] = select(*columns).select_from(source.rows)
    found = found.where(*source.conditions, *limits).group_by(its.thread_id)
    if metric.measure != "level":
        return found
    begins = its.kind == metric.numbers[0]
    return found.having(func.sum(case((begins, 1), else_=-1)) > 0)


def _of_part(question: Question, part: str | None) -> Source:
    """Returns what to read the facts of a part from; None: of the whole."""
    if question.is_weekly and part is not None:
        source = questions.source(question)
        source.conditions.append(source.label == int(part))
        return source
    of_part = [] if part is None else [questions.is_part(question, part)]
    return Source(report_facts, NO_PART, NO_PART, [*questions.facts(question), *of_part])


def _within(value: ColumnElement[int], wanted: Wanted) -> list[ColumnElement[bool]]:
    bounds: list[ColumnElement[bool]] = [value.is_not(None)]
    bounds += [] if wanted.least is None else [value >= wanted.least]
    return bounds + ([] if wanted.below is None else [value < wanted.below])
