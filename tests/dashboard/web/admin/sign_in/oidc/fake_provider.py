"""A provider without a process: its answers are made in the test, and signed with a key of its own.

It stands where the network is: Lineup's own client speaks to it through `requests`.
"""

import json
import secrets
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from joserfc import jwt
from joserfc.jwk import RSAKey
from requests.adapters import BaseAdapter

from tests.servers.oidc_provider import CLIENT_ID, CLIENT_SECRET, GROUPS, parameters
from tests.support import SettableClock

ISSUER = "https://id.example"
EVENT = "http://schemas.openid.net/event/backchannel-logout"
ENVIRONMENT = {
    "LINEUP_OIDC_ISSUER": ISSUER,
    "LINEUP_OIDC_CLIENT_ID": CLIENT_ID,
    "LINEUP_OIDC_CLIENT_SECRET": CLIENT_SECRET,
    "LINEUP_OIDC_GROUPS": GROUPS,
    "LINEUP_OIDC_NAME": "Example",
}


class FakeProvider(BaseAdapter):
    """Answers what is sent to the provider; `spoil` changes the claims of the next ID token."""

    def __init__(self, clock: SettableClock):
        super().__init__()
        self._clock = clock
        self.key = _FIRST
        self.published = [self.key]
        self.is_away = False
        self.claims: dict[str, Any] = {}
        #: The answer of user info; None: there is no such endpoint.
        self.user_info: dict[str, Any] | None = None
        self.spoil: Callable[[dict[str, Any]], object] = lambda claims: None
        self.algorithm, self.kid = "RS256", "first"
        self.asked: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}

    @property
    def now(self) -> int:
        return self._clock() // 1000

    def code_for(self, authorization_url: str) -> str:
        """Returns what the browser brings back after somebody has signed in."""
        code = secrets.token_urlsafe(8)
        self._codes[code] = dict(parameters(authorization_url))
        return code

    def signed(self, claims: dict[str, Any], typ: str = "JWT", key: Any = None) -> str:
        header = {"alg": self.algorithm, "kid": self.kid, "typ": typ}
        return jwt.encode(header, claims, key or self.key, algorithms=[self.algorithm])

    def logout_token(self, **more: Any) -> str:
        claims = {
            "iss": ISSUER,
            "aud": CLIENT_ID,
            "iat": self.now,
            "exp": self.now + 120,
            "jti": secrets.token_hex(8),
            "events": {EVENT: {}},
        } | more
        present = {name: value for name, value in claims.items() if value is not None}
        return self.signed(present, "logout+jwt")

    def send(self, request, *given, **more) -> requests.Response:
        path = urlsplit(request.url).path
        self.asked.append(path)
        if self.is_away:
            raise requests.ConnectionError("away")
        answers = {
            "/.well-known/openid-configuration": self._metadata,
            "/jwks": lambda: {"keys": [key.as_dict(private=False) for key in self.published]},
            "/token": lambda: self._tokens(parse_qs(request.body)),
            "/me": lambda: self.user_info,
        }
        status, found = 200, answers[path]()
        if "error" in found:
            status = 400
        response = requests.Response()
        response.status_code, response.url, response.request = status, request.url, request
        response._content = json.dumps(found).encode()
        return response

    def close(self) -> None:
        """Does nothing: no connection is open."""

    def _metadata(self) -> dict[str, Any]:
        user_info = {} if self.user_info is None else {"userinfo_endpoint": f"{ISSUER}/me"}
        return user_info | {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/auth",
            "token_endpoint": f"{ISSUER}/token",
            "jwks_uri": f"{ISSUER}/jwks",
            "end_session_endpoint": f"{ISSUER}/end",
        }

    def _tokens(self, given: dict[str, list[str]]) -> dict[str, Any]:
        asked = self._codes.pop(given["code"][0], None)
        if asked is None:
            return {"error": "invalid_grant"}
        claims = {
            "iss": ISSUER,
            "aud": CLIENT_ID,
            "iat": self.now,
            "exp": self.now + 300,
            "nonce": asked["nonce"],
        } | self.claims
        self.spoil(claims)
        return {
            "access_token": "access",
            "token_type": "Bearer",
            "id_token": self.signed(claims),
        }


def new_key(kid: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"}, private=True)


#: Made once: it takes long.
_FIRST = new_key("first")


def person(subject: str, groups: list[str], **more: Any) -> dict[str, Any]:
    """Returns the claims of somebody."""
    return {
        "sub": subject,
        "sid": f"{subject}-at-{time.monotonic_ns()}",
        "email": f"{subject}@example.com",
        "email_verified": True,
        "name": subject.capitalize(),
        "groups": groups,
    } | more
