"""Presence that chatbots asked for: which sources ask, what they were told last, and the events.

A webhook asks by naming the types, a reader of the outbox by naming them in its calls. Every change
of a customer is noted after it happened; a noted customer is looked up and told, at most every
`TOLD_MS`. `changes` tells a change that was noted during the look-up from those before it.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, case, exists, select, update

from dashboard.db.accounts.presence_settings import customer_ids
from dashboard.db.driver import insert_missing, insert_on
from dashboard.db.models.accounts import admins, sources
from dashboard.db.models.threads import customers, threads
from dashboard.db.models.webhooks import outgoing_readers, pushed_customers, pushed_teams, webhooks
from dashboard.db.outbox import outgoing
from dashboard.event_types import PRESENCE_CUSTOMER, PRESENCE_TEAM
from dashboard.validation.strict_json import JsonObject
from presence.states import State, same

#: Shortest interval between two events about one person.
TOLD_MS = 5_000
#: Customers who were told to be present are looked up again after this: a Redis that lost its data
#: announces nobody who left meanwhile.
CHECKED_MS = 600_000
#: A reader of the outbox asks for this long, and is noted again in the second half of it.
ASKED_MS = 3_600_000

_UNTIL = {
    PRESENCE_CUSTOMER.name: outgoing_readers.c.customers_until,
    PRESENCE_TEAM.name: outgoing_readers.c.team_until,
}


def asking(connection: Connection, type: str, now_ms: int) -> dict[int, str]:
    """Maps the ids of the sources that ask for presence of this type to their names."""
    rows = connection.execute(
        select(sources.c.id, sources.c.name, webhooks.c.events)
        .join_from(webhooks, sources, sources.c.id == webhooks.c.source_id)
        .where(webhooks.c.disabled_at.is_(None), webhooks.c.events.is_not(None))
    )
    by_webhook = {id: name for id, name, types in rows if type in types}
    readers = (
        select(sources.c.id, sources.c.name)
        .join_from(outgoing_readers, sources, sources.c.id == outgoing_readers.c.source_id)
        .where(_UNTIL[type] > now_ms)
    )
    return by_webhook | {row.id: row.name for row in connection.execute(readers)}


def is_asked_anew(connection: Connection, source_id: int, type: str, now_ms: int) -> bool:
    """Whether a reader that asks for this type is to be noted."""
    own = outgoing_readers.c.source_id == source_id
    until = connection.scalar(select(_UNTIL[type]).where(own))
    return until is None or until < now_ms + ASKED_MS // 2


def ask(connection: Connection, source_id: int, types: Collection[str], now_ms: int) -> None:
    """Notes that the source's reader asks for these types from now on."""
    insert_missing(connection, outgoing_readers, [{"source_id": source_id, "position": 0}])
    values = {_UNTIL[type].name: now_ms + ASKED_MS for type in types}
    own = outgoing_readers.c.source_id == source_id
    connection.execute(update(outgoing_readers).where(own).values(values))


def note(
    connection: Connection, asked: Mapping[int, str], people: Collection[str], now_ms: int
) -> int:
    """Notes that customers (SOURCE/ID) of the sources that ask may have changed; returns their
    number. Unknown ones are left out."""
    by_name = {name: id for id, name in asked.items()}
    theirs = [person for person in people if person.partition("/")[0] in by_name]
    ids = {id: person for person, id in customer_ids(connection, theirs).items()}
    rows = [
        {
            "customer_id": id,
            "source_id": by_name[ids[id].partition("/")[0]],
            "due_at": now_ms,
            "changes": 1,
        }
        # In the order of ids, so that concurrent writers do not deadlock.
        for id in sorted(ids)
    ]
    if not rows:
        return 0
    held = pushed_customers.c
    may_be_told = held.told_at + TOLD_MS
    soonest = case((may_be_told > now_ms, may_be_told), else_=now_ms)
    due_at = case((held.due_at < soonest, held.due_at), else_=soonest)
    values = {"due_at": due_at, "changes": held.changes + 1}
    statement = insert_on(connection, pushed_customers)
    statement = statement.on_conflict_do_update(index_elements=[held.customer_id], set_=values)
    connection.execute(statement, rows)
    return len(rows)


class Due(NamedTuple):
    """A customer to look up. `told_at` and `changes` as of before the look-up."""

    id: int
    source_id: int
    name: str
    told_at: int | None
    changes: int


def due(connection: Connection, source_ids: Collection[int], now_ms: int, limit: int) -> list[Due]:
    """Returns up to `limit` customers of these sources who may have changed, the longest ago
    first."""
    held = pushed_customers.c
    rows = connection.execute(
        select(
            held.customer_id, held.source_id, customers.c.external_id, held.told_at, held.changes
        )
        .join_from(pushed_customers, customers, customers.c.id == held.customer_id)
        .where(held.source_id.in_(source_ids), held.due_at <= now_ms)
        .order_by(held.due_at, held.customer_id)
        .limit(limit)
    )
    return [Due(*row) for row in rows]


def tell_customers(connection: Connection, looked_up: Mapping[Due, State], now_ms: int) -> int:
    """Writes an event for each customer in another state than told before; returns their number.

    A customer told by another process meanwhile is passed over.
    """
    held = pushed_customers.c
    by_id = {one.id: one for one in looked_up}
    rows = connection.execute(
        select(held.customer_id, held.told, held.told_at, held.changes)
        .where(held.customer_id.in_(by_id))
        .order_by(held.customer_id)
        .with_for_update()
    ).all()
    count = 0
    for id, told, told_at, changes in rows:
        one, state = by_id[id], looked_up[by_id[id]]
        if told_at != one.told_at:
            continue
        values: JsonObject = {}
        if told is None or not same(told, state):
            count += 1
            told_at = max(now_ms, (told_at or 0) + 1)
            values = {"told": state, "told_at": told_at}
            data = {"customer": one.name, **state}
            type = PRESENCE_CUSTOMER.name
            outgoing.add_presence(connection, one.source_id, id, type, told_at, data)
        checked_at = None if state["status"] == "offline" else now_ms + CHECKED_MS
        values["due_at"] = checked_at if changes == one.changes else now_ms + TOLD_MS
        connection.execute(update(pushed_customers).where(held.customer_id == id).values(values))
    return count


def assignees(connection: Connection, source_id: int) -> dict[int, str]:
    """Maps the admins with threads of a source, archived ones aside, to their names."""
    theirs = exists().where(
        threads.c.assignee_id == admins.c.id,
        threads.c.archived.is_(False),
        threads.c.source_id == source_id,
    )
    rows = connection.execute(select(admins.c.id, admins.c.name).where(theirs))
    return {row.id: row.name for row in rows}


class Assignee(NamedTuple):
    """An admin with threads of the source, in the state that customers may see."""

    id: int
    name: str
    status: str


class TeamNews(NamedTuple):
    """The events that are due, each for an admin or for none, and then what has been told."""

    events: list[Assignee | None]
    told: JsonObject


def team_news(
    told: JsonObject | None, online: bool, seen: Collection[Assignee], now_ms: int
) -> TeamNews:
    """Compares the team with what a source was told: an event for each admin in another state, and
    one without an admin if only `online` has changed."""
    before = told or {"online": None, "at": 0, "admins": {}}
    known = before["admins"]
    changed = [
        admin
        for admin in sorted(seen)
        if [admin.name, admin.status] != known.get(str(admin.id), [])[:2]
        and known.get(str(admin.id), [0])[-1] + TOLD_MS <= now_ms
    ]
    admins = {str(admin.id): [admin.name, admin.status, now_ms] for admin in changed}
    is_news = online != before["online"]
    events: list[Assignee | None] = [*changed]
    if not events and is_news and before["at"] + TOLD_MS <= now_ms:
        events.append(None)
    at = now_ms if is_news else before["at"]
    return TeamNews(events, {"online": online, "at": at, "admins": known | admins})


def told_of_team(connection: Connection, source_id: int) -> JsonObject | None:
    """Returns what a source was told of the team; None: nothing."""
    statement = select(pushed_teams.c.told).where(pushed_teams.c.source_id == source_id)
    return connection.scalar(statement) or None


def tell_team(
    connection: Connection, source_id: int, online: bool, seen: Collection[Assignee], now_ms: int
) -> int:
    """Writes the events that are due; returns their number."""
    insert_missing(connection, pushed_teams, [{"source_id": source_id, "told": {}, "seq": 0}])
    own = pushed_teams.c.source_id == source_id
    held = select(pushed_teams.c.told, pushed_teams.c.seq).where(own).with_for_update()
    told, seq = connection.execute(held).one()
    # Another process may have told it meanwhile.
    news = team_news(told, online, seen, now_ms)
    for admin in news.events:
        seq = max(now_ms, seq + 1)
        data = {"online": online, "assignee": admin and admin._asdict()}
        outgoing.add_presence(connection, source_id, None, PRESENCE_TEAM.name, seq, data)
    if news.events:
        connection.execute(update(pushed_teams).where(own).values(told=news.told, seq=seq))
    return len(news.events)
