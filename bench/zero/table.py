"""The table of threads: its rows at the beginning, and what happens to them."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from psycopg import Connection

from bench.dataset import STEP_MS, is_member, is_open, locale
from scoring.conditions.subject import PRIORITIES, Subject

#: `seq` is the number of the last change of the row; `beacon` has that of the last change of all.
SCHEMA = """
CREATE TABLE threads (
    id integer PRIMARY KEY,
    customer text NOT NULL,
    closed boolean NOT NULL,
    answered boolean NOT NULL,
    unanswered boolean NOT NULL,
    priority text NOT NULL,
    member_status integer NOT NULL,
    waiting_since bigint,
    assignee_id integer,
    last_role text NOT NULL,
    locale text,
    source text NOT NULL,
    recent_at bigint NOT NULL,
    replies integer NOT NULL,
    seq integer NOT NULL
);
CREATE INDEX ON threads (recent_at DESC, id);
CREATE TABLE beacon (id integer PRIMARY KEY, seq integer NOT NULL);
INSERT INTO beacon VALUES (1, 0);
"""
_CUSTOMER, _ANSWER, _CLOSE = "customer", "answer", "close"


class Row(NamedTuple):
    id: int
    customer: str
    closed: bool
    answered: bool
    unanswered: bool
    priority: str
    member_status: int
    waiting_since: int | None
    assignee_id: int | None
    last_role: str
    locale: str | None
    source: str
    recent_at: int
    replies: int
    seq: int = 0

    @property
    def subject(self) -> Subject:
        """What conditions read of it."""
        return Subject(**{name: getattr(self, name) for name in _READ})

    def after(self, what: str, at_ms: int, seq: int) -> "Row":
        """Returns the row after a customer's message, an admin's answer or a close."""
        changed: dict[str, Any] = {"recent_at": at_ms, "seq": seq}
        if what == _CUSTOMER:
            since = at_ms if self.waiting_since is None else self.waiting_since
            changed |= {"closed": False, "waiting_since": since, "last_role": "client"}
        else:
            changed |= {"waiting_since": None, "unanswered": False, "closed": what == _CLOSE}
        if what == _ANSWER:
            changed |= {"answered": True, "last_role": "admin", "replies": self.replies + 1}
        return self._replace(**changed)


_READ = frozenset(Row._fields) & frozenset(Subject._fields)


def rows(count: int, newest_ms: int) -> Iterator[Row]:
    """Returns rows like those of `bench/dataset.py`, but of all priorities, and half assigned."""
    return (_row(number, newest_ms) for number in range(1, count + 1))


def _row(number: int, newest_ms: int) -> Row:
    kind, at_ms = number % 10, newest_ms - number * STEP_MS
    is_answered = kind in (0, 7, 8, 9)
    return Row(
        id=number,
        customer=f"Customer {number}",
        closed=not is_open(number),
        answered=is_answered or kind in (5, 6),
        unanswered=kind in (1, 2, 3, 4),
        priority=(*PRIORITIES, "normal", "normal", "normal", "low")[number // 11 % 8],
        member_status=number % 6 if is_member(number) else -1,
        waiting_since=None if is_answered else at_ms,
        assignee_id=1 + number // 13 % 20 if number // 10 % 2 else None,
        last_role=("admin", "bot")[number // 10 % 2] if is_answered else "client",
        locale=locale(number),
        source=("telegram", "bench", "bench")[number // 7 % 3],
        recent_at=at_ms,
        replies=number % 4,
    )


def fill(connection: Connection, made: Iterator[Row]) -> None:
    connection.execute(SCHEMA)
    with connection.cursor().copy(f"COPY threads ({', '.join(Row._fields)}) FROM STDIN") as copy:
        for row in made:
            copy.write_row(row)


def whats(count: int, threads: int) -> Iterator[tuple[int, str]]:
    """Returns the thread and the kind of each change: the same ones for the same numbers."""
    chance = random.Random(threads)
    kinds = (_CUSTOMER,) * 6 + (_ANSWER,) * 3 + (_CLOSE,)
    return ((chance.randint(1, threads), chance.choice(kinds)) for _ in range(count))


_CHANGED = (
    *("closed", "answered", "unanswered", "waiting_since"),
    *("last_role", "recent_at", "replies", "seq"),
)
_UPDATE = f"""
WITH stamped AS (UPDATE beacon SET seq = %(seq)s)
UPDATE threads SET {", ".join(f"{name} = %({name})s" for name in _CHANGED)} WHERE id = %(id)s
"""


def store(connection: Connection, row: Row) -> None:
    """Writes a changed row, and its number; commits, if the connection does so by itself."""
    connection.execute(_UPDATE.encode(), row._asdict())
