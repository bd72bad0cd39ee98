"""The threads behind a number of a report."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, case, func, select, tuple_

from dashboard.db.database import Database
from dashboard.db.models.reports import report_facts
from dashboard.db.reports import questions
from dashboard.db.reports.questions import NO_PART, Question, Source


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
    its, metric = report_facts.c, question.metric
    source = _of_part(question, wanted.part)
    conditions_of = source.conditions
    value: ColumnElement[int] = its.at
    # The longest wait began first; all others have the highest value first.
    sign = 1 if metric.measure == "level" else -1
    conditions_of.append(its.at < question.end)
    if metric.measure != "level":
        conditions_of.append(its.at >= question.begin)
    if metric.measure == "durations":
        value, _ = questions.duration_columns(question)
        conditions_of += _within(value, wanted)
    score = (sign * func.max(value)).label("score")
    columns = its.thread_id.label("id"), score, func.count().label("times")
    found = select(*columns).select_from(source.rows)
    found = found.where(*conditions_of).group_by(its.thread_id)
    if metric.measure == "level":
        begins = its.kind == metric.numbers[0]
        found = found.having(func.sum(case((begins, 1), else_=-1)) > 0)
    rows = found.subquery("found")
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
    return Behind(
        ids,
        values,
        threads,
        threads if metric.measure == "level" else int(times),
        (values[-1], ids[-1]) if len(shown) > wanted.limit else None,
    )


def _of_part(question: Question, part: str | None) -> Source:
    """Returns what to read the facts of a part from; None: of the whole."""
    if question.is_weekly and part is not None:
        source = questions.source(question, question.steps)
        source.conditions.append(source.label == int(part))
        return source
    of_part = [] if part is None else [questions.is_part(question, part)]
    return Source(report_facts, NO_PART, NO_PART, [*questions.facts(question), *of_part])


def _within(value: ColumnElement[int], wanted: Wanted) -> list[ColumnElement[bool]]:
    bounds: list[ColumnElement[bool]] = [value.is_not(None)]
    bounds += [] if wanted.least is None else [value >= wanted.least]
    return bounds + ([] if wanted.below is None else [value < wanted.below])
