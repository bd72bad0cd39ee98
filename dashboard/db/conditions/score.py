"""The SQL reader of sorts: the score of a thread as an expression."""

from sqlalchemy import BigInteger, ColumnElement, case, cast, func, literal

from dashboard.db.conditions.columns import COLUMNS
from dashboard.db.conditions.where import Now, where
from scoring.composite import TIME_BITS, TIME_MAX_MS
from scoring.sorting.compiled import ResolvedRule
from scoring.sorting.resolved import ResolvedSort
from scoring.sorting.rules import SPLITS, TIMES


def score(sort: ResolvedSort, now_ms: Now) -> ColumnElement[int]:
    """The score of a thread at an instant, over threads joined with what the sort reads."""
    *others, last = sort.rules
    rest = _of_rule(last)
    if not others:
        return rest
    return case(*((where(rule.when, now_ms), _of_rule(rule)) for rule in others), else_=rest)


def _of_rule(rule: ResolvedRule) -> ColumnElement[int]:
    time = func.coalesce(*(COLUMNS[name] for name in TIMES[rule.by]), _number(0))
    ordered = time if rule.order == "oldest" else _number(TIME_MAX_MS) - time
    if rule.split is None:
        return _number(rule.tier << TIME_BITS) + ordered
    attribute, values = SPLITS[rule.split]
    starts = {
        value: _number(tier << TIME_BITS) for value, tier in zip(values, rule.tiers, strict=True)
    }
    return case(starts, value=COLUMNS[attribute]) + ordered


def _number(value: int) -> ColumnElement[int]:
    return cast(literal(value, BigInteger), BigInteger)
