"""No part of a sign-in by the provider, however it is spoiled, reaches a 500."""

from urllib.parse import quote

import pytest

from dashboard.rate_limits import OIDC_SIGN_INS_PER_ADDRESS
from dashboard.web.admin.sign_in import oidc_calls
from tests.dashboard.web.admin.sign_in.oidc.fake_provider import person
from tests.dashboard.web.hostile import TEXTS

WORDS = [text for text in TEXTS if isinstance(text, str)]


@pytest.fixture(autouse=True)
def without_limit(monkeypatch):
    many = OIDC_SIGN_INS_PER_ADDRESS._replace(size=100_000)
    monkeypatch.setattr(oidc_calls, "OIDC_SIGN_INS_PER_ADDRESS", many)


def escaped(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", ["state", "code", "iss", "error", "next"])
def test_parameters(driver, name):
    client = driver.application.client()
    driver.provider.claims = person("mai", ["support"])
    for text in WORDS:
        url = driver.begin(client)
        given = {"state": url.partition("state=")[2].partition("&")[0], "code": "x"}
        query = "&".join(f"{key}={escaped(value)}" for key, value in (given | {name: text}).items())
        for path in ("/login/oidc/callback", "/login/oidc"):
            answer = client.get(f"{path}?{query}")
            assert answer.status_code in (303, 400, 403, 422), (path, text[:40])
    twice = client.get("/login/oidc/callback?state=a&state=b")
    assert twice.status_code == 422


def test_cookies(driver):
    client = driver.application.client()
    for text in ["", "x", "x.y", "é", "a" * 3_800, *(escaped(text) for text in WORDS)]:
        client.set_cookie("lineup_oidc", text[:3_900])
        answer = client.get("/login/oidc/callback?state=x&code=y")
        assert answer.status_code == 400, text[:40]


def test_claims(driver):
    for value in [None, True, 7, -1, 1e308, [], {}, [[]], "\x00", "x" * 5_000, {"a": [1]}]:
        for name in ("sub", "email", "name", "groups", "sid", "preferred_username", "iat", "aud"):
            driver.provider.claims = person("mai", ["support"]) | {name: value}
            client = driver.application.client()
            answer = driver.come_back(client, driver.begin(client))
            assert answer.status_code in (303, 403), (name, value)


def test_logout_tokens(driver):
    client = driver.application.app.test_client()
    url = {"base_url": "http://localhost:5000"}
    for text in WORDS:
        body = f"logout_token={escaped(text)}"
        kind = "application/x-www-form-urlencoded"
        answer = client.post("/login/oidc/logout", data=body, content_type=kind, **url)
        assert answer.status_code in (400, 413), text[:40]
    large = client.post("/login/oidc/logout", data={"logout_token": "x" * 30_000}, **url)
    assert large.status_code == 413


def test_sign_ins_from_one_address_have_a_limit(driver, monkeypatch):
    few = OIDC_SIGN_INS_PER_ADDRESS._replace(size=3)
    monkeypatch.setattr(oidc_calls, "OIDC_SIGN_INS_PER_ADDRESS", few)
    client = driver.application.client()
    statuses = [client.get("/login/oidc").status_code for _ in range(4)]
    assert statuses == [303, 303, 303, 429]
