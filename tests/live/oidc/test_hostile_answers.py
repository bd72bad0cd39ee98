"""A certified provider whose answers are spoiled on the way lets nobody in."""

import pytest
import requests

from tests.live.oidc.test_provider import me, session_of
from tests.servers.oidc_provider import PersonDriver, parameters

pytestmark = pytest.mark.slow

#: The names in tests/servers/hostile_answers.mjs.
VARIANTS = (
    *("wrong issuer", "issuer with a slash", "wrong audience", "second audience", "another party"),
    *("no nonce", "another nonce", "expired", "no expiry", "from the future", "no subject"),
    *("a list of subjects", "token of another access token", "algorithm none"),
    *("public key as a secret", "another key of the same name", "an unknown key"),
    *("a key in the token", "a logout token", "no signature", "changed after it was signed"),
    "the token of an earlier sign-in",
)


@pytest.fixture(scope="module", autouse=True)
def honest(oidc) -> None:
    """Mai has signed in: the provider is trusted, and requires PKCE."""
    oidc.provider.add("mai", ["support"])
    _, session, answer = oidc.sign_in("mai")
    assert answer.status_code == 303, answer.text
    assert me(oidc, session)["email"] == "mai@example.com"


def refused(oidc, session: requests.Session, answer: requests.Response, status: int) -> None:
    assert answer.status_code == status, answer.text
    assert "lineup_session" not in answer.headers.get("Set-Cookie", "")
    assert me(oidc, session) == {}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_spoiled_id_token_lets_nobody_in(oidc, variant):
    with oidc.provider.hostile(variant):
        _, session, answer = oidc.sign_in("mai")
    refused(oidc, session, answer, 403)


@pytest.mark.parametrize(
    "spoiled", [{"iss": "https://other.example"}, {"state": "x"}, {"code": "x"}]
)
def test_a_spoiled_way_back_lets_nobody_in(oidc, spoiled):
    """RFC 9207 for `iss`: the answer of another provider, which mixes up the two."""
    session = session_of(oidc)
    person = PersonDriver(oidc.provider, "mai")
    goal = person.sign_in(oidc.begin(session))
    given = {**parameters(goal), **spoiled}
    url = goal.partition("?")[0]
    answer = session.get(url, params=given, allow_redirects=False)
    refused(oidc, session, answer, 400 if "state" in spoiled else 403)


def test_a_code_is_good_once(oidc):
    session = session_of(oidc)
    person = PersonDriver(oidc.provider, "mai")
    goal = person.sign_in(oidc.begin(session))
    cookies = session.cookies.copy()
    assert oidc.come_back(session, goal).status_code == 303
    thief = session_of(oidc)
    thief.cookies.update(cookies)
    refused(oidc, thief, oidc.come_back(thief, goal), 403)
