"""Each line is checked: an error has its line and place; the batches before it are kept."""

import json

import fakeredis
import pytest
from sqlalchemy import select, text

from dashboard.db.accounts import admins
from dashboard.db.models.threads import threads
from dashboard.errors import StartError
from dashboard.ingest.actions import Actions, Admin
from dashboard.ingest.replies import Reply
from dashboard.transfer import importing
from tests.dashboard.ingest.shop import Shop, new_admin
from tests.dashboard.ordering.order import Order
from tests.drivers.audit import acts

HEAD = [
    {"format": "lineup-events", "version": 1},
    {"desk": "main"},
    {"source": "shop", "desk": "main", "handoff_only": False},
    {"admin": "mai@desk.example", "name": "Mai"},
    {"thread": "t", "source": "shop", "desk": "main"},
]
RECEIVED = {"received_at": "2026-09-20T10:00:01.000Z", "source": "shop"}
MESSAGE = {
    "id": "m-1", "type": "message", "occurred_at": "2026-09-20T10:00:00.000Z", "thread": "t",
    "customer": {"id": "c"}, "role": "client", "body": "Xin chào",
}  # fmt: skip
REPLY = {
    "id": "7:x", "type": "message", "occurred_at": "2026-09-20T10:00:02.000Z", "thread": "t",
    "body": "Chào",
}  # fmt: skip


@pytest.fixture
def any_database(database):
    """The rules for lines do not depend on the database."""
    return database


def encoded(*lines) -> list[bytes]:
    return [
        line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines
    ]


def sent(**changes) -> dict:
    return {"event": MESSAGE | changes, **RECEIVED}


def act(line=None, **changes) -> dict:
    return {"event": REPLY | changes, **RECEIVED, "author": "mai@desk.example", **(line or {})}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"hello\n", "line 6: is not valid JSON (column 1)."),
        (b'{"a": 1, "a": 2}\n', "line 6: An object has the key “a” twice."),
        (b"\xff\n", "line 6: is not valid UTF-8."),
        (b'{"event":' + b" " * 600_000 + b"}\n", "line 6: / has more than 524288 bytes."),
        ([1], "line 6: / must be an object."),
        ({}, "line 6: / is not a line of an export."),
        (HEAD[0], "line 6: /format may stand in the first line only."),
        ({"desk": "Sales"}, "line 6: /desk “Sales” is not a desk: 1 to 32 of a-z 0-9 -."),
        ({"source": "A", "desk": "main", "handoff_only": False}, "line 6: /source is not the name"),
        (HEAD[2] | {"handoff_only": True}, "line 6: /handoff_only is false for this source here."),
        ({"admin": "mai", "name": "Mai"}, "line 6: /admin is not an e-mail address."),
        (HEAD[4] | {"source": "blog"}, "line 6: /source is not on an earlier line."),
        (sent(occurred_at="yesterday"), "line 6: /event/occurred_at “yesterday” is not an RFC"),
        (sent(body=""), "line 6: /event/body is empty, and nothing is attached."),
        (sent(role="boss"), "line 6: /event/role must be "),
        (sent(colour="red"), "line 6: /event/colour is not known here."),
        (sent(type="unknown"), "line 6: /event/type “unknown” is not a type of event."),
        (sent() | {"received_at": "x"}, "line 6: /received_at “x” is not an RFC 3339 timestamp"),
        (sent() | {"received_at": "2099-01-01T00:00:00Z"}, "line 6: /received_at is in the future"),
        (sent() | {"source": "blog"}, "line 6: /source is not on an earlier line."),
        (sent() | {"colour": 1}, "line 6: /colour is not known here."),
        ({"event": MESSAGE}, "line 6: /source is missing."),
        (sent(type="thread.handoff", desk="x", customer=None), "line 6: /event/customer is not"),
        (act({"author": "ken@desk.example"}), "line 6: /author is not on an earlier line."),
        (act({"seen": "m-9"}), "line 6: /seen is not an event before this one."),
        (act({"undoes": "/7:y"}, type="thread.reopen"), "line 6: /event/body is not known here."),
        (act(role="admin"), "line 6: /event/role is not known here."),
        (act(type="receipt"), "line 6: /event/type is not a type of an admin's event."),
        ({"event": {"id": "r", "type": "receipt", "state": "read", "occurred_at":
          "2026-09-20T10:00:00Z"}, **RECEIVED}, "line 6: /message is missing."),
        ({"event": {"id": "r", "type": "receipt", "state": "read", "occurred_at":
          "2026-09-20T10:00:00Z"}, **RECEIVED, "message": "/7:z"}, "line 6: /message is not an"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named_and_nothing_of_its_batch_is_stored(
    new_database, transfer, line, said
):
    other = new_database()
    with pytest.raises(StartError) as found:
        transfer.imported(other, encoded(*HEAD, line, sent(id="m-2")))
    assert str(found.value).startswith(said), found.value
    assert "\n" not in str(found.value)
    with other.read() as connection:
        assert connection.scalars(select(threads.c.id)).all() == []


def test_a_file_that_went_through_an_editor_is_taken(new_database, transfer):
    """With a byte order mark, empty lines, and two characters at the end of each line."""
    lines = [line.replace(b"\n", b"\r\n") for line in encoded(*HEAD, sent(), act())]
    empty = [b"\r\n", b" \t\n", b"\n"]
    edited = [b"\xef\xbb\xbf" + lines[0], *empty, *lines[1:], *empty]
    other, right = new_database(), new_database()
    transfer.imported(right, encoded(*HEAD, sent(), act()))
    assert transfer.imported(other, edited).created == 2
    assert transfer.exported(other) == transfer.exported(right)
    transfer.imported(new_database(), [b"\xef\xbb\xbf\r\n", *empty, *lines])
    with pytest.raises(StartError, match=r"^line 11: / is not a line"):
        transfer.imported(new_database(), [*edited[:-3], b"{}\r\n"][:11])


def test_batches_before_a_wrong_line_are_stored(new_database, transfer, monkeypatch):
    monkeypatch.setattr(importing, "BATCH", 2)
    other = new_database()
    good = [sent(id=f"m-{number}") for number in range(5)]
    with pytest.raises(StartError, match=r"^line 11: /event/id "):
        transfer.imported(other, encoded(*HEAD, *good, sent(id="/")))
    with other.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM events")) == 4
    assert transfer.imported(other, encoded(*HEAD, *good)).created == 1


def test_what_earlier_releases_accepted_is_imported(new_database, transfer):
    """Their exports have it: ids that a URL drops, and texts and names that show nothing."""
    unseen = {"id": "..", "name": "\u200b"}
    lines = [*HEAD[:4], HEAD[4] | {"thread": "."}, sent(thread=".", customer=unseen, body=" ")]
    other, again = new_database(), new_database()
    assert transfer.imported(other, encoded(*lines, act(thread="."))).created == 2
    transfer.imported(again, transfer.exported(other))
    assert transfer.exported(again) == transfer.exported(other)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "/ is missing: the file is empty."),
        ([HEAD[1]], "/format is missing: this is not an export."),
        ([b"\n", b" \r\n"], "/ is missing: the file is empty."),
        ([b"\xef\xbb\xbf"], "/ is missing: the file is empty."),
        ([b"x\n"], "is not valid JSON (column 1)."),
        (["\ufeff{}\r\n".encode("utf-16-le")], "is in UTF-16; send UTF-8."),
        ([HEAD[0] | {"version": 2}], "/version belongs to another release of Lineup."),
        ([HEAD[0] | {"format": "x"}], "/format must be "),
    ],
)
def test_a_file_that_does_not_begin_as_an_export_is_refused(new_database, transfer, lines, said):
    with pytest.raises(StartError) as found:
        transfer.imported(new_database(), encoded(*lines))
    assert str(found.value).startswith(f"line 1: {said}")


def test_another_event_of_the_same_id_is_a_conflict(new_database, transfer):
    other = new_database()
    transfer.imported(other, encoded(*HEAD, sent()))
    with pytest.raises(StartError, match=r"^line 7: /event/id Another event has this id"):
        transfer.imported(other, encoded(*HEAD, sent(id="m-2"), sent(body="Other")))
    with other.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM events")) == 1


def test_the_time_of_receipt_is_kept(new_database, transfer):
    """An event whose sender's clock was fast stands where it stood."""
    other = new_database()
    fast = sent(occurred_at="2026-09-20T12:00:00Z")
    transfer.imported(other, encoded(*HEAD, fast))
    with other.read() as connection:
        row = connection.execute(text("SELECT ranked_at, received_at, occurred_at FROM events"))
        ranked_at, received_at, occurred_at = row.one()
    assert ranked_at == received_at < occurred_at


def test_those_who_wrote_get_accounts_that_are_disabled_and_all_is_in_the_audit_log(
    new_database, transfer
):
    other = new_database()
    desk = {"desk": "sales"}
    transfer.imported(other, encoded(*HEAD[:2], desk, *HEAD[2:], sent(), act({"seen": "m-1"})))
    with other.read() as connection:
        mai = admins.by_email(connection, "mai@desk.example")
        assert mai is not None and mai.disabled_at is not None and mai.role == "admin"
    said = {"name": "Mai", "role": "admin", "desks": [], "method": "import"}
    assert acts(other) == [
        ("events.imported", None, "events", {}),
        ("desk.created", None, "sales", {}),
        ("account.created", "1", "mai@desk.example", said),
    ]
    transfer.imported(other, encoded(*HEAD[:2], desk, *HEAD[2:], sent()))
    assert [each[0] for each in acts(other)][3:] == ["events.imported"]


def test_what_is_left_of_people_who_were_deleted_keeps_threads_of_others_in_place(
    any_database, new_database, transfer, clock
):
    order = Order(any_database, fakeredis.FakeRedis(), clock)
    order.post("t-1", customer={"id": "gone", "name": "Gone"})
    # A note of the chatbot answers nobody.
    order.post("t-1", customer={"id": "gone"}, role="admin", private=True)
    order.post("t-1", customer={"id": "stays"})
    order.post("t-2", customer={"id": "gone"})
    order.erase("gone")
    lines = transfer.exported(any_database)
    assert b"Gone" not in b"".join(lines) and b'"gone"' not in b"".join(lines)
    assert sum(line.startswith(b'{"erased"') for line in lines) == 2
    other = new_database()
    transfer.imported(other, lines)
    assert transfer.exported(other) == lines
    rows = [Shop(each, clock).row("t-1") for each in (any_database, other)]
    assert rows[0]["unanswered"] == rows[1]["unanswered"] == 2


def test_people_who_were_deleted_are_not_brought_back(any_database, transfer, clock):
    """Neither by what they wrote nor by what was answered, however long ago that was."""
    order = Order(any_database, fakeredis.FakeRedis(), clock)
    order.post("t-1", customer={"id": "gone", "name": "Gone"})
    order.post("t-2", customer={"id": "stays"})
    mai = Admin(new_admin(any_database, "Mai"), "Mai")
    Actions(any_database, clock).reply(mai, 1, Reply("Dear Gone", "tok"))
    lines = transfer.exported(any_database)
    clock.advance(1_000)
    order.erase("gone")
    imported = transfer.imported(any_database, lines)
    assert (imported.created, imported.duplicates, imported.refused) == (0, 1, 2)
    with any_database.read() as connection:
        assert connection.scalars(select(threads.c.external_id)).all() == ["t-2"]
    order.post("t-3", customer={"id": "other"})
    clock.advance(400 * 24 * 3_600_000)
    order.erase("other")
    assert transfer.imported(any_database, lines).refused == 2


def test_a_thread_that_a_batch_writes_twice_leaves_the_lists_of_before(
    new_database, transfer, monkeypatch
):
    monkeypatch.setattr(importing, "BATCH", 2)
    other = new_database()
    services = transfer.services(other)
    services.rebuilder.rebuild(services.rebuilder.list_ids())
    closed = {"event": {"thread": "t"}, **RECEIVED}
    later = "2026-09-20T10:00:01.000Z"
    closed["event"] |= {"id": "close", "type": "thread.close", "occurred_at": later}
    note = act({"seen": "m-1"}, private=True)
    transfer.imported(other, encoded(*HEAD, sent(), sent(id="m-2"), closed, note))
    assert services.ranking.head("arrival", "arrival", 5).entries == []
    assert len(services.ranking.head("history", "arrival", 5).entries) == 1
