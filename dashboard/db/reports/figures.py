"""The numbers of reports: counted by SQL from facts, exactly."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    case,
    cast,
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
from dashboard.db.reports.questions import Question, Source
from dashboard.turns import turns

#: The percentiles of lengths, by nearest rank: p90 is the least length that 90 % do not exceed.
PERCENTILES = (50, 90, 99)
#: Rows between two turns of others.
ROWS_A_TURN = 250


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


def _in_turns(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yields rows; others run after each half a millisecond, for events wait meanwhile."""
    for number, row in enumerate(rows, 1):
        yield row
        if number % ROWS_A_TURN == 0:
            turns.give()


# Counts and times


#: A label, the key of the part, and a number.
_Row = tuple[int, Any, int]


def _counts(database: Database, question: Question) -> Iterable[_Row]:
    source = questions.source(question, question.steps)
    columns = source.label, questions.key(question)
    counted = select(*columns, func.count()).select_from(source.rows)
    found = database.read_beside(questions.grouped(counted.where(*source.conditions), columns))
    return [(label, key, number) for label, key, number in found]


def _times(database: Database, question: Question) -> Iterable[_Row]:
    """Returns the times of admins in each step."""
    spent = hours.spent(questions.steps(question.steps), question.metric.hours, question.now_ms)
    return [(label, id, int(spent)) for label, id, spent in database.read_beside(spent)]


def _summed(question: Question, rows: Iterable[_Row]) -> Figures:
    names = questions.names(question)
    labels = max(question.labels, 1)
    total, steps = 0, [0] * labels
    parts: dict[str, list[int]] = defaultdict(lambda: [0] * labels)
    for label, key, number in _in_turns(rows):
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
    source, its = questions.source(question, question.steps), report_facts.c
    axis, names = questions.axis(question, source)
    before = its.own_before if question.by == "admin" else its.before

    def counted(before: ColumnElement[int], since: ColumnElement[int]) -> Select[Any]:
        first = or_(before.is_(None), before < since)
        counts: Select[Any] = select(axis, func.count()).select_from(source.rows)
        return questions.grouped(counts.where(*source.conditions, first), (axis,))

    found = Counter[Any]()
    for key, number in _in_turns(database.read_beside(counted(before, source.begin))):
        for name in names(key):
            found[name] += number
    begin = literal(question.begin, BigInteger)
    whole = database.read_beside(counted(its.before, begin))
    return _on_axis(question, sum(number for _, number in whole), found, 0)


# Levels


def _levels(database: Database, question: Question) -> Figures:
    """Counts what lasts at the end of each step: what began before, less what ended. Steps of one
    label give the highest."""
    steps = [step._replace(label=at) for at, step in enumerate(question.steps)]
    # The first one begins with all that ever happened.
    source = questions.source(question, [steps[0]._replace(begin=0), *steps[1:]])
    begins = report_facts.c.kind == question.metric.numbers[0]
    columns = source.label, questions.key(question)
    change = func.sum(case((begins, 1), else_=-1))
    statement = select(*columns, change).select_from(source.rows).where(*source.conditions)
    names = questions.names(question)
    changes: dict[str | None, list[int]] = defaultdict(lambda: [0] * len(steps))
    statement = questions.grouped(statement, columns)
    for number, part, difference in _in_turns(database.read_beside(statement)):
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


# Lengths


def _lengths(database: Database, question: Question) -> Figures:
    """Counts buckets, then reads the lengths at the places in them where percentiles are."""
    if question.by in OVERLAPPING:
        return _overlapping(database, question)
    source = questions.source(question, question.steps)
    axis, names = questions.axis(question, source)
    whole, cells = _places(database, question, source, axis)
    found = dict[tuple[Any, ...], int]()
    if whole.total:
        for key, bucket, at, at_in_all, length in _at(
            database, question, source, axis, whole, cells
        ):
            found[key, bucket, at] = found[bucket, at_in_all] = length
    parts = {
        name: Lengths(cell.total, *(found[key, *place] for place in cell.places))
        for key, cell in cells.items()
        for name in names(key)
    }
    none = Lengths(0, None, None, None)
    total = Lengths(whole.total, *(found[place] for place in whole.places)) if whole.total else none
    histogram = _histogram(whole.counts)
    return _on_axis(question, total, parts, none)._replace(histogram=histogram)


class _Places(NamedTuple):
    """The number of lengths, and for each percentile the bucket and the place in it, from 1 on;
    `counts`: how many are in each bucket, of the whole alone."""

    total: int
    places: list[tuple[int, int]]
    counts: Counter[int]


def _buckets(question: Question, source: Source, axis: ColumnElement[Any]) -> Select[Any]:
    """Selects (null, bucket, count, 0) of the whole, and of each value of an axis, for the buckets
    with percentiles, (value, bucket, how many lengths are in those before, in all)."""
    value, bucket = questions.length_columns(question)
    columns = axis.label("axis"), bucket.label("bucket"), func.count().label("n")
    counted: Select[Any] = select(*columns).select_from(source.rows)
    counted = counted.where(*source.conditions, value.is_not(None))
    each = questions.grouped(counted, (axis, bucket)).cte("counts")
    upto = func.sum(each.c.n).over(partition_by=each.c.axis, order_by=each.c.bucket)
    total = func.sum(each.c.n).over(partition_by=each.c.axis)
    running = select(each, upto.label("upto"), total.label("total")).subquery("running")
    before = running.c.upto - running.c.n
    is_reached = 100 * running.c.upto
    has_place = (
        and_(percent * running.c.total > 100 * before, percent * running.c.total <= is_reached)
        for percent in PERCENTILES
    )
    of_axis = select(running.c.axis, running.c.bucket, before, running.c.total)
    of_axis = of_axis.where(or_(*has_place))
    no_axis = cast(null(), running.c.axis.type)
    in_all = select(no_axis, each.c.bucket, func.sum(each.c.n), literal(0)).group_by(each.c.bucket)
    return select(union_all(in_all, of_axis).subquery("buckets"))


def _places(
    database: Database, question: Question, source: Source, axis: ColumnElement[Any]
) -> tuple[_Places, dict[Any, _Places]]:
    """Returns the places of the whole, and those of each value of an axis."""
    counts, rows = Counter[int](), defaultdict[Any, list[tuple[int, int]]](list)
    totals = dict[Any, int]()
    for key, bucket, number, of_all in database.read_beside(_buckets(question, source, axis)):
        if key is None:
            counts[bucket] = int(number)
        else:
            rows[key].append((bucket, int(number)))
            totals[key] = int(of_all)
    ordered = sorted(counts)
    before = accumulate((counts[bucket] for bucket in ordered), initial=0)
    in_all = counts.total()
    whole = _Places(in_all, _placed(list(zip(ordered, before, strict=False)), in_all), counts)
    return whole, {
        key: _Places(totals[key], _placed(sorted(some), totals[key]), Counter())
        for key, some in rows.items()
    }


def _placed(buckets: Sequence[tuple[int, int]], total: int) -> list[tuple[int, int]]:
    """Returns the place of each percentile, by buckets in order and the lengths before each."""
    ranks = [-(-percent * total // 100) for percent in PERCENTILES] if total else []
    found = []
    for rank in ranks:
        bucket, before = [pair for pair in buckets if pair[1] < rank][-1]
        found.append((bucket, rank - before))
    return found


def _at(
    database: Database,
    question: Question,
    source: Source,
    axis: ColumnElement[Any],
    whole: _Places,
    cells: Mapping[Any, _Places],
) -> Iterable[Sequence[Any]]:
    """Reads the lengths at places: the value of the axis, the bucket, the place in it of this value
    and of all, and the length."""
    value, bucket = questions.length_columns(question)
    places = {(key, *place) for key, cell in cells.items() for place in cell.places}
    pairs = sorted({place[:2] for place in places})
    wanted = or_(bucket.in_({place[0] for place in whole.places}), tuple_(axis, bucket).in_(pairs))
    order = (
        func.row_number().over(partition_by=[axis, bucket], order_by=value).label("at"),
        func.row_number().over(partition_by=bucket, order_by=value).label("at_in_all"),
    )
    columns = axis.label("axis"), bucket.label("bucket"), *order, value.label("length")
    rows: Select[Any] = select(*columns).select_from(source.rows)
    numbered = rows.where(*source.conditions, wanted).subquery("numbered")
    its = numbered.c
    at_place = or_(
        tuple_(its.axis, its.bucket, its.at).in_(sorted(places)),
        tuple_(its.bucket, its.at_in_all).in_(sorted(set(whole.places))),
    )
    return database.read_beside(select(numbered).where(at_place))


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


def _overlapping(database: Database, question: Question) -> Figures:
    """Does the same for parts that overlap: rows of several keys are added up here."""
    source = questions.source(question, question.steps)
    axis, names = questions.axis(question, source)
    value, bucket = questions.length_columns(question)
    statement = select(axis, bucket, func.count()).select_from(source.rows)
    statement = statement.where(*source.conditions, value.is_not(None))
    statement = questions.grouped(statement, (axis, bucket))
    whole, cells = _Cell(), defaultdict[Any, _Cell](_Cell)
    for key, number, count in _in_turns(database.read_beside(statement)):
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
        found = select(axis, bucket, value).select_from(source.rows)
        found = found.where(*source.conditions, wanted)
        for key, number, length in _in_turns(database.read_beside(found)):
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


def _on_axis(question: Question, total: Value, found: Mapping[Any, Value], none: Value) -> Figures:
    if question.is_stepped:
        steps = [found.get(label, none) for label in range(question.labels)]
        return Figures(total, steps, {}, {})
    return Figures(total, [], dict(found), {})
