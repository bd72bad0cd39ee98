"""Entries of the audit log: stored with their act, as of then, and never changed."""

import re

import pytest
from sqlalchemy import Connection, delete, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from dashboard.db import audit, migrate
from dashboard.db.audit import COMMAND, PAGE, TEXT_MAX, Actor, Target, add, changes
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
