"""After a person was deleted, their words are in no table, index, key, file or log."""

import logging
import stat
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, inspect, text
from sqlalchemy.engine import make_url

from dashboard.db import database as sqlite_wal
from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from dashboard.errors import StorageUnavailable
from dashboard.ingest.actions import Admin, Reply
from dashboard.ingest.customer_notes import NewNote
from presence.rooms import Membership
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.ordering.order import Order
from tests.drivers.audit import OPERATOR

#: Each is a word of its own for the search index, and appears in what the person is, says or gets.
WORDS = (
    *("zanzibarfirst", "zanzibarlast", "zanzibarname", "zanzibarfile", "zanzibarreply"),
    *("zanzibarnote", "zanzibarstatus", "zanzibarlater", "zanzibarguest", "zanzibarthread"),
    *("zanzibarkey", "zanzibarvalue", "zanzibarmemo"),
)
NEEDLE = "zanzibar"
PERSON = "zanzibarname-7"


@pytest.fixture
def order(any_database, client, clock) -> Order:
    opened = Order(any_database, client, clock)
    opened.tick()
    return opened


def customer(name: str = "zanzibarname") -> dict[str, Any]:
    avatar = f"https://cdn.example/{name}.png"
    attributes = {"zanzibarkey": "zanzibarvalue"}
    facts = {"name": name, "avatar_url": avatar, "locale": "vi", "attributes": attributes}
    return {"id": PERSON, **facts}


def live_through_everything(order: Order) -> int:
    """All that is kept of a person; the id of their thread."""
    services = order.services
    linh = Admin(new_admin(order.database, "Linh"), "Linh")
    services.webhooks.create(OPERATOR, "shop", "https://bot.example/hook", None)
    order.rebuilder.rebuild(order.rebuilder.list_ids())
    thread = "zanzibarthread"
    for number in range(40):
        # Messages of others in between: the index makes segments of both.
        order.post(thread, customer=customer(), body=f"zanzibarfirst {number}")
        order.post(f"other-{number}", body=f"ordinary words {number}")
    file = {"url": "https://cdn.example/zanzibarfile.png", "name": "zanzibarfile.png"}
    order.post(thread, customer=customer("zanzibarlast"), body="", attachments=[file])
    order.post("other-1", customer={"id": PERSON}, body="zanzibarguest")
    order.post("other-1", body="the thread is another's again")
    with order.database.read() as connection:
        id = connection.scalar(text("SELECT id FROM threads WHERE external_id = 'zanzibarthread'"))
    for token, body, private in (("k-1", "zanzibarreply", False), ("k-2", "zanzibarnote", True)):
        order.ingest.act(services.actions.reply, linh, id, Reply(body, token, private, None, True))
    memo = NewNote(f"shop/{PERSON}", "zanzibarmemo", None)
    order.ingest.act(services.customer_notes.change, linh, OPERATOR, id, memo)
    presence = services.presence_service
    presence.set_customer(order.source_id, "shop", PERSON, {"text": "zanzibarstatus"})
    services.bot_presence.beat("shop", [(PERSON, "zanzibardevice", "web", True)])
    services.bot_presence.typing(order.source_id, "shop", thread, PERSON)
    presence.threads.put(Membership(str(id), str(linh.id), "window"), "typing")
    order.post(thread, customer=customer(), body="zanzibarlater")
    return id


def rows_with(order: Order) -> list[tuple[str, Any]]:
    """Every row of any table that contains the word."""
    with order.database.read() as connection:
        names = inspect(connection).get_table_names()
        return [
            (name, row)
            for name in names
            for row in connection.execute(text(f'SELECT * FROM "{name}"'))
            if any(NEEDLE in _shown(value) for value in row)
        ]


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1").lower()
    return str(value).lower()


def keys_with(order: Order, id: int) -> list[str]:
    """Every key of Redis that holds the word, or is of the thread's rooms."""
    found = []
    for key in order.client.keys("*"):
        name = key.decode()
        held = name + str(_content(order.client, key)).lower()
        if NEEDLE in held or name.endswith(f":room:in:{id}"):
            found.append(name)
    return found


def _content(client: Any, key: bytes) -> Any:
    readers = {
        b"string": lambda: client.get(key),
        b"hash": lambda: client.hgetall(key),
        b"zset": lambda: client.zrange(key, 0, -1),
        b"set": lambda: client.smembers(key),
        b"list": lambda: client.lrange(key, 0, -1),
        b"stream": lambda: client.xrange(key),
    }
    return readers[client.type(key)]()


def files_with(order: Order) -> list[str]:
    """Every file of an SQLite database that contains the word."""
    if not order.database.is_sqlite:
        return []
    path = Path(str(make_url(order.database.url).database))
    return [
        each.name
        for each in sorted(path.parent.glob(f"{path.name}*"))
        if NEEDLE.encode() in each.read_bytes().lower()
    ]


def test_nothing_is_left_of_a_person(order, caplog):
    """H30: each word is looked for in every table, key and file, and in what was logged."""
    caplog.set_level(logging.DEBUG)
    id = live_through_everything(order)
    assert rows_with(order) and keys_with(order, id), "there is something to delete"
    if order.database.is_sqlite:
        assert files_with(order)
    erased = order.erase(PERSON)
    assert erased is not None and (erased.threads, erased.is_forgotten) == (1, True)
    order.tick(3)
    assert rows_with(order) == []
    assert keys_with(order, id) == []
    assert files_with(order) == []
    assert NEEDLE not in caplog.text.lower()
    assert order.differences() == []
    with order.database.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM threads")) == 40


def test_what_was_replaced_before_is_not_left_either(database, client, clock):
    """H30: names and previews that changed long ago, in free space of pages."""
    order = Order(database, client, clock)
    order.tick()
    for number in range(30):
        name = {"id": "c", "name": f"zanzibar-{number} " + "x" * 5 * number}
        order.post("t", customer=name, body=f"zanzibar {number}")
    order.erase("c")
    assert files_with(order) == []


def test_who_is_in_the_middle_of_reading_is_waited_for(database, client, clock):
    """H30: the log is emptied once nobody reads from it; until then the command fails."""
    order = Order(database, client, clock)
    order.tick()
    order.post("t", customer={"id": "c", "name": "zanzibar"})
    with order.database.read() as reading:
        reading.execute(text("SELECT count(*) FROM threads"))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("dashboard.db.erasures._CHECKPOINT_SECONDS", 0.2)
            with pytest.raises(StorageUnavailable, match="log"):
                order.erase("c")
    assert rows_with(order) == []
    assert order.erase("c") is None
    assert files_with(order) == []


def test_the_log_is_emptied_beside_other_work(database, client, clock):
    """Each try may wait for the disk, and many tries may wait for a reader."""
    offloaded = []

    def offload(work, *arguments):
        offloaded.append(work)
        return work(*arguments)

    own = Database(database.url, offload=offload)
    order = Order(own, client, clock)
    ran = _statements(own)
    order.post("t", customer={"id": "c", "name": "zanzibar"})
    order.erase("c")
    assert offloaded == [sqlite_wal.empty] and not [each for each in ran if "checkpoint(" in each]
    assert files_with(order) == []
    own.close()


def _statements(database: Database) -> list[str]:
    """Collects the statements run over its own connections from now on."""
    ran: list[str] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def see(connection, cursor, statement, *rest) -> None:
        ran.append(statement)

    return ran


@pytest.mark.parametrize("mode", [None, 0o644, 0o666])
def test_the_files_of_the_database_are_the_owners_alone(tmp_path, mode):
    """H30: also where an earlier release has made them readable for everybody."""
    path = tmp_path / "lineup.sqlite"
    if mode is not None:
        first = Database(f"sqlite:///{path}")
        bring_to_head(first)
        for each in tmp_path.iterdir():
            each.chmod(mode)
        first.close()
    database = Database(f"sqlite:///{path}")
    bring_to_head(database)
    with database.read():
        files = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
    # An empty file, which only serves as a lock.
    files.pop("lineup.sqlite.lock")
    assert "lineup.sqlite-wal" in files and set(files.values()) == {0o600}
    database.close()


def test_an_error_of_the_database_does_not_say_what_was_to_be_written(any_database):
    """H30: such an error is logged."""
    with pytest.raises(Exception) as found, any_database.read() as connection:
        connection.execute(text("SELECT * FROM nowhere WHERE name = :name"), {"name": NEEDLE})
    cause = found.value.__cause__ or found.value
    assert NEEDLE not in f"{found.value}{cause}"
