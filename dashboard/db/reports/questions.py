"""The question of a report, and the clauses of SQL that follow from it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    FromClause,
    Integer,
    Select,
    case,
    column,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
)

from dashboard.db import conditions
from dashboard.db.models.reports import report_facts
from dashboard.db.models.threads import threads
from dashboard.db.reports.metrics import COLUMNS, Metric
from dashboard.db.steps import Step, step_table
from dashboard.db.threads.thread_tags import in_column, tags_in
from scoring.conditions.resolved import Resolved

_HOUR_MS, WEEK_HOURS = 3_600_000, 168
_TEXTS = ("desk", "tag", "language")
#: A key for all rows. Not in GROUP BY: that would only take time, and 0 would name a column.
NO_PART: ColumnElement[int] = literal_column("0 + 0", Integer)


class Question(NamedTuple):
    """A metric over steps, in order and without gaps; `by`: what divides it into parts.

    `labels`: the number of labels, 0: only one number is asked for. `is_weekly`: steps have offsets
    of a time zone instead of labels, and labels are the hours of a week. `opening`: durations in
    opening time. `source_id`: only threads of this source; `query`: only threads for which it holds
    now. `views`: the ids and queries of the parts of `view`. `on_postgres`: PostgreSQL answers, not
    SQLite. Times in milliseconds.
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
    on_postgres: bool = False

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


def facts(question: Question) -> list[ColumnElement[bool]]:
    """The conditions on facts, except on their time."""
    found: list[ColumnElement[bool]] = [report_facts.c.kind.in_(question.metric.numbers)]
    if question.source_id is not None:
        found.append(report_facts.c.source_id == question.source_id)
    if question.query is not None:
        thread_id: ColumnElement[int] = report_facts.c.thread_id
        if len(question.steps) > 1 or question.on_postgres:
            # No index: SQLite would go through all facts of these threads for each step, and
            # PostgreSQL, which expects too few threads, through those of each thread.
            thread_id += 0
        found.append(thread_id.in_(_holding(question, question.query)))
    return found


def _holding(question: Question, resolved: Resolved) -> Select[Any]:
    holds = conditions.where(resolved, question.now_ms)
    return select(threads.c.id).select_from(conditions.threads_of(resolved)).where(holds)


class Source(NamedTuple):
    """The rows to read, with the label and the begin of their step, and the conditions on facts."""

    rows: FromClause
    label: ColumnElement[int]
    begin: ColumnElement[int]
    conditions: list[ColumnElement[bool]]


def source(question: Question) -> Source:
    """Joins facts with steps, and with the views of parts; one step needs no join, which would take
    half as long again."""
    if len(question.steps) == 1:
        begin, end, offset = (literal(value, BigInteger) for value in question.steps[0])
        label = offset if question.is_weekly else NO_PART
        return _between(question, report_facts, begin, end, label)
    if question.on_postgres:
        return _numbered(question)
    its = step_table(question.steps)
    rows = its.join(report_facts, true())
    return _between(question, rows, its.c.begin, its.c.end, its.c.label)


def _numbered(question: Question) -> Source:
    """Reads all facts once, and finds the step of each by bisection: in a join PostgreSQL compares
    each fact with each step."""
    begins, labels = (
        "'{" + ",".join(map(str, numbers)) + "}'::bigint[]"
        for numbers in ([step.begin for step in question.steps], [s.label for s in question.steps])
    )
    at = f"[width_bucket(report_facts.at, {begins})]"
    label, begin = (literal_column(f"({of}){at}", BigInteger) for of in (labels, begins))
    since, until = (literal(value, BigInteger) for value in (question.begin, question.end))
    return _between(question, report_facts, since, until, label)._replace(begin=begin)


def of_step(question: Question, step: CTE) -> Source:
    """Returns the facts of one step, a row of an outer statement."""
    its = step.c
    return _between(question, report_facts, its.begin, its.end, its.label)


def _between(
    question: Question,
    rows: FromClause,
    begin: ColumnElement[int],
    end: ColumnElement[int],
    label: ColumnElement[int],
) -> Source:
    its = report_facts.c
    if question.is_weekly:
        # The first hour of 1970 was the first one of a Thursday.
        label = ((its.at + label) // literal(_HOUR_MS, BigInteger) + 72) % WEEK_HOURS
    if question.by == "view":
        masks = _masks(question)
        rows = rows.join(masks, masks.c.id == its.thread_id, isouter=True)
    return Source(rows, label, begin, [*facts(question), its.at >= begin, its.at < end])


def _masks(question: Question) -> CTE:
    """Selects the threads that views hold, with a bit for each of these views.

    Computed once, which takes a third of the time of looking at each fact's thread.
    """
    attributes = {leaf.attribute for _, view in question.views for leaf in view.leaves()}
    mask: ColumnElement[int] = literal(0, BigInteger)
    for at, (_, resolved) in enumerate(question.views):
        holds = conditions.where(resolved, question.now_ms)
        mask = mask + case((holds, 1 << at), else_=0)
    masks = select(threads.c.id, mask.label("mask")).select_from(conditions.joined(attributes))
    return masks.where(mask != 0).cte("masks").prefix_with("MATERIALIZED")


def key(question: Question) -> ColumnElement[Any]:
    """The key of the part that a fact belongs to: never null."""
    if question.by is None or question.by == "hour":
        return NO_PART
    if question.by == "view":
        return func.coalesce(column("mask", BigInteger), 0)
    return func.coalesce(COLUMNS[question.by], "" if question.by in _TEXTS else -2)


def names(question: Question) -> Callable[[Any], Iterable[str]]:
    """Returns a function from the key of a row to the names of the parts that it counts for."""
    if question.by is None or question.by == "hour":
        return lambda key: ()
    if question.by == "tag":
        return lambda key: tags_in(key or None) or [""]
    if question.by == "view":
        ids = [str(id) for id, _ in question.views]
        return lambda mask: [id for at, id in enumerate(ids) if mask >> at & 1]
    return lambda key: ["" if key == -2 else str(key)]


def counted(
    question: Question,
    source: Source,
    label: ColumnElement[int],
    number: ColumnElement[Any],
    before: ColumnElement[int] | None = None,
) -> Select[Any]:
    """Selects (label, key of the part, number) of facts; with `before`, the time of the work
    before, only of the first work of a step."""
    conditions = list(source.conditions)
    if before is not None:
        conditions.append(or_(before.is_(None), before < source.begin))
    parts = {"label": label, "key": key(question)}
    columns = [part.label(name) for name, part in parts.items()]
    found: Select[Any] = select(*columns, number.label("number")).select_from(source.rows)
    # By names: SQLite sees no columns of the outer statement here.
    names = [name for name, part in parts.items() if part is not NO_PART]
    return found.where(*conditions).group_by(*names)


def duration_columns(question: Question) -> tuple[ColumnElement[int], ColumnElement[int]]:
    """Returns the columns of a duration and of its bucket."""
    its = report_facts.c
    return (its.opening, its.opening_bucket) if question.opening else (its.value, its.bucket)


def is_part(question: Question, part: str) -> ColumnElement[bool]:
    """Whether a fact belongs to the part with this key."""
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
    return its == (part if by in _TEXTS else int(part))
