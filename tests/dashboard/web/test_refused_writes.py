"""A database that can be read but takes no writes: each write is a 503, nothing is a 500 (F73)."""

import contextlib
import itertools
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import delete, event, insert, text

from dashboard.db import database as database_module
from dashboard.db.database import Database
from dashboard.db.models.base import metadata
from dashboard.db.models.threads import epochs
from dashboard.errors import StorageUnavailable
from dashboard.live.status import Status
from tests.dashboard.live.emitter import FakeEmitter
from tests.dashboard.web.hostile_calls import ADMIN_CALLS, BOT_CALLS, SIGN_IN_CALLS, Call
from tests.dashboard.web.test_hostile_inputs import Faults, faults, key, plain, site  # noqa: F401
from tests.drivers.application import ORIGIN, PASSWORD

#: Errors of PostgreSQL: read-only, no rights, disk full, out of memory, a configured limit, a fault
#: of the disk, damaged data.
REFUSALS = ["25006", "42501", "53100", "53200", "53400", "58030", "XX001"]

_DENY = """
CREATE FUNCTION deny() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{}'; END $$
"""
_ON = "CREATE TRIGGER deny BEFORE INSERT OR UPDATE OR DELETE ON {} EXECUTE FUNCTION deny()"

Refusing = Callable[[Database], contextlib.AbstractContextManager[None]]


@contextlib.contextmanager
def on_each_connection(database: Database, *statements: str) -> Iterator[None]:
    """Makes all connections to SQLite new ones, which begin with these statements."""

    def set_up(connection, record) -> None:
        for statement in statements:
            connection.execute(statement)

    event.listen(database.engine, "connect", set_up)
    database.engine.dispose()
    try:
        yield
    finally:
        event.remove(database.engine, "connect", set_up)
        database.engine.dispose()


@contextlib.contextmanager
def read_only(database: Database) -> Iterator[None]:
    if database.is_sqlite:
        with on_each_connection(database, "PRAGMA query_only=ON"):
            yield
        return
    with as_owner(database) as run:
        run("ALTER DATABASE {} SET default_transaction_read_only = on")
        database.engine.dispose()
        yield
        run("SET default_transaction_read_only = off")
        run("ALTER DATABASE {} RESET default_transaction_read_only")
    database.engine.dispose()


@contextlib.contextmanager
def full(database: Database) -> Iterator[None]:
    if database.is_sqlite:
        # SQLite uses the present size if the limit is smaller: so only free pages are left.
        with on_each_connection(database, "PRAGMA max_page_count=1"):
            with contextlib.suppress(StorageUnavailable):
                for number in itertools.count():
                    row = {"list_id": f"full:{number}", "epoch": "0" * 64}
                    database.write(lambda c, row=row: c.execute(insert(epochs), row))
            database.refuses_writes = False
            yield
        database.write(lambda c: c.execute(delete(epochs).where(epochs.c.list_id > "full:")))
        return
    with denied(database, "53100"):
        yield


@contextlib.contextmanager
def denied(database: Database, code: str) -> Iterator[None]:
    """PostgreSQL refuses all writes with this error."""
    with as_owner(database) as run:
        run(_DENY.format(code))
        for table in metadata.tables:
            run(_ON.format(table))
        yield
        run("DROP FUNCTION deny CASCADE")


@contextlib.contextmanager
def as_owner(database: Database) -> Iterator[Callable[[str], None]]:
    owner = Database(database.url)
    with owner.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        name = connection.scalar(text("SELECT current_database()"))
        yield lambda statement: connection.exec_driver_sql(statement.replace("{}", f'"{name}"'))
    owner.close()


def send(client, call: Call, **headers: str):
    body = {"data": call.file} if call.file is not None else {"json": call.body}
    return client.open(
        plain(call),
        method=call.method,
        base_url=ORIGIN,
        query_string=call.query,
        headers=headers,
        **(body if call.method != "GET" else {}),
    )


@pytest.mark.parametrize("refusing", [read_only, pytest.param(full, marks=pytest.mark.slow)])
def test_every_call_of_every_api_is_answered(site, key, faults, refusing: Refusing):  # noqa: F811
    client = site.sign_in("Mai", "supervisor")
    site.create_admin("Bob")
    calls = [(call, {}) for call in (*ADMIN_CALLS, *SIGN_IN_CALLS)]
    calls += [(call, {"Authorization": f"Bearer {key}"}) for call in BOT_CALLS]
    refused = set()
    with refusing(site.database):
        for call, headers in calls:
            answer = send(client if not headers else site.app.test_client(), call, **headers)
            assert answer.status_code < 500 or answer.status_code == 503, (call, answer.text)
            if answer.status_code == 503:
                assert answer.headers["Retry-After"]
                if answer.json.get("code") == "storage_unavailable":
                    refused.add(call.path)
        new = site.app.test_client().post(
            "/login",
            json={"email": "bob@example.com", "password": PASSWORD},
            base_url=ORIGIN,
            headers={"Origin": ORIGIN},
        )
    assert faults.found == []
    if not (refusing is full and site.database.is_sqlite):  # it takes what fits into its pages
        assert (new.status_code, new.json["code"]) == (503, "storage_unavailable")
        assert refused >= {"/api/v1/events", "/admin/api/threads/{1}/{claim}"}
    assert site.say("t-2") > 0


@pytest.mark.parametrize("refusing", [read_only, full])
def test_probes_metrics_and_dashboards_say_so_while_it_lasts(site, refusing: Refusing):  # noqa: F811
    def told() -> tuple[int, str, bool]:
        answer = site.app.test_client().get("/readyz")
        lines = site.app.test_client().get("/metrics").text.splitlines()
        return answer.status_code, answer.json["sql"], "lineup_read_only 1.0" in lines

    emitter = FakeEmitter()
    status = Status(lambda: None, site.clock, emitter, lambda: site.database.refuses_writes)
    assert told() == (200, "ok", False)
    with refusing(site.database):
        with contextlib.suppress(StorageUnavailable):
            site.say("t-3", "long " * 2_000)
        assert told() == (503, "read_only", True)
        site.database.watch_writes()
        status.announce()
        assert told() == (503, "read_only", True), "the trial is refused as well"
    site.database.watch_writes()
    status.announce()
    assert told() == (200, "ok", False)
    assert [each["read_only"] for each in emitter.take("order:status")] == [True, False]


def test_a_database_that_nobody_writes_to_is_tried_where_somebody_asks(site, monkeypatch):  # noqa: F811
    monkeypatch.setattr(database_module, "_GOOD_TRIAL_SECONDS", 0)
    with full(site.database):
        assert site.app.test_client().get("/readyz").json["sql"] == "read_only"
    with read_only(site.database):
        site.database.refuses_writes = False
        site.database.watch_writes()
        assert site.database.refuses_writes


@pytest.mark.postgres
@pytest.mark.parametrize("code", REFUSALS)
def test_what_postgresql_refuses_is_no_fault_of_the_request(postgres_database, code):
    with denied(postgres_database, code):
        postgres_database.try_writing()
        assert postgres_database.refuses_writes
    postgres_database.try_writing()
    assert not postgres_database.refuses_writes


@pytest.mark.postgres
def test_rights_that_are_lacking_are_found_though_the_trial_has_its_own(postgres_database):
    with as_owner(postgres_database) as run:
        run("CREATE ROLE poor LOGIN")
        run("GRANT ALL ON ALL TABLES IN SCHEMA public TO poor")
        run("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO poor")
        poor = Database(postgres_database.url)
        event.listen(poor.engine, "connect", lambda its, record: its.execute("SET ROLE poor"))
        try:
            poor.try_writing()
            assert not poor.refuses_writes
            run("REVOKE INSERT ON events FROM poor")
            poor.try_writing()
            assert poor.refuses_writes
        finally:
            poor.close()
            run("DROP OWNED BY poor")
            run("DROP ROLE poor")


def test_a_lock_of_others_is_no_refusal(site):  # noqa: F811
    with site.database.engine.connect() as holder:
        if site.database.is_sqlite:
            holder.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            holder.execute(text("LOCK TABLE epochs"))
        site.database.try_writing()
    assert not site.database.refuses_writes
