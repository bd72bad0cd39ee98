"""The audit log over HTTP: supervisors read, filter and export it."""

import csv
import io
import json

import pytest

from dashboard.db import audit as entries
from dashboard.db.audit import PAGE, Actor, Entry, Target, add, csv_lines
from dashboard.web.admin.access import audit
from tests.drivers.audit import OPERATOR

API = "/admin/api/audit"


@pytest.fixture
def chief(dashboard, clock):
    made = dashboard.sign_in("Chief", "supervisor")

    def write(connection):
        mai = Actor(PAGE, 7, "Mai", "mai@example.org", "192.0.2.7", "Firefox/140.0")
        for n in range(3):
            said = {"title": {"from": "=1+1", "to": f"“{n}”, 二"}}
            add(connection, clock() + n, mai, entries.SORT_CHANGED, Target("vip", "=VIPs"), said)
        add(connection, clock() + 3, OPERATOR, entries.DESK_CREATED, Target(None, "billing"))

    dashboard.database.write(write)
    return made


def names(answer):
    assert answer.status_code == 200, answer.json
    return [entry["action"] for entry in answer.json["entries"]]


def test_the_log_is_for_supervisors(dashboard, mai, chief):
    for client, status in ((mai, 403), (dashboard.client(), 401)):
        assert client.get(API).status_code == status
        assert client.post(f"{API}/export", json={}).status_code == status
        for method in ("PUT", "PATCH", "DELETE"):
            assert client.open(API, method=method, json={}).status_code in (status, 405)


def test_an_entry_is_told_whole(chief, clock):
    [newest] = chief.get(f"{API}?limit=1").json["entries"]
    assert newest.pop("id") > 0
    assert newest == {
        "at": clock() + 3,
        "action": "desk.created",
        "actor": {
            "via": "command",
            "admin_id": None,
            "name": "operator",
            "email": None,
            "address": "server-1",
            "user_agent": "",
        },
        "target": {"kind": "desk", "id": None, "name": "billing"},
        "data": {},
    }


def test_filters_and_cursors_give_what_is_older(chief, clock):
    assert names(chief.get(API)) == [
        "desk.created",
        *["sort.changed"] * 3,
        "signin.succeeded",
    ]
    answer = chief.get(f"{API}?action=sort&limit=2")
    assert names(answer) == ["sort.changed"] * 2
    last = chief.get(f"{API}?action=sort&limit=2&cursor={answer.json['next']}")
    assert names(last) == ["sort.changed"] and last.json["next"] is None
    assert names(chief.get(f"{API}?target=desk")) == ["desk.created"]
    assert names(chief.get(f"{API}?actor=chief@example.com")) == ["signin.succeeded"]
    since = f"{API}?from={clock() + 1}&to={clock() + 3}"
    assert names(chief.get(since)) == ["sort.changed"] * 2


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("action=sort.none", "/action"),
        ("action=", "/action"),
        ("from=yesterday", "/from"),
        ("limit=201", "/limit"),
        ("cursor=forged", "/cursor"),
        (f"actor={'x' * 255}", "/actor"),
        ("target=%00", "/target"),
    ],
)
def test_a_wrong_parameter_is_named(chief, query, pointer):
    answer = chief.get(f"{API}?{query}")
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)


def test_an_actor_is_found_by_the_name_in_other_signs(dashboard, chief):
    dashboard.sign_in("Ánh O’Brien–ｽﾐｽ", "supervisor")
    found = chief.get(f"{API}", query_string={"actor": "ÁNH O'BRIEN-スミス"}).json["entries"]
    assert [entry["action"] for entry in found] == ["signin.succeeded"]


@pytest.mark.parametrize("typed", ["Đơn hàng", " đơn hàng"])
def test_a_target_is_found_by_its_name(dashboard, chief, clock, typed):
    def write(connection):
        for name in ("Đơn hàng", "đơn hàng", "đơn"):
            add(connection, clock(), OPERATOR, entries.DESK_CREATED, Target(None, name))

    dashboard.database.write(write)
    found = chief.get(API, query_string={"target": typed}).json["entries"]
    assert typed.strip() in {entry["target"]["name"] for entry in found} and len(found) < 3


def test_an_export_is_an_entry_of_its_own_and_holds_what_the_log_held(chief):
    given = {"action": "sort", "format": "csv"}
    answer = chief.post(f"{API}/export", json=given)
    assert (answer.json["entries"], answer.json["next"]) == (3, None)
    [newest] = chief.get(f"{API}?action=export").json["entries"]
    assert newest["actor"]["email"] == "chief@example.com"
    assert newest["target"] == {"kind": "export", "id": None, "name": "audit"}
    assert newest["data"] == {"format": "csv", "filters": {"action": "sort"}}
    assert answer.json["text"].startswith("\ufeffid,"), "spreadsheets read UTF-8 by its mark"
    rows = list(csv.DictReader(io.StringIO(answer.json["text"][1:], newline="")))
    assert [row["target_id"] for row in rows] == ["vip"] * 3
    assert json.loads(rows[0]["data"]) == {"title": {"from": "=1+1", "to": "“2”, 二"}}
    assert rows[0]["at"].endswith("Z") and rows[0]["admin_id"] == "7"


def test_no_cell_of_a_spreadsheet_is_a_formula(chief):
    text = chief.post(f"{API}/export", json={"action": "sort"}).json["text"]
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert "'=VIPs" in rows[1]
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]


BLANKS = ["", " ", "\t", "\r", "\n", " \t\r\n ", "\u00a0", "　", "\u200b", "\ufeff"]


@pytest.mark.parametrize("before", BLANKS)
def test_a_formula_is_text_in_any_width_and_after_blanks(before):
    for sign in "=+-@＝＋－＠﹦﹢﹣﹫−⁼₊":
        entry = Entry(*[f"{before}{sign}1+1"] * len(Entry._fields))._replace(at=0, data={})
        [_, row] = csv.reader(io.StringIO(csv_lines([entry], with_head=True)[1:], newline=""))
        cell = dict(zip(Entry._fields, row, strict=True))["target_name"]
        assert cell == f"'{before}{sign}1+1", ascii(cell)


def test_only_the_first_part_of_a_file_begins_it(chief, monkeypatch):
    monkeypatch.setattr(audit, "EXPORTED", 2)
    first = chief.post(f"{API}/export", json={"format": "csv", "target": "sort:vip"}).json
    rest = chief.post(f"{API}/export", json={"cursor": first["next"]}).json["text"]
    assert first["text"].count("\ufeff") == 1 and "\ufeff" not in rest


def test_an_export_comes_in_parts_and_is_one_entry(chief, monkeypatch):
    monkeypatch.setattr(audit, "EXPORTED", 2)
    given = {"format": "jsonl", "target": "sort:vip"}
    parts = [chief.post(f"{API}/export", json=given).json]
    while parts[-1]["next"]:
        parts.append(chief.post(f"{API}/export", json={"cursor": parts[-1]["next"]}).json)
    assert [part["entries"] for part in parts] == [2, 1]
    lines = [json.loads(line) for part in parts for line in part["text"].splitlines()]
    assert [line["data"]["title"]["to"] for line in lines] == ["“2”, 二", "“1”, 二", "“0”, 二"]
    assert len(chief.get(f"{API}?action=export").json["entries"]) == 1


def test_a_cursor_of_an_export_stands_alone_and_is_none_of_the_list(chief, monkeypatch):
    monkeypatch.setattr(audit, "EXPORTED", 1)
    cursor = chief.post(f"{API}/export", json={}).json["next"]
    of_list = chief.get(f"{API}?limit=1").json["next"]
    for wrong in ({"cursor": cursor, "format": "csv"}, {"cursor": of_list}, {"format": "xml"}):
        assert chief.post(f"{API}/export", json=wrong).status_code == 422
    assert chief.get(f"{API}?cursor={cursor}").status_code == 422
