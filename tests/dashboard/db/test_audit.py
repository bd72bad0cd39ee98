"""Entries of the audit log: stored with their act, as of then, never changed, and read in parts."""

import random
import re

import pytest
from sqlalchemy import Connection, delete, event, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from dashboard.db import audit, migrate
from dashboard.db.accounts import admins
from dashboard.db.audit import (
    COMMAND,
    PAGE,
    TEXT_MAX,
    Actor,
    Filters,
    Position,
    Target,
    add,
    changes,
)
from dashboard.db.database import Database
from dashboard.db.models.accounts import REFUSED, audit_log

MAI = Actor(PAGE, 7, "Mai", "mai@example.org", "192.0.2.7", "Firefox/140.0")
ROOT = Actor(COMMAND, name="root", address="server-1")


def stored(database: Database) -> list[dict]:
    with database.read() as connection:
        return [dict(row._mapping) for row in connection.execute(select(audit_log))]


def add_one(connection: Connection) -> None:
    add(connection, 5, MAI, audit.KEY_REVOKED, Target("lu_a1"), {"source": "shop"})


def test_an_entry_says_who_did_what_to_what_when_and_from_where(any_database):
    data = changes({"role": "admin", "desks": []}, {"role": "supervisor", "desks": []})
    any_database.write(
        lambda c: add(c, 5, MAI, audit.ACCOUNT_ROLE_CHANGED, Target(9, "linh@example.org"), data)
    )
    any_database.write(lambda c: add(c, 6, ROOT, audit.DESK_CREATED, Target(None, "billing")))
    assert stored(any_database) == [
        {
            "id": 1,
            "at": 5,
            "action": "account.role_changed",
            "via": "page",
            "admin_id": 7,
            "actor_name": "Mai",
            "actor_email": "mai@example.org",
            "address": "192.0.2.7",
            "user_agent": "Firefox/140.0",
            "target_kind": "account",
            "target_id": "9",
            "target_name": "linh@example.org",
            "data": {"role": {"from": "admin", "to": "supervisor"}},
        },
        {
            "id": 2,
            "at": 6,
            "action": "desk.created",
            "via": "command",
            "admin_id": None,
            "actor_name": "root",
            "actor_email": None,
            "address": "server-1",
            "user_agent": "",
            "target_kind": "desk",
            "target_id": None,
            "target_name": "billing",
            "data": {},
        },
    ]


def test_an_entry_is_undone_with_its_act(any_database):
    def write(connection: Connection) -> None:
        add_one(connection)
        raise RuntimeError("the act failed")

    with pytest.raises(RuntimeError):
        any_database.write(write)
    assert stored(any_database) == []


@pytest.mark.parametrize(
    "statement",
    [
        update(audit_log).values(action="key.created"),
        update(audit_log).where(audit_log.c.id == 1).values(data={}),
        delete(audit_log),
        delete(audit_log).where(audit_log.c.id == 1),
    ],
    ids=str,
)
def test_the_database_refuses_to_change_or_delete_an_entry(any_database, statement):
    any_database.write(add_one)
    before = stored(any_database)
    with pytest.raises(IntegrityError, match=REFUSED):
        any_database.write(lambda connection: connection.execute(statement))
    assert stored(any_database) == before != []


def test_the_database_refuses_to_put_another_entry_in_the_place_of_one(any_database):
    any_database.write(add_one)
    [before] = stored(any_database)
    other = insert(audit_log).values(before | {"action": "key.created"})
    if any_database.is_sqlite:
        other = other.prefix_with("OR REPLACE")
    with pytest.raises(IntegrityError):
        any_database.write(lambda connection: connection.execute(other))
    assert stored(any_database) == [before]


@pytest.mark.postgres
def test_postgres_refuses_to_empty_the_log(postgres_database):
    postgres_database.write(add_one)
    with pytest.raises(IntegrityError, match=REFUSED):
        postgres_database.write(lambda c: c.execute(text("TRUNCATE audit_log")))
    assert len(stored(postgres_database)) == 1


def test_the_log_is_made_anew_after_a_downgrade(any_database):
    any_database.write(add_one)
    migrate.change_schema(any_database, lambda c: migrate.downgrade(c, "0021"))
    migrate.bring_to_head(any_database)
    any_database.write(add_one)
    with pytest.raises(IntegrityError, match=REFUSED):
        any_database.write(lambda connection: connection.execute(delete(audit_log)))


def test_a_field_that_the_action_does_not_declare_is_refused(any_database):
    def write(connection: Connection) -> None:
        secret = {"source": "shop", "secret": "whsec_1"}
        add(connection, 5, MAI, audit.WEBHOOK_ROTATED, Target(1), secret)

    with pytest.raises(ValueError, match="secret"):
        any_database.write(write)
    assert stored(any_database) == []


def test_an_action_that_is_not_declared_is_refused(any_database):
    other = audit.Action("key.shown", "key", frozenset())
    for actor, action in ((MAI, other), (MAI._replace(via="post"), audit.DESK_CREATED)):
        with pytest.raises(ValueError, match="does not know"):
            any_database.write(
                lambda c, a=actor, b=action: add(c, 5, a, b, Target(1))  # type: ignore[misc]
            )


def test_long_texts_are_cut_and_hidden_characters_are_shown(any_database):
    hostile = Actor(PAGE, None, "", None, "\x1b[2J" + "1" * 90, "M\u202eoz\ud800illa" * 90)
    data = {"title": "x" * (TEXT_MAX + 1), "rules": [{"when": "tag:a\x00b"}]}
    any_database.write(
        lambda c: add(c, 5, hostile, audit.SORT_CREATED, Target("vip", "n" * 300), data)
    )
    [row] = stored(any_database)
    assert row["address"] == "�[2J" + "1" * 59 + "…"
    assert row["user_agent"].startswith("M�oz�illaM�oz") and len(row["user_agent"]) == 256
    assert row["target_name"] == "n" * 253 + "…"
    assert row["data"] == {"title": "x" * (TEXT_MAX - 1) + "…", "rules": [{"when": "tag:a�b"}]}


def test_sets_are_stored_in_one_order(any_database):
    desks = {"desks": {"from": frozenset({"b", "a"}), "to": {"c", "b"}}}
    any_database.write(lambda c: add(c, 5, MAI, audit.ACCOUNT_DESKS_CHANGED, Target(1), desks))
    assert stored(any_database)[0]["data"] == {"desks": {"from": ["a", "b"], "to": ["b", "c"]}}


def test_actions_have_a_name_of_two_words_and_fit_the_table():
    kinds = set()
    for name, action in audit.ACTIONS.items():
        assert action.name == name and re.fullmatch(r"[a-z_]+\.[a-z_]+", name)
        assert len(name) <= audit_log.c.action.type.length
        kinds.add(action.target)
    assert all(len(kind) <= audit_log.c.target_kind.type.length for kind in kinds)


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
    """Adds entries of two admins, one renamed, an operator, and nobody; several at a time."""
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
    """Checks the same for one entry."""
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
