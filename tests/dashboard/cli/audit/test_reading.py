"""The command `audit`: a table, or a JSON object a line, the oldest first."""

import json
import os

import pytest

from dashboard.cli.main import main
from dashboard.db import audit
from dashboard.db.audit import PAGE, Actor, Target, add
from dashboard.db.database import Database
from dashboard.db.outbox.outgoing import timestamp

DAY_MS = 86_400_000
#: 2026-11-01
START_MS = 1_793_491_200_000
MAI = Actor(PAGE, 7, "Mai", "mai@example.org", "192.0.2.7", "Firefox/140.0")


@pytest.fixture(autouse=True)
def log(monkeypatch, tmp_path, sqlite_at_head):
    """An entry on the day before November, and one on each of its first two days."""
    path = tmp_path / "lineup.sqlite"
    path.write_bytes(sqlite_at_head.read_bytes())
    monkeypatch.setenv("LINEUP_DATABASE_URL", f"sqlite:///{path}")
    monkeypatch.setenv("LINEUP_REDIS_URL", f"unix://{tmp_path / 'none.sock'}")

    def write(connection):
        renamed = {"title": {"from": "VIP", "to": "Khách\x1b[2J quý"}}
        for at, target, data in (
            (START_MS - 1, "old", {}),
            (START_MS, "vip", renamed),
            (START_MS + DAY_MS, "new", {}),
        ):
            add(connection, at, MAI, audit.SORT_CHANGED, Target(target, "VIPs"), data)
        add(connection, START_MS + DAY_MS, Actor(PAGE), audit.SIGNIN_FAILED, Target(None))

    Database(os.environ["LINEUP_DATABASE_URL"]).write(write)


@pytest.fixture
def printed(capsys):
    def printed(*words: str) -> list[str]:
        assert main(("audit", *words)) == 0, capsys.readouterr().err
        return capsys.readouterr().out.splitlines()

    return printed


def test_a_line_says_when_who_where_what_and_to_what(printed):
    november = printed("--since", "2026-11-01", "--until", "2026-11-02")
    assert november == [
        "2026-11-01T00:00:00.000Z\tmai@example.org\tpage 192.0.2.7\tsort.changed\tsort:vip\tVIPs\t"
        '{"title": {"from": "VIP", "to": "Khách�[2J quý"}}'
    ]
    assert printed("--action", "signin") == [
        "2026-11-02T00:00:00.000Z\t-\tpage\tsignin.failed\taccount\t\t"
    ]


def test_the_oldest_is_first_and_filters_narrow(printed):
    assert [line.split("\t")[4] for line in printed()] == [
        "sort:old", "sort:vip", "sort:new", "account",
    ]  # fmt: skip
    since = ("--since", "2026-11-01T07:00:00+07:00")
    assert len(printed(*since)) == 3
    assert len(printed(*since, "--actor", "mai@example.org")) == 2
    assert len(printed(*since, "--target", "sort:new", "--action", "sort.changed")) == 1


def test_with_json_each_line_is_an_object(printed):
    [line] = printed("--target", "sort:vip", "--json")
    assert json.loads(line) == {
        "id": 2,
        "at": timestamp(START_MS),
        "action": "sort.changed",
        "via": "page",
        "admin_id": 7,
        "actor_name": "Mai",
        "actor_email": "mai@example.org",
        "address": "192.0.2.7",
        "user_agent": "Firefox/140.0",
        "target_kind": "sort",
        "target_id": "vip",
        "target_name": "VIPs",
        "data": {"title": {"from": "VIP", "to": "Khách�[2J quý"}},
    }


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--since", "yesterday", "is not a day such as 2026-11-01"),
        ("--since", "2026-13-01", "is not a day such as 2026-11-01"),
        ("--until", "2026-11-01T09:30:00", "is not a day such as 2026-11-01"),
        ("--action", "sort.none", "is not an action such as key.created"),
    ],
)
def test_wrong_use_is_said_in_a_sentence(capsys, option, value, sentence):
    assert main(("audit", option, value)) == 2
    assert sentence in capsys.readouterr().err
