"""Policies: the opening time within which a waiting thread must be answered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from scoring.calendar import Calendar, opening_time_after
from scoring.conditions.fields import FIELDS
from scoring.conditions.language.parser import parse
from scoring.conditions.language.query import Query, QueryError, Word
from scoring.conditions.language.values import AN_ADDRESS
from scoring.conditions.nodes import Leaf
from scoring.conditions.resolve import ME, AdminIdOf, resolve
from scoring.conditions.resolved import TRIES, Resolved, flips
from scoring.conditions.subject import Subject

Target = Literal["first_reply", "next_reply"]

_DUE_AT = "due_at"


@dataclass(frozen=True)
class Policy:
    """A query of threads, and the opening time to answer them in, in minutes; None: no promise.

    `first_reply` applies if nobody has answered the thread yet, `next_reply` if somebody has. `id`
    is None for a policy that is not saved; `calendar_name` is shown to people.
    """

    name: str
    when: Resolved
    calendar: Calendar
    first_reply: int | None
    next_reply: int | None
    id: int | None = None
    calendar_name: str = ""

    def minutes(self, target: Target) -> int | None:
        return self.first_reply if target == "first_reply" else self.next_reply


class Promise(NamedTuple):
    """The due time of a thread, in milliseconds, and the policy and target behind it."""

    due_at: int
    policy: Policy
    target: Target

    @property
    def minutes(self) -> int:
        """The opening time within which it must be answered."""
        minutes = self.policy.minutes(self.target)
        assert minutes is not None
        return minutes


class Policies:
    """Policies in their order: the first one with a query that holds applies, even if it promises
    nothing."""

    def __init__(self, policies: Sequence[Policy] = ()):
        self.policies = tuple(policies)

    def __bool__(self) -> bool:
        return bool(self.policies)

    def first(self, subject: Subject, now_ms: int) -> Policy | None:
        """Returns the policy that applies to a thread at an instant."""
        for policy in self.policies:
            if policy.when.root.holds(subject, now_ms):
                return policy
        return None

    def promise(self, subject: Subject, now_ms: int) -> Promise | None:
        """Returns the promise for a thread; None if nobody waits, or nothing is promised."""
        if subject.waiting_since is None:
            return None
        policy = self.first(subject, now_ms)
        if policy is None:
            return None
        target: Target = "next_reply" if subject.answered else "first_reply"
        minutes = policy.minutes(target)
        if minutes is None:
            return None
        due_at = opening_time_after(policy.calendar, subject.waiting_since, minutes)
        return None if due_at is None else Promise(due_at, policy, target)

    def next_change(self, subject: Subject, now_ms: int) -> int | None:
        """Returns the next instant after `now_ms` at which another policy applies by time alone.

        None: never. With more than 32 thresholds ahead the instant may be earlier: then ask again
        at it.
        """
        if self.is_timeless or subject.waiting_since is None:
            return None
        instants = flips(self._leaves(), subject, now_ms)
        counts = self.first(subject, now_ms)
        for at in instants[:TRIES]:
            if self.first(subject, at) is not counts:
                return at
        return instants[TRIES] if len(instants) > TRIES else None

    @cached_property
    def asks_source(self) -> bool:
        """Whether a policy asks for the source of a thread, which is not a value of the thread."""
        return any(leaf.attribute == "source" for leaf in self._leaves())

    @cached_property
    def is_timeless(self) -> bool:
        """Whether no policy depends on the time."""
        return all(policy.when.is_timeless for policy in self.policies)

    def _leaves(self) -> Iterator[Leaf]:
        for policy in self.policies:
            yield from policy.when.leaves()


def read_query(text: str) -> Query:
    """Parses the query of a policy; raises QueryError if it is wrong, or not allowed in a policy.

    A policy may not ask for `me`, which is different for everybody, nor for its own effects:
    whether a thread is late, or when it is due. It has no words, since it is no search.
    """
    query = parse(text)
    for term in query.terms():
        field = FIELDS[term.field]
        for value in term.values:
            leaf = field.words.get(value.text) if isinstance(value, Word) else None
            attribute = field.attribute if leaf is None else leaf.attribute
            if attribute == _DUE_AT:
                raise _circular(term.field, value.at, is_word=leaf is not None)
            if field.kind == "admin" and isinstance(value, Word) and value.text == ME:
                others = (word for word in field.words if word != ME)
                reason = "A policy is one for everybody who looks."
                raise QueryError(value.at, (*others, AN_ADDRESS), reason)
    return query


def resolve_query(text: str, timezone: str, admin_id_of: AdminIdOf) -> Resolved:
    """Resolves the query of a policy, with days of the calendar's zone. Raises QueryError."""
    return resolve(read_query(text), None, admin_id_of, ZoneInfo(timezone) if timezone else UTC)


def _circular(field: str, at: int, *, is_word: bool) -> QueryError:
    reason = "When a thread is due follows from the policies."
    if is_word:
        words = FIELDS[field].words.items()
        others = (word for word, leaf in words if leaf is None or leaf.attribute != _DUE_AT)
        return QueryError(at, tuple(others), reason)
    names = (name for name, entry in FIELDS.items() if entry.attribute != _DUE_AT)
    return QueryError(at - len(field) - 1, tuple(f"{name}:" for name in names), reason)
