"""Reading the audit log in parts, by filters: compared with a plain reader, and by the indexes."""

import random

import pytest
from sqlalchemy import event

from dashboard.db import audit
from dashboard.db.accounts import admins
from dashboard.db.audit import COMMAND, PAGE, Actor, Filters, Position, Target, add
from dashboard.db.database import Database

EMAILS = ("mai@example.org", "ken@example.org")
ACTIONS = (
    audit.KEY_CREATED,
    audit.KEY_REVOKED,
    audit.WEBHOOK_CREATED,
    audit.SORT_CHANGED,
    audit.SIGNIN_FAILED,
)
COUNT = 60


def fill(database: Database, seed: int) -> None:
    """Two admins, one of whom was renamed, an operator, and nobody; several entries at a time."""
    draw = random.Random(seed)
    people = [
        Actor(PAGE, 1, "Mai", "mai@example.org", "192.0.2.7"),
        Actor(PAGE, 1, "Mai Nguyen", "mai.old@example.org", "192.0.2.7"),
        Actor(PAGE, 2, "Ken", "ken@example.org", "192.0.2.8"),
        Actor(COMMAND, name="root", address="server-1"),
        Actor(PAGE),
    ]

    def write(connection) -> None:
        for email in EMAILS:
            admins.create(connection, email, email[:3], "supervisor", "", 0)
        for _ in range(COUNT):
            target = Target(draw.choice((None, 1, 2, "12")), draw.choice(("Shop", "shop", "vip")))
            at = draw.randrange(20)
            add(connection, at, draw.choice(people), draw.choice(ACTIONS), target)

    database.write(write)


def holds(entry: audit.Entry, filters: Filters) -> bool:
    """The same once more, for one entry."""
    first, end, action, actor, target = filters
    ids = {"mai@example.org": 1, "ken@example.org": 2}
    kind, _, id = (target or "").partition(":")
    is_kind = kind in ("key", "webhook")
    return (
        (first is None or entry.at >= first)
        and (end is None or entry.at < end)
        and (action is None or entry.action == action or entry.action.split(".")[0] == action)
        and (
            actor is None
            or (actor.lower() in ids and entry.admin_id == ids[actor.lower()])
            or actor.lower() in (entry.actor_name.lower(), entry.actor_email)
        )
        and (
            target is None
            or (is_kind and entry.target_kind == kind and (not id or entry.target_id == id))
            or (not is_kind and entry.target_name.lower() == target.lower())
        )
    )


def everything(database: Database) -> list[audit.Entry]:
    with database.read() as connection:
        return audit.page(connection, Filters(), COUNT + 1)


CHOICES = (
    (None, 0, 5, 12),
    (None, 6, 13, 99),
    (None, "key", "key.created", "webhook", "signin", "export"),
    (None, *EMAILS, "MAI@example.org", "mai.old@example.org", "Root", "nobody"),
    (None, "key", "key:1", "webhook:12", "SHOP", "vip", "none"),
)


@pytest.mark.parametrize("seed", range(3))
def test_every_filter_gives_what_a_plain_reader_gives(any_database, seed):
    fill(any_database, seed)
    whole, draw = everything(any_database), random.Random(seed)
    assert len(whole) == COUNT
    assert [entry.position for entry in whole] == sorted(
        (entry.position for entry in whole), reverse=True
    )
    found = 0
    with any_database.read() as connection:
        for _ in range(60):
            filters = Filters(*map(draw.choice, CHOICES))
            expected = [entry for entry in whole if holds(entry, filters)]
            assert audit.page(connection, filters, COUNT) == expected, filters
            found += len(expected)
    assert found > 20, "the filters find too little to compare"


def test_parts_follow_each_other_without_a_seam(any_database):
    fill(any_database, 1)
    whole = everything(any_database)
    with any_database.read() as connection:
        parts, after = [], None
        while part := audit.page(connection, Filters(), 7, after):
            parts += part
            after = part[-1].position
    assert parts == whole
    assert list(audit.every(any_database, Filters())) == whole[::-1]


def test_what_comes_meanwhile_moves_no_part(any_database):
    fill(any_database, 1)
    whole = everything(any_database)
    later = audit.SORT_DELETED
    any_database.write(lambda c: add(c, 99, Actor(PAGE), later, Target("vip")))
    with any_database.read() as connection:
        part = audit.page(connection, Filters(), 5, whole[4].position)
    assert part == whole[5:10]


@pytest.mark.parametrize(
    ("filters", "index"),
    [
        (Filters(), "ix_audit_log_at"),
        (Filters(from_ms=3, to_ms=9), "ix_audit_log_at"),
        (Filters(action="key.created"), "ix_audit_log_action"),
        (Filters(actor="mai@example.org"), "ix_audit_log_admin_id"),
        (Filters(target="webhook:3"), "ix_audit_log_target_kind_target_id"),
    ],
    ids=str,
)
def test_each_filter_has_an_index_that_gives_the_order_too(database, filters, index):
    fill(database, 1)
    asked = []
    event.listen(database.engine, "before_cursor_execute", lambda *given: asked.append(given[2:4]))
    with database.read() as connection:
        audit.page(connection, filters, 5, Position(9, 9))
        statement, parameters = asked[-1]
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        steps = [row[3] for row in plan]
    assert len(steps) == 1 and f"USING INDEX {index} (" in steps[0], steps
