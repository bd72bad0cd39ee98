"""Deliveries of events to webhooks: finds due ones, leases them, and saves their outcome.

A webhook gets the events of a thread one after the other: only the first pending one can be due. A
dispatcher holds a lease on a delivery while it posts. An outcome is saved only while the lease
holds: it changes nothing once another dispatcher has leased the delivery.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    delete,
    exists,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from dashboard.db.driver import insert_missing
from dashboard.db.models.threads import threads
from dashboard.db.models.webhooks import deliveries, delivery_attempts, outgoing_events, webhooks
from dashboard.db.outbox import sent_messages
from dashboard.db.outbox.outgoing import (
    EVENTS,
    ORDER_ID,
    Outgoing,
    PositionedEvent,
    are_wanted,
    delivery,
)
from dashboard.validation.strict_json import JsonObject

#: Not a parameter: SQLite would plan each statement again, since its index has pending rows only.
_PENDING: ColumnElement[str] = literal_column("'pending'")
_EARLIER = deliveries.alias("earlier")
_IS_FIRST_OF_THREAD = ~exists().where(
    _EARLIER.c.webhook_id == deliveries.c.webhook_id,
    _EARLIER.c.thread_id == deliveries.c.thread_id,
    _EARLIER.c.state == _PENDING,
    _EARLIER.c.position < deliveries.c.position,
)
#: A time in ms since 1970, or the parameter for it.
Now = int | BindParameter[Any]
_IS_PENDING = deliveries.c.state == _PENDING


class LeasedDelivery(NamedTuple):
    """A delivery under the lease `lease`; `attempts` counts the attempt under way."""

    id: int
    webhook_id: int
    thread_id: int
    attempts: int
    lease: str
    message_id: int | None
    event: Outgoing


def waiting_webhooks(connection: Connection, now_ms: int) -> list[int]:
    """Returns the ids of webhooks with a due delivery."""
    statement = select(webhooks.c.id).where(_has_due(now_ms)).order_by(webhooks.c.id)
    return list(connection.scalars(statement))


def has_due(now_ms: Now) -> ColumnElement[bool]:
    """Whether any webhook has a due delivery."""
    return select(webhooks.c.id).where(_has_due(now_ms)).exists()


def _has_due(now_ms: Now) -> ColumnElement[bool]:
    return exists().where(deliveries.c.webhook_id == webhooks.c.id, *_due(now_ms))


def lease(
    connection: Connection,
    webhook_id: int,
    token: str,
    now_ms: int,
    until_ms: Callable[[int], int],
    limit: int,
) -> list[LeasedDelivery]:
    """Leases up to `limit` due deliveries of a webhook.

    `token` names the lease; `until_ms` maps the number of attempts, with the one that begins, to
    the end of the lease. Rows that another transaction has locked are skipped.
    """
    rows = connection.execute(
        select(deliveries.c.id, deliveries.c.attempts)
        .where(deliveries.c.webhook_id == webhook_id, *_due(now_ms))
        .order_by(deliveries.c.next_at, deliveries.c.position)
        .limit(limit)
        .with_for_update(skip_locked=True)
    ).all()
    for attempts in sorted({row.attempts + 1 for row in rows}):
        ids = [row.id for row in rows if row.attempts + 1 == attempts]
        connection.execute(
            update(deliveries)
            .where(deliveries.c.id.in_(ids))
            .values(lease=token, leased_until=until_ms(attempts), attempts=attempts)
        )
    return _leased(connection, [row.id for row in rows], token) if rows else []


def renew(connection: Connection, leases: Iterable[tuple[int, str, int]]) -> None:
    """Extends leases, given as (delivery id, token, until, in milliseconds). An expired one is
    valid again; one that another dispatcher has taken stays as it is."""
    for id, lease, until_ms in sorted(leases):
        connection.execute(
            update(deliveries).where(*_is_leased(id, lease)).values(leased_until=until_ms)
        )


def succeed(connection: Connection, delivery: LeasedDelivery, now_ms: int) -> bool:
    """Saves that the chatbot accepted the event. False if the lease is lost: nothing is saved."""
    values = {"state": "done", "lease": None, "leased_until": None}
    if not _save_under_lease(connection, delivery, values):
        return False
    if delivery.message_id is not None:
        stage = sent_messages.BOT_RECEIVED
        sent_messages.advance(connection, [delivery.message_id], stage, now_ms)
    return True


def retry_at(
    connection: Connection, delivery: LeasedDelivery, next_at_ms: int, now_ms: int
) -> bool:
    """Schedules the next attempt after a failure. False if the lease is lost."""
    later = {"next_at": next_at_ms, "lease": None, "leased_until": None}
    if not _save_under_lease(connection, delivery, later):
        return False
    # Later events of the thread wait for this one: they are not due before it.
    connection.execute(
        update(deliveries)
        .where(
            deliveries.c.webhook_id == delivery.webhook_id,
            deliveries.c.thread_id == delivery.thread_id,
            _IS_PENDING,
            deliveries.c.next_at < next_at_ms,
        )
        .values(next_at=next_at_ms)
    )
    if delivery.message_id is not None:
        sent_messages.save_attempts(connection, delivery.message_id, delivery.attempts, now_ms)
    return True


def fail(connection: Connection, delivery: LeasedDelivery, now_ms: int) -> bool:
    """Gives the delivery up; the next event of the thread is due. False if the lease is lost."""
    failed = {"state": "failed", "lease": None, "leased_until": None}
    if not _save_under_lease(connection, delivery, failed):
        return False
    _make_due(
        connection,
        deliveries.c.webhook_id == delivery.webhook_id,
        deliveries.c.thread_id == delivery.thread_id,
        now_ms=now_ms,
    )
    if delivery.message_id is not None:
        stage = sent_messages.BOT_FAILED
        sent_messages.advance(connection, [delivery.message_id], stage, now_ms)
    return True


def fail_all(connection: Connection, webhook_id: int, now_ms: int) -> None:
    """Gives up all pending deliveries of a webhook."""
    is_pending = (deliveries.c.webhook_id == webhook_id) & _IS_PENDING
    messages = connection.scalars(
        select(outgoing_events.c.message_id)
        .join(deliveries, deliveries.c.event_id == outgoing_events.c.id)
        .where(is_pending, outgoing_events.c.message_id.is_not(None))
    ).all()
    connection.execute(
        update(deliveries).where(is_pending).values(state="failed", lease=None, leased_until=None)
    )
    sent_messages.advance(connection, messages, sent_messages.BOT_FAILED, now_ms)


def retry_message(connection: Connection, message_id: int, now_ms: int) -> int:
    """Makes the pending and failed deliveries of a message due; returns their number."""
    rows = connection.execute(
        select(deliveries.c.id, deliveries.c.webhook_id, deliveries.c.thread_id)
        .join(outgoing_events, outgoing_events.c.id == deliveries.c.event_id)
        .join(webhooks, webhooks.c.id == deliveries.c.webhook_id)
        .where(
            outgoing_events.c.message_id == message_id,
            deliveries.c.state != "done",
            webhooks.c.disabled_at.is_(None),
        )
    ).all()
    _restart(connection, [row.id for row in rows], now_ms)
    for _, webhook_id, thread_id in rows:
        _make_due(
            connection,
            deliveries.c.webhook_id == webhook_id,
            deliveries.c.thread_id == thread_id,
            now_ms=now_ms,
        )
    return len(rows)


def replay(
    connection: Connection, webhook_id: int, rows: list[dict[str, object]], now_ms: int
) -> int:
    """Makes deliveries of events due again, also of events that this webhook never got.

    `rows` come from `replayable`. Leased deliveries stay as they are. Returns the number.
    """
    if not rows:
        return 0
    insert_missing(connection, deliveries, rows)
    ids = connection.scalars(
        select(deliveries.c.id).where(
            deliveries.c.webhook_id == webhook_id,
            deliveries.c.event_id.in_([row["event_id"] for row in rows]),
            or_(deliveries.c.leased_until.is_(None), deliveries.c.leased_until < now_ms),
        )
    ).all()
    _restart(connection, ids, now_ms)
    # What waits behind them in their threads was put off with them.
    behind = select(deliveries.c.thread_id).where(deliveries.c.id.in_(ids))
    own = deliveries.c.webhook_id == webhook_id
    _make_due(connection, own, deliveries.c.thread_id.in_(behind), now_ms=now_ms)
    return len(ids)


def _restart(connection: Connection, ids: Iterable[int], now_ms: int) -> None:
    connection.execute(
        update(deliveries)
        .where(deliveries.c.id.in_(list(ids)))
        .values(state="pending", attempts=0, next_at=now_ms)
    )


def _make_due(connection: Connection, *conditions: ColumnElement[bool], now_ms: int) -> None:
    connection.execute(
        update(deliveries)
        .where(*conditions, _IS_PENDING, deliveries.c.next_at > now_ms)
        .values(next_at=now_ms)
    )


def _due(now_ms: Now) -> tuple[ColumnElement[bool], ...]:
    is_free = or_(deliveries.c.leased_until.is_(None), deliveries.c.leased_until < now_ms)
    return _IS_PENDING, deliveries.c.next_at <= now_ms, is_free, _IS_FIRST_OF_THREAD


def _is_leased(id: int, lease: str) -> tuple[ColumnElement[bool], ...]:
    return deliveries.c.id == id, deliveries.c.lease == lease, _IS_PENDING


def _save_under_lease(
    connection: Connection, delivery: LeasedDelivery, values: Mapping[str, object]
) -> bool:
    statement = update(deliveries).where(*_is_leased(delivery.id, delivery.lease)).values(values)
    return connection.execute(statement).rowcount == 1


def _leased(connection: Connection, ids: Collection[int], lease: str) -> list[LeasedDelivery]:
    rows = connection.execute(
        EVENTS.add_columns(
            deliveries.c.id,
            deliveries.c.webhook_id,
            deliveries.c.thread_id,
            deliveries.c.attempts,
            outgoing_events.c.message_id,
        )
        .join(deliveries, deliveries.c.event_id == outgoing_events.c.id)
        .where(deliveries.c.id.in_(ids))
        .order_by(deliveries.c.position)
    )
    return [_leased_delivery(tuple(row), lease) for row in rows]


def _leased_delivery(row: tuple[Any, ...], lease: str) -> LeasedDelivery:
    *event, id, webhook_id, thread_id, attempts, message_id = row
    return LeasedDelivery(id, webhook_id, thread_id, attempts, lease, message_id, Outgoing(*event))


#: Attempts of test events kept for each webhook; other attempts are deleted with their event.
TESTS_KEPT = 20
#: Events that one transaction of a replay makes due.
REPLAYED_AT_ONCE = 10_000


class Attempt(NamedTuple):
    """A request at `at` (milliseconds) and its `status`, or the `error` code without an answer."""

    at: int
    took_ms: int
    request: Mapping[str, str]
    status: int | None
    error: str | None
    answer: str


def log_attempt(
    connection: Connection, webhook_id: int, delivery_id: int | None, attempt: Attempt
) -> None:
    """Adds an attempt; `delivery_id` None stands for a test event.

    Adds nothing for a delivery that was deleted meanwhile, with the person's data that it held.
    """
    if delivery_id is not None and not _is_kept(connection, delivery_id):
        return
    connection.execute(
        insert(delivery_attempts).values(
            webhook_id=webhook_id, delivery_id=delivery_id, **attempt._asdict()
        )
    )
    if delivery_id is None:
        _trim_tests(connection, webhook_id)


def page(
    connection: Connection, webhook_id: int, before: int | None, limit: int
) -> tuple[list[JsonObject], bool]:
    """Returns up to `limit` attempts with ids below `before`, newest first; whether more exist."""
    statement = _LOG.where(delivery_attempts.c.webhook_id == webhook_id)
    if before is not None:
        statement = statement.where(delivery_attempts.c.id < before)
    rows = connection.execute(
        statement.order_by(delivery_attempts.c.id.desc()).limit(limit + 1)
    ).all()
    return [_to_json(row) for row in rows[:limit]], len(rows) > limit


def replayable(
    connection: Connection,
    webhook_id: int,
    now_ms: int,
    *,
    name: str | None = None,
    from_ms: int = 0,
    to_ms: int = 2**53,
    after: int = 0,
) -> tuple[list[dict[str, object]], int | None]:
    """Returns rows for `replay`, REPLAYED_AT_ONCE events of the webhook's source and types at most,
    and the position after which there may be more; None: there are none.

    Either the event called `name`, or the events that occurred from `from_ms` to `to_ms`.
    """
    types = connection.scalar(select(webhooks.c.events).where(webhooks.c.id == webhook_id))
    source = select(webhooks.c.source_id).where(webhooks.c.id == webhook_id).scalar_subquery()
    statement = select(
        outgoing_events.c.position,
        outgoing_events.c.id,
        outgoing_events.c.source_id,
        ORDER_ID,
        outgoing_events.c.type,
    ).where(
        outgoing_events.c.source_id == source, outgoing_events.c.position > after, are_wanted(types)
    )
    if name is not None:
        statement = statement.where(outgoing_events.c.name == name)
    else:
        statement = statement.where(outgoing_events.c.occurred_at.between(from_ms, to_ms))
    statement = statement.order_by(outgoing_events.c.position).limit(REPLAYED_AT_ONCE)
    events = [PositionedEvent(*row) for row in connection.execute(statement)]
    more = events[-1].position if len(events) == REPLAYED_AT_ONCE else None
    return [delivery(webhook_id, event, now_ms) for event in events], more


_LOG = (
    select(
        delivery_attempts,
        deliveries.c.state,
        deliveries.c.attempts,
        deliveries.c.next_at,
        *EVENTS.selected_columns,
    )
    .outerjoin_from(
        delivery_attempts, deliveries, deliveries.c.id == delivery_attempts.c.delivery_id
    )
    .outerjoin(outgoing_events, outgoing_events.c.id == deliveries.c.event_id)
    .outerjoin(threads, threads.c.id == outgoing_events.c.thread_id)
)


def _to_json(row: Any) -> JsonObject:
    event = Outgoing(*row[-6:]).document() if row.name is not None else None
    return {
        "id": row.id,
        "at": row.at,
        "took_ms": row.took_ms,
        "request": {"headers": row.request, "body": event},
        "status": row.status,
        "error": row.error,
        "answer": row.answer,
        "delivery": {"state": row.state, "attempts": row.attempts, "next_at": row.next_at}
        if event is not None
        else None,
    }


def _is_kept(connection: Connection, delivery_id: int) -> bool:
    statement = select(deliveries.c.id).where(deliveries.c.id == delivery_id)
    return connection.scalar(statement.with_for_update(read=True)) is not None


def _trim_tests(connection: Connection, webhook_id: int) -> None:
    is_test = delivery_attempts.c.delivery_id.is_(None)
    tests = (delivery_attempts.c.webhook_id == webhook_id) & is_test
    newest: Sequence[int] = connection.scalars(
        select(delivery_attempts.c.id)
        .where(tests)
        .order_by(delivery_attempts.c.id.desc())
        .limit(TESTS_KEPT)
    ).all()
    connection.execute(
        delete(delivery_attempts).where(tests, delivery_attempts.c.id.not_in(newest))
    )
