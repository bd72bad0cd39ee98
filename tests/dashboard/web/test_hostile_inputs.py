"""No part of a request, however it is spoiled, reaches a 500 or a stack trace in the log."""

import json
import logging
from collections.abc import Iterator, Sequence
from itertools import islice, product
from urllib.parse import quote, urlencode

import pytest
from flask.testing import FlaskClient

from dashboard.db.accounts import api_keys, sources
from tests.dashboard.web.hostile import STEP, STORED_TEXTS, TEXTS, spoiled_bodies, spoiled_paths
from tests.dashboard.web.hostile_calls import ADMIN_CALLS, BOT_CALLS, SIGN_IN_CALLS, Call
from tests.drivers.application import ORIGIN, ApplicationDriver
from tests.drivers.audit import OPERATOR

#: Headers that are read somewhere; each is spoiled in turn.
HEADERS = [
    "Accept",
    "Accept-Language",
    "Authorization",
    "Content-Encoding",
    "Content-Type",
    "Cookie",
    "Host",
    "If-Modified-Since",
    "If-None-Match",
    "If-Range",
    "Origin",
    "Range",
    "Sec-Fetch-Site",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
]


@pytest.fixture
def site(any_database, clock, tmp_path) -> ApplicationDriver:
    driver = ApplicationDriver(any_database, clock, tmp_path)
    driver.say("t-1")
    driver.webhooks.create(OPERATOR, "shop", "https://bot.example/first", None)
    return driver


@pytest.fixture(params=[STEP, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.cpu_bound])])
def step(request) -> int:
    """Returns the step: one of so many spoiled forms is sent."""
    return request.param


@pytest.fixture
def key(site) -> str:
    def make(connection) -> str:
        source_id = sources.ensure(connection, "shop", 0)
        return api_keys.create(connection, source_id, api_keys.SCOPES, None, 0)

    return site.database.write(make)


class Faults(logging.Handler):
    """Collects what is logged with a stack trace."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.found.append(f"{record.getMessage()}: {record.exc_info[1]!r}"[:300])


@pytest.fixture
def faults() -> Iterator[Faults]:
    handler = Faults()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


def plain(call: Call) -> str:
    return call.path.replace("{", "").replace("}", "")


def sent(client, call: Call, path: str, query: str = "", body=None, **headers: str) -> int:
    """Sends a request; returns the status, after checking that an error is a problem."""
    # Text that the standard library would not send: lone surrogates become their three bytes.
    environ = {"PATH_INFO": path.encode("utf-8", "surrogatepass").decode("latin-1")}
    given = {"environ_overrides": environ, "query_string": query, "headers": headers}
    if body is not None:
        given["data"] = json.dumps(body)
        given["content_type"] = "application/json"
    elif call.file is not None:
        given["data"] = call.file
        given["content_type"] = "application/octet-stream"
    # Not by the client's own `open`: it checks answers by the path, which is overridden here.
    answer = FlaskClient.open(client, plain(call), method=call.method, base_url=ORIGIN, **given)
    if answer.status_code >= 400:
        problem = answer.get_json(force=True)
        is_problem = problem.get("status") == answer.status_code and problem["code"]
        assert is_problem or "results" in problem, (call, path, body)
    return answer.status_code


def spoiled(call: Call, texts: Sequence[str]) -> Iterator[tuple[str, str, object]]:
    """Path, query string and body of every spoiled form of a call."""
    path, query = plain(call), urlencode(call.query)
    for each in spoiled_paths(call.path, texts):
        yield each, query, call.body
    for name in call.query:
        for text in texts:
            yield path, urlencode({**call.query, name: text}, errors="surrogatepass"), call.body
            yield path, f"{query}&{name}={quote(text, errors='surrogatepass')}", call.body
    if call.body is not None:
        for body in spoiled_bodies(call.body, texts):
            yield path, query, body


def spoil(
    site, client, calls: list[Call], step: int, **headers: str
) -> Iterator[tuple[object, int]]:
    """Sends every `step`th spoiled form of these calls; returns the requests and their statuses.

    On PostgreSQL only those that reach it: all others take the same way as on SQLite.
    """
    texts = TEXTS if site.database.is_sqlite else STORED_TEXTS
    forms = ((call, form) for call in calls for form in spoiled(call, texts))
    for call, form in islice(forms, 0, None, step):
        yield (call, form), sent(client, call, *form, **headers)


def assert_none_is_a_bug(answers: Iterator[tuple[object, int]], faults: Faults) -> None:
    wrong = [(given, status) for given, status in answers if status >= 500]
    assert wrong == [] and faults.found == []


def test_every_route_is_tried(site):
    """A new route needs a call in `hostile_calls.py`."""
    adapter = site.app.url_map.bind("localhost")
    tried = {
        adapter.match(plain(call), call.method)[0]
        for call in [*BOT_CALLS, *ADMIN_CALLS, *SIGN_IN_CALLS]
    }
    assert {rule.endpoint for rule in site.app.url_map.iter_rules()} - tried == set()


def test_calls_of_chatbots(site, key, faults, step):
    """H9: whatever a chatbot sends, the answer is no 500, and the log holds no stack trace."""
    client = site.client()
    headers = {"Authorization": f"Bearer {key}"}
    assert_none_is_a_bug(spoil(site, client, BOT_CALLS, step, **headers), faults)


def test_calls_of_admins(site, faults, step):
    """H9: whatever a signed-in supervisor sends."""
    client = site.sign_in("Mai", "supervisor")
    assert_none_is_a_bug(spoil(site, client, ADMIN_CALLS, step), faults)


def test_signing_in(site, clock, faults, step):
    """H9: whatever a caller without a session sends."""
    client = site.client()

    def answers() -> Iterator[tuple[object, int]]:
        for found in spoil(site, client, [*SIGN_IN_CALLS, *ADMIN_CALLS[:3]], step):
            # The limits on attempts are reset.
            clock.advance(60_000)
            site.redis.flushall()
            yield found
        for text in TEXTS:
            clock.advance(60_000)
            site.redis.flushall()
            form = {"email": text, "password": text, "next": text}
            data = urlencode(form, errors="surrogatepass")
            kind = "application/x-www-form-urlencoded"
            yield form, client.post("/login", data=data, content_type=kind).status_code
            form = {"token": text, "name": text, "password": text}
            data = urlencode(form, errors="surrogatepass")
            yield form, client.post("/invitation", data=data, content_type=kind).status_code

    assert_none_is_a_bug(answers(), faults)


@pytest.mark.parametrize("name", HEADERS)
def test_headers(site, key, faults, name, step):
    """H9: whatever stands in a header, as any bytes that a server passes on."""
    client = site.sign_in("Mai", "supervisor")
    calls = [BOT_CALLS[0], BOT_CALLS[4], ADMIN_CALLS[0], ADMIN_CALLS[8], ADMIN_CALLS[9]]
    calls += [SIGN_IN_CALLS[0], ADMIN_CALLS[11]]

    def answers() -> Iterator[tuple[object, int]]:
        texts = [*TEXTS, "bytes=0-", "bytes=5-1,,-0", "a=b; c=\xff", "a/b;q=x", "Bearer \xff"]
        values = [text.encode("utf-8", "surrogatepass").decode("latin-1") for text in texts]
        # Bytes that are no UTF-8 are passed on as they are.
        values += ["\xff", "\xc3(", "x=\xfe; lineup_session=\xff", 'a="\\777"; b="\\']
        for value, call in islice(product(values, calls), 0, None, min(step, 7)):
            environ = {
                "HTTP_HOST": "localhost:5000",
                "HTTP_ORIGIN": ORIGIN,
                "HTTP_AUTHORIZATION": f"Bearer {key}",
                "CONTENT_TYPE": "application/json",
            }
            known = name.upper().replace("-", "_")
            environ[known if known == "CONTENT_TYPE" else f"HTTP_{known}"] = value
            answer = FlaskClient.open(
                client,
                plain(call),
                base_url=ORIGIN,
                method=call.method,
                data=json.dumps(call.body) if call.body is not None else None,
                query_string=urlencode(call.query),
                environ_overrides=environ,
            )
            yield (name, value, call), answer.status_code

    assert_none_is_a_bug(answers(), faults)
