"""The dashboard's page, and what comes along with it."""

import json
import re

from dashboard.store import admins


def boot(page):
    found = re.search(r'<script type="application/json" id="boot"[^>]*>(.*?)</script>', page, re.S)
    assert found, "there is no boot element"
    return json.loads(found[1])


def test_who_is_not_signed_in_is_sent_to_sign_in(dashboard):
    answer = dashboard.client().get("/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/login")


def test_the_page_begins_with_who_what_and_when(mai, clock):
    told = boot(mai.get("/").text)
    assert told["protocol"] == 1
    assert told["admin"] == {
        "id": 1,
        "name": "Mai",
        "email": "mai@example.com",
        "role": "admin",
    }
    assert told["server_now"] == clock()
    assert told["pages"] == ["arrival", "not_respond", "history"]
    assert told["sorts"] == [
        "arrival",
        "longest_wait",
        "unanswered_first",
        "member_status",
        "priority",
    ]
    assert told["preferences"]["sorts"]["not_respond"] == "longest_wait"


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


def test_all_scripts_of_the_first_paint_are_asked_for_at_once(mai):
    page = mai.get("/").text
    told = re.findall(r'<link rel="modulepreload" href="/static/([^"]+)">', page)
    assert {"js/ui/list.js", "vendor/lit-html/directive.js", "vendor/socket.io.js"} <= set(told)
    assert "js/ui/palette.js" not in told, "it is loaded when somebody asks for it"
    assert len(told) == len(set(told)) > 50
    for path in told:
        assert mai.get(f"/static/{path}").status_code == 200, path
    imports = re.search(r'<script type="importmap"[^>]*>(.*?)</script>', page, re.S)
    assert imports and json.loads(imports[1])["imports"]["lit-html/"].endswith("/vendor/lit-html/")
