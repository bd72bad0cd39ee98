"""The dashboard's page, and the files and data that come with it."""

import base64
import gzip
import json
import os
import re
from pathlib import Path

import pytest

from dashboard.db.accounts import admins
from dashboard.errors import StartError
from dashboard.web.admin.preferences import PLACES
from dashboard.web.http.assets import Assets
from scoring.sorts import BUILT_IN_SORTS
from scoring.views import BUILT_IN_VIEWS
from tests.dashboard.web.admin.site.boot import boot
from tests.drivers.application import ApplicationDriver

STATIC = Path(__file__).parents[5] / "static"


@pytest.fixture
def dashboard(database, clock, tmp_path):
    """Serves the bundle, as in production."""
    return ApplicationDriver(database, clock, tmp_path, LINEUP_ASSETS="bundle")


def test_who_is_not_signed_in_is_sent_to_sign_in(dashboard):
    answer = dashboard.client().get("/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/login")


def test_the_page_begins_with_admin_preferences_and_time(mai, clock):
    values = boot(mai.get("/").text)
    assert values["protocol"] == 2
    assert values["admin"] == {
        "id": 1,
        "name": "Mai",
        "email": "mai@example.com",
        "role": "admin",
    }
    assert values["server_now"] == clock()
    assert {*values["view_queries"]} == {*BUILT_IN_VIEWS}
    assert values["sorts"] == list(BUILT_IN_SORTS)
    assert {"longest_wait", "unanswered_first", "priority"} <= set(values["sorts_by_wait"])
    assert not {"arrival", "member_status"} & set(values["sorts_by_wait"])
    assert values["fields"]["priority"]["words"] == ["urgent", "high", "normal", "low"]
    assert values["limits"] == {
        "message_characters": 20_000,
        "message_files": 10,
        "file_bytes": 10_485_760,
        "shortcut_characters": 32,
        "status_characters": 140,
        "list_ids": 20_000,
        "watched_ids": 500,
        "row_ids": 200,
        "query_characters": 1_000,
        "view_name_characters": 80,
        "own_views": 200,
        "shared_views": 1_000,
        "snooze_years": 5,
        "tag_characters": 32,
    }
    assert values["saved_views"] == []
    assert values["preferences"]["sorts"]["not_respond"] == "longest_wait"


def test_every_sort_and_place_has_its_texts(mai):
    values = boot(mai.get("/").text)
    texts = json.loads((STATIC / "i18n/en.json").read_text(encoding="utf-8"))
    for sort in values["sorts"]:
        assert f"sort.{sort}" in texts
    for rule in (rule for sort in BUILT_IN_SORTS.values() for rule in sort.rules):
        assert f"rule.{rule.name}" in texts
    for place in PLACES:
        assert {f"view.{place}", f"empty.{place}"} <= set(texts)


def test_a_name_cannot_break_out_of_the_page(dashboard):
    hostile = "</script><script>alert(1)//\u2028"
    client = dashboard.client()
    dashboard.create_admin("Mai")
    dashboard.database.write(
        lambda connection: connection.execute(admins.admins.update().values(name=hostile))
    )
    client.post("/login", json={"email": "mai@example.com", "password": "correct horse battery"})
    page = client.get("/").text
    assert "<script>alert" not in page and "\u2028" not in page
    assert boot(page)["admin"]["name"] == hostile


def test_scripts_run_only_with_this_answer_s_nonce(mai):
    first, second = mai.get("/"), mai.get("/")
    policies = [answer.headers["Content-Security-Policy"] for answer in (first, second)]
    nonces = [re.search(r"'nonce-([^']+)'", policy)[1] for policy in policies]
    assert nonces[0] != nonces[1]
    assert f'nonce="{nonces[0]}"' in first.text
    for rule in (
        "default-src 'self'",
        "img-src 'self' data:;",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "connect-src 'self' ws://localhost:5000",
    ):
        assert rule in policies[0]
    assert "unsafe" not in policies[0]


def test_every_answer_is_guarded(mai):
    for path in ("/", "/login", "/static/icon.svg", "/admin/api/me", "/nowhere"):
        headers = mai.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Referrer-Policy"] == "same-origin", path
    assert mai.get("/").headers["Cache-Control"] == "no-store"


def test_files_are_asked_for_again_and_not_sent_again(mai):
    first = mai.get("/static/icon.svg")
    assert first.status_code == 200
    assert (
        "no-cache" in first.headers["Cache-Control"]
        or "max-age=0" in first.headers["Cache-Control"]
    )
    again = mai.get("/static/icon.svg", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_no_file_outside_is_served(mai):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"):
        assert mai.get(path).status_code == 404


def test_the_dashboard_is_served_under_its_own_names_alone(mai):
    for path in ("/", "/login", "/admin/api/me", "/static/icon.svg", "/nowhere"):
        answer = mai.get(path, headers={"Host": "evil.example"})
        assert (answer.status_code, answer.json["code"]) == (400, "untrusted_host"), path
    for path in ("/healthz", "/readyz", "/metrics", "/api/v1/openapi.json"):
        assert mai.get(path, headers={"Host": "evil.example"}).status_code == 200, path


def test_the_language_is_the_browser_s_until_one_is_chosen(mai):
    headers = {"Accept-Language": "ja, en;q=0.5"}
    assert boot(mai.get("/", headers=headers).text)["preferences"]["locale"] == "ja"
    mai.patch("/admin/api/me/preferences", json={"locale": "vi"})
    page = mai.get("/", headers=headers).text
    assert boot(page)["preferences"]["locale"] == "vi"
    assert '<html lang="vi"' in page


def test_the_sign_in_page_remembers_the_theme(mai):
    mai.patch("/admin/api/me/preferences", json={"theme": "dark"})
    mai.post("/logout", json={})
    assert 'data-theme="dark"' in mai.get("/login").text


def addresses(page: str) -> list[str]:
    """Returns the addresses of a page's files, with its texts in three languages."""
    return (
        re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
        + json.loads(
            re.search(r'<script type="application/json" id="assets"[^>]*>(.*?)</script>', page)[1]
        )["texts"]["ja"]
    )


def test_all_that_the_first_paint_needs_is_asked_for_at_once(mai):
    page = mai.get("/").text
    found = addresses(page)
    for path in found:
        answer = mai.get(path)
        assert answer.status_code == 200, path
        assert path.startswith("/static/build/"), path
        assert answer.headers["Cache-Control"] == "max-age=31536000, immutable", path
    assert len(set(found)) <= 7, found
    assert "importmap" not in page
    [script] = re.findall(r'"([^"]*/js/[^"]*)"', page)
    code = mai.get(script).text
    assert not re.search(r'(?:from|import)"\./', code), "it waits for another script"


@pytest.mark.parametrize(
    ("accepted", "encoding", "decompress"),
    [
        ("gzip, deflate, br, zstd", "br", None),
        ("gzip", "gzip", gzip.decompress),
        ("identity", None, bytes),
    ],
)
def test_files_are_sent_compressed(mai, accepted, encoding, decompress):
    script = re.search(r'src="(/static/build/js/main[^"]+)"', mai.get("/").text)[1]
    answer = mai.get(script, headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == encoding
    assert answer.headers["Vary"] == "Accept-Encoding"
    whole = mai.get(script, headers={"Accept-Encoding": "identity"}).data
    if decompress is None:
        assert len(answer.data) < len(whole) / 3
    else:
        assert decompress(answer.data) == whole


@pytest.fixture
def script(mai):
    """Returns the address of a file that exists in three encodings."""
    return re.search(r'src="(/static/build/js/main[^"]+)"', mai.get("/").text)[1]


def test_each_encoding_has_a_strong_etag_of_its_own(mai, script):
    """RFC 9110, section 8.8.3: cached parts of two encodings must not be put together."""
    tags = {}
    for encoding in ("br", "gzip", "identity"):
        answer = mai.get(script, headers={"Accept-Encoding": encoding})
        tags[encoding] = answer.headers["ETag"]
        assert tags[encoding].startswith('"')
        again = {"Accept-Encoding": encoding, "If-None-Match": tags[encoding]}
        assert mai.get(script, headers=again).status_code == 304
    assert len(set(tags.values())) == 3
    other = {"Accept-Encoding": "br", "If-None-Match": tags["gzip"]}
    assert mai.get(script, headers=other).status_code == 200


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("br;q=0, gzip", "gzip"),
        ("br;q=0.1, gzip;q=0.9", "gzip"),
        ("br;q=0, gzip;q=0", None),
        ("*", "br"),
        ("", None),
        ("brr, xgzip", None),
    ],
)
def test_what_a_client_does_not_take_is_not_sent(mai, script, accepted, encoding):
    answer = mai.get(script, headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == encoding


CONDITIONS = [
    ({"If-None-Match": "{tag}"}, 304),
    ({"If-None-Match": "W/{tag}"}, 304),
    ({"If-None-Match": '"other", W/"b" ,{tag}'}, 304),
    ({"If-None-Match": "*"}, 304),
    ({"If-None-Match": '"other"'}, 200),
    ({"If-None-Match": "{tag}", "Range": "bytes=0-4"}, 304),
    ({"If-Modified-Since": "{date}"}, 304),
    ({"If-Modified-Since": "{date}", "If-None-Match": '"other"'}, 200),
    ({"Range": "bytes=0-4"}, 206),
    ({"Range": "bytes=0-0"}, 206),
    ({"Range": "bytes=-5"}, 206),
    ({"Range": "bytes=5-"}, 206),
    ({"Range": "bytes=99999999-"}, 416),
    ({"Range": "bytes=5-4"}, 200),
    ({"Range": "bytes=0-1,3-4"}, 200),
    ({"Range": "lines=0-4"}, 200),
    ({"Range": "bytes=a-b"}, 200),
    ({"Range": "bytes=0-4", "If-Range": "{tag}"}, 206),
    ({"Range": "bytes=0-4", "If-Range": '"other"'}, 200),
    ({"Range": "bytes=0-4", "If-Range": "W/{tag}"}, 200),
    ({"Range": "bytes=0-4", "If-Range": "Thu, 01 Jan 2015 00:00:00 GMT"}, 200),
]


@pytest.mark.parametrize(("asked", "status"), CONDITIONS, ids=repr)
@pytest.mark.parametrize("path", ["bundle", "/static/icon.svg"])
def test_files_are_sent_in_part_or_not_at_all_where_that_is_asked(mai, script, path, asked, status):
    """RFC 9110, sections 13 and 14."""
    path = script if path == "bundle" else path
    whole = mai.get(path)
    now = {"tag": whole.headers["ETag"], "date": whole.headers["Last-Modified"]}
    answer = mai.get(path, headers={name: text.format(**now) for name, text in asked.items()})
    assert answer.status_code == status
    if status == 206:
        first, last, size = map(int, re.findall(r"\d+", answer.headers["Content-Range"]))
        assert answer.data == whole.data[first : last + 1] and size == len(whole.data)
    elif status == 416:
        assert answer.headers["Content-Range"] == f"bytes */{len(whole.data)}"
        assert answer.get_json()["code"] == "range_not_satisfiable"
    else:
        assert answer.data == (whole.data if status == 200 else b"")
    if status in (200, 206, 304):
        assert answer.headers["ETag"] == now["tag"]


def test_the_bundle_is_served_under_its_names_alone(mai):
    for name in ("nothing.js", "../../app.py", "%2e%2e/%2e%2e/app.py", "js/", "js//main.js"):
        assert mai.get(f"/static/build/{name}").status_code == 404, name


def test_the_source_is_served_as_it_stands_where_that_is_wanted(database, clock, tmp_path):
    dashboard = ApplicationDriver(database, clock, tmp_path, LINEUP_ASSETS="source")
    mai = dashboard.sign_in("Mai")
    page = mai.get("/").text
    imports = json.loads(re.search(r'<script type="importmap"[^>]*>(.*?)</script>', page)[1])
    assert "/static/build/" not in page
    for path in (*addresses(page), "/static/css/list.css", imports["imports"]["lit-html"]):
        answer = mai.get(path)
        assert answer.status_code == 200, path
        assert "no-cache" in answer.headers["Cache-Control"], path


def test_a_bundle_older_than_its_source_is_told_of(tmp_path, caplog):
    (tmp_path / "build").mkdir()
    (tmp_path / "js").mkdir()
    manifest, script = tmp_path / "build/manifest.json", tmp_path / "js/main.js"
    manifest.write_text('{"files": {}}')
    script.write_text("")
    os.utime(script, (1_000, 1_000))
    Assets(tmp_path, "bundle")
    assert caplog.messages == []
    os.utime(manifest, (500, 500))
    Assets(tmp_path, "bundle")
    assert "make setup" in caplog.text


def test_without_a_bundle_the_server_does_not_start(tmp_path):
    with pytest.raises(StartError, match="make setup"):
        Assets(tmp_path, "bundle")


def test_an_installed_lineup_has_no_source_to_serve_or_to_compare(tmp_path, caplog):
    with pytest.raises(StartError, match="needs a checkout"):
        Assets(tmp_path, "source")
    (tmp_path / "build").mkdir()
    (tmp_path / "i18n").mkdir()
    manifest = tmp_path / "build/manifest.json"
    manifest.write_text('{"files": {}}')
    os.utime(manifest, (500, 500))
    (tmp_path / "i18n/en.json").write_text("{}")
    Assets(tmp_path, "bundle")
    assert caplog.messages == []


def test_the_page_brings_the_head_of_the_list_that_was_looked_at_last(dashboard, mai):
    dashboard.say("t-1", "first")
    dashboard.say("t-2", "second")
    mai.patch(
        "/admin/api/me/preferences",
        json={"view": "not_respond", "sorts": {"not_respond": "longest_wait"}},
    )
    head = boot(mai.get("/").text)["head"]
    assert (head["view"], head["sort"], head["filter"]) == ("not_respond", "longest_wait", "all")
    assert [row["preview"]["body"] for row in head["rows"]] == ["first", "second"]
    assert head["ids"] == [row["id"] for row in head["rows"]]
    assert (head["total"], len(head["scores"])) == (2, 2)
    assert head["epoch"] and head["version"] > 0


def test_while_redis_is_away_the_page_comes_without_a_head(dashboard, mai):
    dashboard.server.connected = False
    answer = mai.get("/")
    assert answer.status_code == 200
    assert boot(answer.text)["head"] is None


def test_before_the_scripts_run_the_page_has_its_words_and_shape(mai):
    mai.patch("/admin/api/me/preferences", json={"locale": "vi", "density": "compact"})
    page = mai.get("/").text
    words = json.loads((STATIC / "i18n/vi.json").read_text(encoding="utf-8"))
    for name in ("view.arrival", "view.mine", "views"):
        assert words[name] in page
    assert 'data-density="compact"' in page
    assert page.count("row skeleton") > 10


def test_the_key_of_drafts_is_written_otherwise_in_each_page(mai):
    keys = [base64.b64decode(boot(mai.get("/").text)["storage_key"]) for _ in range(2)]
    masks = [key[:32] for key in keys]
    assert masks[0] != masks[1]
    unmasked = [bytes(a ^ b for a, b in zip(key[:32], key[32:], strict=True)) for key in keys]
    assert unmasked[0] == unmasked[1]
    assert unmasked[0] not in keys[0]
