"""The numbers of reports: counted by SQL from facts, exactly."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    and_,
    case,
    column,
    func,
    literal,
    literal_column,
    or_,
    select,
    tuple_,
    values,
)

from dashboard.db import conditions
from dashboard.db.database import Database
from dashboard.db.models.reports import report_facts
from dashboard.db.models.threads import threads
from dashboard.db.reports import hours
from dashboard.db.reports.facts import SHOWN_BOUNDS, bucket_of
from dashboard.db.reports.metrics import COLUMNS, Metric
from dashboard.db.threads.thread_tags import in_column, tags_in
from scoring.conditions.resolved import Resolved

#: The percentiles of lengths, by nearest rank: p90 is the least length that 90 % do not exceed.
PERCENTILES = (50, 90, 99)
_HOUR_MS, WEEK_HOURS = 3_600_000, 168
_TEXTS = ("desk", "tag", "language")
#: A key for all rows; GROUP BY 0 would name a column.
_NO_PART: ColumnElement[int] = literal_column("0 + 0", Integer)


class Step(NamedTuple):
    """A part of the time from `begin` until just before `end`; steps of one label count together.
    Labels are numbers from 0."""

    begin: int
    end: int
    label: int


class Question(NamedTuple):
    """A metric over steps, in order and without gaps; `by`: what divides it into parts.

    `labels`: the number of labels, 0: only one number is asked for. `is_weekly`: steps have offsets
    of a time zone instead of labels, and labels are the hours of a week. `opening`: lengths in
    opening time. `source_id`: only threads of this source; `query`: only threads for which it holds
    now. `views`: the ids and queries of the parts of `view`. Times in milliseconds.
    """

    metric: Metric
    steps: Sequence[Step]
    by: str | None
    now_ms: int
    labels: int = 0
    is_weekly: bool = False
    opening: bool = False
    source_id: int | None = None
    query: Resolved | None = None
    views: Sequence[tuple[int, Resolved]] = ()

    @property
    def is_stepped(self) -> bool:
        """Whether one number a label is asked for."""
        return self.labels > 0

    @property
    def begin(self) -> int:
        return self.steps[0].begin

    @property
    def end(self) -> int:
        return self.steps[-1].end


class Lengths(NamedTuple):
    """The number of lengths, and their percentiles in milliseconds, None without any."""

    number: int
    p50: int | None
    p90: int | None
    p99: int | None


#: A count, a time in milliseconds, or lengths; None for a level that is still to come.
Value = int | Lengths | None


class Figures(NamedTuple):
    """The number of the whole, of each label, and of each part by its key, and that of each part
    for each label if both are asked for. The key of what belongs to no part is empty.

    `histogram`: how many lengths are below each of SHOWN_BOUNDS, but not below the one before, and
    last those above all.
    """

    total: Value
    steps: list[Value]
    parts: dict[str, Value]
    parts_by_step: dict[str, list[Value]]
    histogram: list[int] | None = None


def figures(database: Database, question: Question) -> Figures:
    """Returns the numbers that answer a question; of lengths and threads only one axis: steps, or
    parts. Raises StorageUnavailable."""
    measure = question.metric.measure
    if measure == "lengths":
        return _lengths(database, question)
    if measure == "threads":
        return _distinct(database, question)
    if measure == "level":
        return _levels(database, question)
    rows = _times(database, question) if measure == "time" else _counts(database, question)
    return _summed(question, rows)


# Counts and times


#: A label, the key of the part, and a number.
_Row = tuple[int, Any, int]


def _counts(database: Database, question: Question) -> Iterable[_Row]:
    steps, rows = _steps(question.steps), _facts(question)
    columns = _label(question, steps), _key(question)
    counted = select(*columns, func.count()).select_from(_joined(question, steps))
    found = database.read_beside(counted.where(*rows).group_by(*columns))
    return [(label, key, number) for label, key, number in found]


def _times(database: Database, question: Question) -> Iterable[_Row]:
    """Returns the times of admins in each step."""
    spent = hours.spent(_steps(question.steps), question.metric.hours, question.now_ms)
    return [(label, id, int(spent)) for label, id, spent in database.read_beside(spent)]


def _summed(question: Question, rows: Iterable[_Row]) -> Figures:
    names = _names(question)
    labels = max(question.labels, 1)
    total, steps = 0, [0] * labels
    parts: dict[str, list[int]] = defaultdict(lambda: [0] * labels)
    for label, key, number in rows:
        total += number
        steps[label] += number
        for name in names(key):
            parts[name][label] += number
    return Figures(
        total,
        list(steps) if question.is_stepped else [],
        {name: sum(of_steps) for name, of_steps in parts.items()},
        {name: list(of_steps) for name, of_steps in parts.items()} if question.is_stepped else {},
    )


def _distinct(database: Database, question: Question) -> Figures:
    """Counts threads, each once in each number: at the first work of a step, or of the whole."""
    steps, its = _steps(question.steps), report_facts.c
    axis, names = _axis(question, steps)
    source, rows = _joined(question, steps), _facts(question)
    begin = steps.c.begin if question.is_stepped else literal(question.begin, BigInteger)
    before = its.own_before if question.by == "admin" else its.before
    first = or_(before.is_(None), before < begin)
    whole = or_(its.before.is_(None), its.before < literal(question.begin, BigInteger))
    counts = func.sum(case((first, 1), else_=0)), func.sum(case((whole, 1), else_=0))
    statement = select(axis, *counts).select_from(source).where(*rows).group_by(axis)
    total, found = 0, Counter[Any]()
    for key, number, in_all in database.read_beside(statement):
        total += int(in_all)
        for name in names(key):
            found[name] += int(number)
    return _on_axis(question, total, found, 0)


# Levels


def _levels(database: Database, question: Question) -> Figures:
    """Counts what lasts at the end of each step: what began before, less what ended. Steps of one
    label give the highest."""
    numbered = [step._replace(label=at) for at, step in enumerate(question.steps, 1)]
    steps = _steps([Step(0, question.begin, 0), *numbered])
    key, metric = _key(question), question.metric
    begins = report_facts.c.kind == metric.numbers[0]
    change = func.sum(case((begins, 1), else_=-1))
    source = _joined(question, steps)
    statement = select(steps.c.label, key, change).select_from(source).where(*_facts(question))
    names = _names(question)
    changes: dict[str | None, list[int]] = defaultdict(lambda: [0] * (len(numbered) + 1))
    statement = statement.group_by(steps.c.label, key)
    for number, part, difference in database.read_beside(statement):
        for name in (None, *names(part)):
            changes[name][number] += difference
    levels = {name: list(accumulate(some))[1:] for name, some in changes.items()}
    whole = levels.pop(None, [0] * len(numbered))
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


# Lengths


class _Cell:
    """Lengths that are counted together: how many are in each bucket."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        #: The values of its axis that it is made of.
        self.keys: set[Any] = set()
        self.found: dict[int, list[int]] = defaultdict(list)

    def ranks(self) -> list[tuple[int, int]]:
        """Returns for each percentile the bucket, and the place within it."""
        total, places = self.counts.total(), []
        for percent in PERCENTILES:
            left = -(-percent * total // 100)
            for bucket in sorted(self.counts):
                if left <= self.counts[bucket]:
                    places.append((bucket, left - 1))
                    break
                left -= self.counts[bucket]
        return places

    def lengths(self) -> Lengths:
        places = self.ranks()
        if not places:
            return Lengths(0, None, None, None)
        found = {bucket: sorted(self.found[bucket]) for bucket, _ in places}
        return Lengths(self.counts.total(), *(found[bucket][at] for bucket, at in places))


def _lengths(database: Database, question: Question) -> Figures:
    """Counts buckets, then reads the lengths of those in which percentiles are: few of them."""
    steps, rows = _steps(question.steps), _facts(question)
    axis, names = _axis(question, steps)
    source = _joined(question, steps)
    value, bucket = _length_columns(question)
    statement = select(axis, bucket, func.count()).select_from(source)
    statement = statement.where(*rows, value.is_not(None)).group_by(axis, bucket)
    whole, cells = _Cell(), defaultdict[Any, _Cell](_Cell)
    for key, number, count in database.read_beside(statement):
        for cell in (whole, *(cells[name] for name in names(key))):
            cell.counts[number] += count
            cell.keys.add(key)
    if whole.counts:
        pairs = {
            (key, number)
            for cell in cells.values()
            for number, _ in cell.ranks()
            for key in cell.keys
        }
        of_whole = {number for number, _ in whole.ranks()}
        wanted: ColumnElement[bool] = bucket.in_(sorted(of_whole))
        if pairs:
            wanted = or_(wanted, tuple_(axis, bucket).in_(sorted(pairs)))
        found = select(axis, bucket, value).select_from(source).where(*rows, wanted)
        for key, number, length in database.read_beside(found):
            for cell in (whole, *(cells[name] for name in names(key))):
                cell.found[number].append(length)
    found_lengths = {name: cell.lengths() for name, cell in cells.items()}
    histogram = _histogram(whole.counts)
    none = Lengths(0, None, None, None)
    return _on_axis(question, whole.lengths(), found_lengths, none)._replace(histogram=histogram)


def _histogram(counts: Counter[int]) -> list[int]:
    edges = [bucket_of(bound) for bound in SHOWN_BOUNDS]
    found, at = [0] * (len(edges) + 1), 0
    for bucket in sorted(counts):
        while at < len(edges) and bucket >= (edges[at] or 0):
            at += 1
        found[at] += counts[bucket]
    return found


def _length_columns(question: Question) -> tuple[ColumnElement[int], ColumnElement[int]]:
    its = report_facts.c
    return (its.opening, its.opening_bucket) if question.opening else (its.value, its.bucket)


# The threads behind a number


class Behind(NamedTuple):
    """The threads behind a number: ids in their order, with the value of the order; `next`: the
    position after which more follow."""

    ids: list[int]
    total: int
    next: tuple[int, int] | None


class Wanted(NamedTuple):
    """The threads to read: up to `limit` after a position, of a part, None: of the whole. Of
    lengths only those of at least `least` and below `below` ms."""

    part: str | None
    limit: int
    after: tuple[int, int] | None
    least: int | None = None
    below: int | None = None


def behind(database: Database, question: Question, wanted: Wanted) -> Behind:
    """Returns threads behind a number: the longest first, or those first that it happened to last.

    Raises StorageUnavailable.
    """
    its, metric = report_facts.c, question.metric
    source, of_part = _of_part(question, wanted.part)
    conditions_of = [*_facts(question), *of_part]
    score: ColumnElement[int]
    if metric.measure == "level":
        conditions_of.append(its.at < question.end)
        score = func.max(its.at)
    else:
        conditions_of += [its.at >= question.begin, its.at < question.end]
        value, _ = _length_columns(question)
        conditions_of += _within(value, wanted) if metric.measure == "lengths" else []
        score = -func.max(value if metric.measure == "lengths" else its.at)
    found = select(its.thread_id.label("id"), score.label("score")).select_from(source)
    found = found.where(*conditions_of).group_by(its.thread_id)
    if metric.measure == "level":
        begins = its.kind == metric.numbers[0]
        found = found.having(func.sum(case((begins, 1), else_=-1)) > 0)
    rows = found.subquery("found")
    total = select(func.count()).select_from(rows).scalar_subquery()
    statement = select(rows.c.id, rows.c.score, total)
    if wanted.after is not None:
        statement = statement.where(tuple_(rows.c.score, rows.c.id) > tuple_(*wanted.after))
    ordered = statement.order_by(rows.c.score, rows.c.id).limit(wanted.limit + 1)
    shown = database.read_beside(ordered)
    ids = [id for id, *_ in shown[: wanted.limit]]
    position = (shown[len(ids) - 1][1], ids[-1]) if len(shown) > wanted.limit else None
    return Behind(ids, shown[0][2] if shown else 0, position)


def _of_part(question: Question, part: str | None) -> tuple[Any, list[ColumnElement[bool]]]:
    """Returns what to read the facts of a part from, and its conditions."""
    if part is None:
        return report_facts, []
    if not question.is_weekly:
        return report_facts, [_is_part(question, part)]
    steps = _steps(question.steps)
    return _joined(question, steps), [_label(question, steps) == int(part)]


def _within(value: ColumnElement[int], wanted: Wanted) -> list[ColumnElement[bool]]:
    bounds: list[ColumnElement[bool]] = [value.is_not(None)]
    bounds += [] if wanted.least is None else [value >= wanted.least]
    return bounds + ([] if wanted.below is None else [value < wanted.below])


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


def _is_part(question: Question, part: str) -> ColumnElement[bool]:
    by = question.by
    if by == "view":
        resolved = dict(question.views)[int(part)]
        return report_facts.c.thread_id.in_(_holding(question, resolved))
    assert by is not None
    its = COLUMNS[by]
    if part == "":
        return its.is_(None)
    if by == "tag":
        return its.contains(in_column([part]))
    if by == "language":
        return func.lower(its.concat("-")).startswith(f"{part}-", autoescape=True)
    return its == (part if by in _TEXTS else int(part))


# Clauses


def _steps(steps: Iterable[Step]) -> CTE:
    columns = column("label", Integer), column("begin", BigInteger), column("end", BigInteger)
    rows = [(step.label, step.begin, step.end) for step in steps]
    return values(*columns, name="steps").data(rows).cte()


def _facts(question: Question) -> list[ColumnElement[bool]]:
    """The conditions on facts, except on their time."""
    found: list[ColumnElement[bool]] = [report_facts.c.kind.in_(question.metric.numbers)]
    if question.source_id is not None:
        found.append(report_facts.c.source_id == question.source_id)
    if question.query is not None:
        found.append(report_facts.c.thread_id.in_(_holding(question, question.query)))
    return found


def _holding(question: Question, resolved: Resolved) -> Select[Any]:
    holds = conditions.where(resolved, question.now_ms)
    return select(threads.c.id).select_from(conditions.threads_of(resolved)).where(holds)


def _joined(question: Question, steps: CTE) -> Any:
    its = report_facts.c
    source = steps.join(report_facts, and_(its.at >= steps.c.begin, its.at < steps.c.end))
    if question.by != "view":
        return source
    attributes = {leaf.attribute for _, view in question.views for leaf in view.leaves()}
    seen = conditions.joined(attributes)
    mask: ColumnElement[int] = literal(0, BigInteger)
    for at, (_, resolved) in enumerate(question.views):
        holds = conditions.where(resolved, question.now_ms)
        mask = mask + case((holds, 1 << at), else_=0)
    masks = select(threads.c.id, mask.label("mask")).select_from(seen).subquery("masks")
    return source.join(masks, masks.c.id == its.thread_id)


def _label(question: Question, steps: CTE) -> ColumnElement[int]:
    if not question.is_weekly:
        return steps.c.label
    # The first hour of 1970 was the first one of a Thursday.
    hours = (report_facts.c.at + steps.c.label) // literal(_HOUR_MS, BigInteger) + 72
    return hours % WEEK_HOURS


def _key(question: Question) -> ColumnElement[Any]:
    """The key of the part that a fact belongs to: never null."""
    if question.by is None or question.by == "hour":
        return _NO_PART
    if question.by == "view":
        return column("mask", BigInteger)
    return func.coalesce(COLUMNS[question.by], "" if question.by in _TEXTS else -2)


def _names(question: Question) -> Callable[[Any], Iterable[str]]:
    """Returns a function from the key of a row to the names of the parts that it counts for."""
    if question.by is None or question.by == "hour":
        return lambda key: ()
    if question.by == "tag":
        return lambda key: tags_in(key or None) or [""]
    if question.by == "language":
        return lambda key: [key.partition("-")[0].lower()]
    if question.by == "view":
        ids = [str(id) for id, _ in question.views]
        return lambda mask: [id for at, id in enumerate(ids) if mask >> at & 1]
    return lambda key: ["" if key == -2 else str(key)]


def _axis(
    question: Question, steps: CTE
) -> tuple[ColumnElement[Any], Callable[[Any], Iterable[Any]]]:
    """Returns what divides lengths and threads, steps or parts, and the names of its parts."""
    if question.is_stepped:
        return _label(question, steps), lambda label: (label,)
    return _key(question), _names(question)


def _on_axis(question: Question, total: Value, found: Mapping[Any, Value], none: Value) -> Figures:
    if question.is_stepped:
        steps = [found.get(label, none) for label in range(question.labels)]
        return Figures(total, steps, {}, {})
    return Figures(total, [], dict(found), {})
