"""Each command that changes something is in the audit log, or is listed here with a reason."""

import io
import os

import pytest

from dashboard.cli.context import operator
from dashboard.cli.main import cli, main
from dashboard.db.accounts import passwords
from dashboard.db.database import Database
from dashboard.protocol import VERSION
from tests.dashboard.ingest.shop import Shop
from tests.drivers.audit import acts, entries
from tests.support import SettableClock

_READS = "it changes nothing"
_THREADS = "it adds threads of a chatbot"
#: Command → why it has no entry in the audit log.
REASONS = {
    "serve": "what is done in the page is added by the page",
    "demo": "it makes accounts and a key by the functions of the other commands",
    "seed": _THREADS,
    "simulate": _THREADS,
    "rebuild": "lists in Redis follow from the database",
    "check": _READS,
    "audit": _READS,
    "list-admins": _READS,
    "list-desks": _READS,
    "list-keys": _READS,
    "list-webhooks": _READS,
}
MAI = "mai@example.com"
HOOK = "https://bot.example/T0/secret?token=s3cret"
_MAI = {"name": "Mai", "role": "admin", "desks": ["main"], "method": "password"}
_ACCOUNT = ("account.created", "1", MAI, _MAI)
_DESK = ("desk.created", None, "billing", {})
_HOOK = ("webhook.created", "1", "https://bot.example", {"source": "shop", "events": "all"})
_NEW_ADMIN = f"create-admin --email {MAI} --name Mai --password-stdin"
_NEW_MAI = "mai.tran@example.com"
_NEW_HOOK = f"create-webhook --source shop --url {HOOK}"
_NEW_KEY = "create-key --source shop --scopes read,events --rate 5 --handoff --desk billing"
_KEY = {
    "source": "shop",
    "scopes": ["events", "read"],
    "rate_per_second": 5,
    "handoff_only": True,
    "desk": "billing",
}
_EXPORTED = ("export.made", None, "events", {"format": "jsonl", "filters": {}})
#: Time and version of a backup.
BACKUP = {"made_at": "TIME", "version": VERSION}
#: Command → what is typed, and its entries, with those of the commands before it.
ENTRIES = {
    "create-admin": ([_NEW_ADMIN], [_ACCOUNT]),
    "set-password": (
        [_NEW_ADMIN, f"set-password --email {MAI} --password-stdin"],
        [_ACCOUNT, ("account.password_changed", "1", MAI, {})],
    ),
    "set-email": (
        [_NEW_ADMIN, f"set-email --email {MAI} --to Mai.Tran@example.com"],
        [_ACCOUNT, ("account.changed", "1", _NEW_MAI, {"email": {"from": MAI, "to": _NEW_MAI}})],
    ),
    "reset-second-factor": (
        [_NEW_ADMIN, f"reset-second-factor --email {MAI}"],
        [_ACCOUNT, ("second_factor.reset", "1", MAI, {})],
    ),
    "disable-admin": (
        [_NEW_ADMIN, f"disable-admin --email {MAI}"],
        [_ACCOUNT, ("account.disabled", "1", MAI, {})],
    ),
    "set-desks": (
        [_NEW_ADMIN, "create-desk billing", *[f"set-desks --email {MAI} --desks billing"] * 2],
        [
            _ACCOUNT,
            _DESK,
            (
                "account.desks_changed",
                "1",
                MAI,
                {"desks": {"from": ["main"], "to": ["billing"]}},
            ),
        ],
    ),
    "create-desk": (["create-desk billing"], [_DESK]),
    "create-key": ([_NEW_KEY], [_DESK, ("key.created", "KEY", "", _KEY)]),
    "revoke-key": (
        [_NEW_KEY, *["revoke-key KEY"] * 2],
        [
            _DESK,
            ("key.created", "KEY", "", _KEY),
            ("key.revoked", "KEY", "", {"source": "shop"}),
        ],
    ),
    "create-webhook": ([_NEW_HOOK], [_HOOK]),
    "rotate-webhook": (
        [_NEW_HOOK, "rotate-webhook 1"],
        [_HOOK, ("webhook.rotated", "1", "https://bot.example", {"source": "shop"})],
    ),
    "revoke-webhook": (
        [_NEW_HOOK, "revoke-webhook 1"],
        [_HOOK, ("webhook.revoked", "1", "https://bot.example", {"source": "shop"})],
    ),
    "backup": (["backup FILE"], [("backup.made", None, "", {})]),
    "restore": (
        ["backup FILE", "restore --force FILE"],
        # The restored log has the entry of the backup.
        [("backup.made", None, "", {}), ("backup.restored", None, "", BACKUP)],
    ),
    "export": (["export FILE"], [_EXPORTED]),
    "import": (
        ["export FILE", "import FILE"],
        [_EXPORTED, ("events.imported", None, "events", {})],
    ),
    "delete-customer": (
        ["delete-customer --source shop --customer c"],
        [("customer.deleted", "1", "", {"source": "shop", "threads": 1, "events": 1})],
    ),
}


@pytest.fixture
def database(monkeypatch, tmp_path, sqlite_at_head) -> Database:
    """A new SQLite file, beside a Redis that is away."""
    path = tmp_path / "lineup.sqlite"
    path.write_bytes(sqlite_at_head.read_bytes())
    monkeypatch.setenv("LINEUP_DATABASE_URL", f"sqlite:///{path}")
    monkeypatch.setenv("LINEUP_REDIS_URL", f"unix://{tmp_path / 'none.sock'}")
    # Password hashing at its usual cost would take most of the test's time.
    monkeypatch.setattr(passwords, "hashed", lambda text: f"hash of {text}")
    return Database(os.environ["LINEUP_DATABASE_URL"])


def test_each_command_is_in_the_audit_log_or_it_is_said_why_not():
    assert cli.commands.keys() == ENTRIES.keys() | REASONS.keys()
    assert not ENTRIES.keys() & REASONS.keys()


@pytest.mark.parametrize("name", ENTRIES)
def test_a_command_adds_exactly_these_entries(name, database, monkeypatch, capsys, tmp_path):
    if name == "delete-customer":
        Shop(database, SettableClock()).says(0)
    typed, expected = ENTRIES[name]
    prefix = ""
    for words in typed:
        monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))
        typed_words = words.replace("KEY", prefix).replace("FILE", str(tmp_path / "file"))
        assert main(typed_words.split()) == 0, capsys.readouterr().err
        printed = capsys.readouterr().out
        if words == _NEW_KEY:
            prefix = printed.split("_")[1]
    found = [(each[0], each[1] and each[1].replace(prefix or "-", "KEY"), *each[2:])
             for each in acts(database)]  # fmt: skip
    for each in found:
        if "made_at" in each[-1]:
            each[-1]["made_at"] = "TIME"
    assert found == expected
    for entry in entries(database):
        assert [entry[field] for field in ("via", "admin_id", "actor_name", "address")] == [
            "command", None, operator().name, operator().address,
        ]  # fmt: skip
