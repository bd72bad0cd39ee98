"""Every route answers only the callers that its declaration names."""

import re

import pytest

from dashboard.db.accounts import api_keys, sources
from dashboard.web.admin.routes import SUPERVISOR, URL_PREFIX
from tests.dashboard.web.answers import is_problem

BOT_PREFIX = "/api/v1"


def routes(dashboard, prefix: str):
    """(method, path, declared route) of each one below a prefix."""
    for rule in dashboard.app.url_map.iter_rules():
        declared = getattr(dashboard.app.view_functions[rule.endpoint], "route", None)
        if declared is not None and rule.rule.startswith(prefix):
            path = re.sub(r"<any\(['\"]?(\w+).*?>", r"\1", rule.rule)
            yield declared.method, re.sub(r"<[^>]+>", "1", path), declared


#: Requests that are wrong in many ways; only callers with access are told so.
WRONG = [
    {"data": b"a=1", "content_type": "application/x-www-form-urlencoded"},
    {"data": b"--x--", "content_type": "multipart/form-data"},
    {"data": b"{", "content_type": "application/json"},
    {"data": b"{}", "content_type": "text/plain"},
    {"json": {"nonsense": 1}, "query_string": "nonsense=1&nonsense=2"},
    {"data": b"", "headers": {"Content-Encoding": "gzip"}},
    {"path": True, "json": {}},
]


def wrong_calls(client, method: str, path: str, **headers: str):
    """Returns the answers to calls of a route that are wrong in each way."""
    for wrong in WRONG:
        given = dict(wrong)
        # No object has this number as its id.
        place = path.replace("/1", f"/{2**53}") if given.pop("path", False) else path
        given["headers"] = given.get("headers", {}) | headers
        yield client.open(place, method=method, **given)


def call(client, method: str, path: str, declared, **headers: str):
    given = {"json": {}}
    if method in ("GET", "DELETE"):
        given = {}
    elif declared.takes_file:
        given = {"data": b"x", "content_type": "application/octet-stream"}
    return client.open(path, method=method, headers=headers, **given)


def test_no_call_of_the_dashboard_is_answered_without_a_session(dashboard):
    dashboard.say("t-1")
    found = list(routes(dashboard, URL_PREFIX))
    assert len(found) > 80
    for method, path, declared in found:
        answer = call(dashboard.client(), method, path, declared)
        assert is_problem(answer, 401, "unauthorized"), (method, path)
        for answer in wrong_calls(dashboard.client(), method, path):
            assert is_problem(answer, 401, "unauthorized"), (method, path)


def test_nothing_else_is_said_to_another_origin(dashboard, mai):
    """Not even that a body is not JSON."""
    evil = {"Origin": "https://evil.example"}
    for method, path, _ in routes(dashboard, URL_PREFIX):
        for client in (mai, dashboard.client()) if method != "GET" else ():
            for answer in wrong_calls(client, method, path, **evil):
                assert is_problem(answer, 403, "csrf_failed"), (method, path)
    for path in ("/login", "/login/code", "/logout", "/invitation"):
        for answer in wrong_calls(dashboard.client(), "POST", path, **evil):
            assert is_problem(answer, 403, "csrf_failed"), path


@pytest.mark.parametrize("path", ["/", "/login", "/invitation", f"{URL_PREFIX}/me"])
def test_nothing_is_answered_under_another_host(mai, path):
    """Bad input 83: rebound DNS, and links that were made under that host."""
    for host in ("evil.example", "localhost:5001", "localhost.evil.example:5000"):
        answer = mai.get(path, base_url=f"http://{host}")
        assert is_problem(answer, 400, "untrusted_host"), host


def test_no_call_of_supervisors_is_answered_to_an_admin(dashboard, mai):
    dashboard.say("t-1")
    found = [each for each in routes(dashboard, URL_PREFIX) if each[2].scope == SUPERVISOR]
    assert len(found) > 20
    for method, path, declared in found:
        answer = call(mai, method, path, declared)
        assert is_problem(answer, 403, "forbidden"), (method, path)
        for answer in wrong_calls(mai, method, path):
            assert is_problem(answer, 403, "forbidden"), (method, path)


def test_no_call_of_chatbots_is_answered_without_its_scope(dashboard):
    found = list(routes(dashboard, BOT_PREFIX))
    assert len(found) > 8

    def key_with(connection, scopes: list[str]) -> str:
        source_id = sources.ensure(connection, "shop", 0)
        return api_keys.create(connection, source_id, scopes, None, 0)

    client = dashboard.client()
    for method, path, declared in found:
        assert declared.scope in api_keys.SCOPES, (method, path)
        others = [each for each in api_keys.SCOPES if each != declared.scope]
        key = dashboard.database.write(lambda c, others=others: key_with(c, others))
        answer = call(client, method, path, declared)
        assert is_problem(answer, 401, "unauthorized"), (method, path)
        answer = call(client, method, path, declared, Authorization=f"Bearer {key}")
        assert is_problem(answer, 403, "forbidden_scope"), (method, path)
        for answer in wrong_calls(client, method, path):
            assert is_problem(answer, 401, "unauthorized"), (method, path)
        for answer in wrong_calls(client, method, path, Authorization=f"Bearer {key}"):
            assert is_problem(answer, 403, "forbidden_scope"), (method, path)
