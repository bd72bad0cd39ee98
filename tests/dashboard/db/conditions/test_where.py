"""Conditions in SQL: the same threads as the oracle names, on SQLite and PostgreSQL."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from sqlalchemy import BigInteger, bindparam, insert, select, update

from dashboard.db.conditions import subjects, threads_of, where
from dashboard.db.database import Database
from dashboard.db.models.accounts import admins, sources
from dashboard.db.models.threads import customers, threads
from dashboard.db.threads.thread_tags import in_column
from scoring.conditions.fields import FIELDS
from scoring.conditions.language.parser import parse
from scoring.conditions.resolve import resolve
from scoring.conditions.resolved import Resolved
from scoring.sorts import SORTS
from tests.dashboard.ingest.shop import Shop
from tests.scoring.conditions import oracle, worlds
from tests.scoring.conditions.oracle import ADMINS, World
from tests.support import examples

THREADS = 70

Facts = dict[int, dict[str, Any]]


def stored(database: Database, place: str) -> Facts:
    """Stores random threads in an empty database; returns id to facts. `place`: time zone."""
    known = {id: dict(worlds.threads(id, ZoneInfo(place))) for id in range(1, THREADS + 1)}
    of_source = {name: id for id, name in enumerate(worlds.SOURCES, 11)}

    def write(connection: Any) -> None:
        for address, id in ADMINS.items():
            row = {"id": id, "email": address, "name": "A", "password_hash": "-", "created_at": 0}
            connection.execute(insert(admins).values(row))
        for name, id in of_source.items():
            connection.execute(insert(sources).values(id=id, name=name, created_at=0))
        connection.execute(insert(customers), [_customer(id, known[id]) for id in known])
        connection.execute(insert(threads), [_thread(id, known[id], of_source) for id in known])
        # Some threads have no customer, and so no language and no member status.
        without = [id for id in known if known[id]["locale"] is None and id % 2]
        connection.execute(
            update(threads).where(threads.c.id.in_(without)).values(customer_id=None)
        )
        for id in without:
            known[id]["member_status"] = -1

    database.write(write)
    return known


def _customer(id: int, facts: dict[str, Any]) -> dict[str, Any]:
    row = {name: facts[name] for name in ("member_status", "locale")}
    return row | {"id": id, "source_id": 11, "external_id": f"c{id}", "created_at": 0}


def _thread(id: int, facts: dict[str, Any], of_source: dict[str, int]) -> dict[str, Any]:
    row = {name: value for name, value in facts.items() if name in threads.c}
    row |= {"id": id, "external_id": f"t{id}", "customer_id": id, "created_at": 0, "revision": 1}
    row |= {"source_id": of_source[facts["source"]], "last_role": facts["last_role"]}
    row |= {"tags": in_column(facts["tags"]), "desk": facts["desk"]}
    row |= {"mentioned": in_column(facts["mentioned"])}
    row |= dict.fromkeys((f"score_{name}" for name in SORTS), 0) | {"recent_at": 0}
    return row


def resolved(text: str, world: World) -> Resolved:
    return resolve(parse(text), world.me, ADMINS.get, world.zone)


def found(database: Database, query: Resolved, now_ms: Any, **bound: int) -> set[int]:
    statement = select(threads.c.id).select_from(threads_of(query)).where(where(query, now_ms))
    with database.read() as connection:
        return set(connection.scalars(statement, bound))


@pytest.mark.parametrize("place", ["America/Havana", "Pacific/Apia", "UTC"])
def test_a_query_finds_the_threads_of_which_it_holds(any_database, place):
    """All readers agree with the oracle: SQL here, the others in tests/scoring/conditions."""
    facts = stored(any_database, place)
    now = bindparam("now", type_=BigInteger)

    @settings(max_examples=examples(80))
    @given(worlds.texts(World(worlds.NOW, 1, place)))
    def check(text: str) -> None:
        world = World(worlds.NOW, 1, place)
        query = resolved(text, world)
        expected = {id for id, known in facts.items() if oracle.holds(text, known, world)}
        assert found(any_database, query, world.now) == expected
        opposite = resolved(f"-({text})" if text.strip() else "-(-is:open or is:open)", world)
        assert found(any_database, opposite, now, now=world.now) == facts.keys() - expected

    check()
    with any_database.read() as connection:
        read = subjects(connection, [*facts, 10**9])
    assert read == {id: worlds.subject(known) for id, known in facts.items()}


def test_every_value_of_every_field_alone(any_database):
    """Random queries seldom depend on a single value."""
    facts, world = stored(any_database, "UTC"), World(worlds.NOW, 1, "UTC")
    for field in FIELDS.values():
        for value in worlds.values_of(field, "UTC"):
            text = f"{field.name}:{value}"
            expected = {id for id, known in facts.items() if oracle.holds(text, known, world)}
            assert found(any_database, resolved(text, world), world.now) == expected, text


def test_only_what_is_asked_is_joined():
    world = World(worlds.NOW, 1, "UTC")
    assert threads_of(resolved("is:waiting priority:high waits:>10m", world)) is threads
    assert "customers" not in str(threads_of(resolved("source:shop", world)))
    assert "sources" not in str(threads_of(resolved("lang:vi member:1", world)))


def test_the_last_role_is_that_of_the_last_public_message(shop: Shop):
    """A note does not count, nor does a message that comes late."""

    def last() -> str | None:
        with shop.database.read() as connection:
            [known] = subjects(connection, [shop.row()["id"]]).values()
        return known.last_role

    shop.says(1_000)
    assert last() == "client"
    shop.says(3_000, role="bot")
    shop.says(2_000, "late")
    assert last() == "bot"
    shop.says(4_000, role="admin", private=True)
    assert last() == "bot"
    shop.says(5_000, role="admin")
    assert last() == "admin"


@pytest.mark.parametrize("role", ["client", "bot", "admin", "system", "note"])
def test_a_thread_has_a_file_once_anybody_has_sent_one(any_database, clock, role):
    """In any order, and whatever comes before or after; a file of a note counts, too."""
    shop, file = Shop(any_database, clock), {"url": "https://x.example/a.png"}

    def has() -> list[str]:
        world = World(worlds.NOW, 1, "UTC")
        ids = {shop.row(name)["id"]: name for name in ("with", "without")}
        of = [found(any_database, resolved(text, world), 0) for text in ("has:file", "-has:file")]
        assert of[0] | of[1] == ids.keys() and not of[0] & of[1]
        with any_database.read() as connection:
            known = subjects(connection, [*ids])
        assert {id for id in ids if known[id].has_file is True} == of[0]
        return [ids[id] for id in of[0]]

    for name in ("with", "without"):
        shop.says(2_000, thread=name)
    assert has() == []
    by = {"role": "admin", "private": True} if role == "note" else {"role": role}
    for _ in range(2):
        shop.says(1_000, "", thread="with", id="late", attachments=[file], **by)
        assert has() == ["with"]
    shop.says(3_000, thread="with")
    shop.does("thread.close", 4_000, thread="with")
    assert has() == ["with"]
