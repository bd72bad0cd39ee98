"""The provider of accounts: its discovery, the exchange of a code, and the person who signs in."""

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote_plus

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import JWKRegistry, Key, KeySet
from requests.auth import AuthBase

from dashboard.errors import Problem
from dashboard.rate_limits import RateLimit, RateLimiter
from dashboard.settings import OidcSettings, is_trustworthy
from dashboard.validation.accounts import NAME_MAX_CHARACTERS, is_account_name, is_email
from dashboard.validation.strict_json import JsonObject


class ProviderUnavailable(Problem):
    """The provider cannot be reached, or its answer makes no sense; try again."""

    def __init__(self) -> None:
        super().__init__(
            503,
            "provider_unavailable",
            "The provider of accounts cannot be reached.",
            headers={"Retry-After": "5"},
        )


class SignInRefused(Problem):
    """The provider let nobody in, or refused the code: it was used before, or is too old."""

    def __init__(self) -> None:
        super().__init__(403, "provider_refused", "The provider of accounts refused the sign-in.")


class SignInInvalid(Problem):
    """A check of the provider's answer failed."""

    def __init__(self) -> None:
        super().__init__(403, "provider_answer_invalid", "The provider's answer is not valid.")


class InvalidLogoutToken(Problem):
    def __init__(self) -> None:
        super().__init__(400, "invalid_logout_token", "The logout token is not valid.")


_GROUPS_MAX = 2_000


class Person(NamedTuple):
    """A person let in by the provider.

    `email` is "" if the provider does not vouch for one. `sid` names the session at the provider;
    `issued_at` is the time of its ID token, in seconds.
    """

    subject: str
    email: str
    name: str
    groups: tuple[str, ...]
    sid: str | None
    issued_at: int


def person_of(claims: Mapping[str, Any], groups_claim: str) -> Person:
    """Returns the person named by the checked claims of an ID token and of user info."""
    email = _email(claims)
    return Person(
        claims["sub"],
        email,
        _name(claims, email),
        _groups(claims.get(groups_claim)),
        claims.get("sid"),
        max(0, int(claims["iat"])),
    )


def _email(claims: Mapping[str, Any]) -> str:
    email = claims.get("email")
    is_vouched_for = claims.get("email_verified") in (True, "true")
    if not (is_vouched_for and isinstance(email, str)):
        return ""
    email = email.strip().lower()
    return email if is_email(email) else ""


def _name(claims: Mapping[str, Any], email: str) -> str:
    """Returns the first name that can be shown; every person has one."""
    for value in (claims.get("name"), claims.get("preferred_username"), email.partition("@")[0]):
        whole = " ".join(value.split()) if isinstance(value, str) else ""
        name = whole[:NAME_MAX_CHARACTERS].strip()
        if is_account_name(name):
            return name
    return claims["sub"][:NAME_MAX_CHARACTERS]


def _groups(value: object) -> tuple[str, ...]:
    """Returns a list of names; some providers send a single name without a list."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list):
        return ()
    return tuple(name for name in names[:_GROUPS_MAX] if isinstance(name, str))


#: Limits for the connection, and for the time between two pieces of an answer.
TIMEOUT_SECONDS = (3.0, 5.0)


def get_object(url: str, auth: AuthBase | None = None) -> JsonObject:
    """Fetches the JSON object at this address. Raises ProviderUnavailable."""
    with requests.Session() as session:
        session.trust_env = False
        try:
            answer = session.get(url, auth=auth, timeout=TIMEOUT_SECONDS, allow_redirects=False)
            body = answer.json() if answer.status_code == 200 else None
        except (requests.RequestException, ValueError) as error:
            raise ProviderUnavailable() from error
    if not isinstance(body, dict):
        raise ProviderUnavailable()
    return body


def oauth_session(**options: Any) -> OAuth2Session:
    """Returns an OAuth client for one exchange."""
    session = OAuth2Session(default_timeout=TIMEOUT_SECONDS, **options)
    session.trust_env = False
    return session


class Bearer(AuthBase):
    """Sends an access token."""

    def __init__(self, access_token: str):
        self._value = f"Bearer {access_token}"

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._value
        return request


def text_of(document: Mapping[str, Any], name: str) -> str:
    """Returns a member that must be a text. Raises ProviderUnavailable."""
    value = document.get(name)
    if not isinstance(value, str):
        raise ProviderUnavailable()
    return value


Value = TypeVar("Value")

#: Seconds for which a value is kept.
KEPT_SECONDS = 600.0
#: For so many seconds after a failure nothing is fetched: callers that waited fail at once.
PAUSE_SECONDS = 2.0


class Cached(Generic[Value]):
    """Caches a value. `fetch` raises ProviderUnavailable; other callers wait while it runs."""

    def __init__(self, fetch: Callable[[], Value], monotonic: Callable[[], float]):
        self._fetch = fetch
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._value: Value | None = None
        self._fetched_at = float("-inf")
        self._failed_at = float("-inf")

    def get(self, newer_than: Value | None = None) -> Value:
        """Returns the value. It is never `newer_than` itself, unless the same is fetched again.

        Raises ProviderUnavailable.
        """
        with self._lock:
            now = self._monotonic()
            is_fresh = now < self._fetched_at + KEPT_SECONDS
            if self._value is not None and is_fresh and self._value is not newer_than:
                return self._value
            if now < self._failed_at + PAUSE_SECONDS:
                raise ProviderUnavailable()
            try:
                self._value = self._fetch()
            except ProviderUnavailable:
                self._failed_at = self._monotonic()
                raise
            self._fetched_at = self._monotonic()
            return self._value


#: Signatures with a key of the provider; never `none`, and never a shared secret.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519", "EdDSA"),
)
_KEY_TYPES = frozenset({"RSA", "EC", "OKP"})
#: Largest difference between the clocks.
LEEWAY_SECONDS = 60
#: Largest age of a logout token.
LOGOUT_SECONDS = 600
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
LOGOUT_TYPE = "logout+jwt"
TOKEN_CHARACTERS_MAX = 16_000
#: The longest id that the tables hold.
ID_MAX = 255

#: Returns the keys. Given keys that lack a key id, it returns newer ones if the limit allows it.
Keys = Callable[[KeySet | None], KeySet]
#: Errors that the library raises for a text that is no token or has no valid signature.
_NOT_VALID = (JoseError, ValueError, TypeError, AttributeError, KeyError)


class Expected(NamedTuple):
    """The values that a token must have, and the time of the check (seconds)."""

    issuer: str
    client_id: str
    now: int


class Logout(NamedTuple):
    """The sign-out that the provider asks for: one session at the provider, or all of a subject.

    `issued_at` in seconds.
    """

    token_id: str
    subject: str | None
    sid: str | None
    issued_at: int


def public_keys(document: Mapping[str, Any]) -> KeySet:
    """Returns the keys of a JWK Set that can check signatures."""
    keys: list[Key] = []
    entries = document.get("keys")
    for entry in entries if isinstance(entries, list) else ():
        is_signing = isinstance(entry, dict) and entry.get("use", "sig") == "sig"
        if is_signing and entry.get("kty") in _KEY_TYPES:
            try:
                keys.append(JWKRegistry.import_key(entry))
            except _NOT_VALID:
                continue
    return KeySet(keys)


def id_token_claims(
    token: object, keys: Keys, expected: Expected, nonce: str, access_token: str
) -> JsonObject:
    """Returns the claims of an ID token that belongs to this sign-in. Raises SignInInvalid."""
    try:
        id_token = _verified(token, keys)
        if id_token.header.get("typ") == LOGOUT_TYPE:
            raise SignInInvalid()
        params = {"nonce": nonce, "client_id": expected.client_id, "access_token": access_token}
        claims = CodeIDToken(id_token.claims, id_token.header, _options(expected), params)
        claims.validate(expected.now, LEEWAY_SECONDS)
        _check_id(claims["sub"])
        if claims.get("sid") is not None:
            _check_id(claims["sid"])
    except _NOT_VALID as error:
        raise SignInInvalid() from error
    return dict(claims)


def logout_of(token: object, keys: Keys, expected: Expected) -> Logout:
    """Reads a logout token, by OpenID Connect Back-Channel Logout 1.0, section 2.6.

    Does not check whether it was used before. Raises InvalidLogoutToken.
    """
    try:
        logout_token = _verified(token, keys)
        jwt.JWTClaimsRegistry(
            expected.now,
            LEEWAY_SECONDS,
            **_options(expected),
            iat={"essential": True},
            jti={"essential": True},
        ).validate(logout_token.claims)
        return _logout(logout_token, expected.now)
    except _NOT_VALID as error:
        raise InvalidLogoutToken() from error


def _logout(token: jwt.Token, now: int) -> Logout:
    claims = token.claims
    events = claims.get("events")
    is_logout = isinstance(events, dict) and isinstance(events.get(LOGOUT_EVENT), dict)
    is_typed = str(token.header.get("typ", "JWT")).lower() in (LOGOUT_TYPE, "jwt")
    is_recent = claims["iat"] >= now - LOGOUT_SECONDS - LEEWAY_SECONDS
    subject, sid = claims.get("sub"), claims.get("sid")
    names_somebody = subject is not None or sid is not None
    if not (is_logout and is_typed and is_recent and names_somebody) or "nonce" in claims:
        raise ValueError("no logout token")
    for id in (claims["jti"], subject, sid):
        if id is not None:
            _check_id(id)
    return Logout(claims["jti"], subject, sid, int(claims["iat"]))


def _options(expected: Expected) -> dict[str, Any]:
    return {
        "iss": {"essential": True, "value": expected.issuer},
        "aud": {"essential": True, "value": expected.client_id},
    }


def _verified(token: object, keys: Keys) -> jwt.Token:
    """Returns the token if one of the keys signed it. Raises the errors in `_NOT_VALID`."""
    if not isinstance(token, str) or len(token) > TOKEN_CHARACTERS_MAX:
        raise ValueError("no token")
    key_set = keys(None)
    try:
        return jwt.decode(token, key_set, algorithms=ALGORITHMS)
    except InvalidKeyIdError:
        return jwt.decode(token, keys(key_set), algorithms=ALGORITHMS)


def _check_id(value: object) -> None:
    if not isinstance(value, str) or not 0 < len(value) <= ID_MAX or not value.isprintable():
        raise ValueError("no id")


_DISCOVERY = "/.well-known/openid-configuration"
#: Limits how often keys are fetched for a token with an unknown key id: anybody can make one up.
KEYS_AGAIN = RateLimit(3, 60, "The keys were fetched a moment ago.")
_VERIFIER_CHARACTERS = 64


class Secrets(NamedTuple):
    """The values by which a sign-in is recognised when the provider redirects back."""

    state: str
    nonce: str
    verifier: str


class Provider:
    """Calls the provider. `clock` gives ms. Raises ProviderUnavailable if a request to it fails."""

    def __init__(
        self,
        settings: OidcSettings,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self.settings = settings
        self._clock = clock
        self._metadata = Cached(self._fetch_metadata, monotonic)
        self._key_sets = Cached(self._fetch_keys, monotonic)
        self._limiter = RateLimiter(monotonic)

    def authorization_url(self, redirect_uri: str, sign_in: Secrets) -> str:
        """Returns the URL at which the browser signs in, with PKCE (S256)."""
        endpoint = text_of(self._metadata.get(), "authorization_endpoint")
        with oauth_session(
            client_id=self.settings.client_id,
            scope=self.settings.scopes,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
        ) as session:
            url: str
            url, _ = session.create_authorization_url(
                endpoint, state=sign_in.state, nonce=sign_in.nonce, code_verifier=sign_in.verifier
            )
        return url

    def person(self, code: str, redirect_uri: str, sign_in: Secrets) -> Person:
        """Returns the person who signed in. Raises SignInRefused and SignInInvalid, too."""
        tokens = self._exchanged(code, redirect_uri, sign_in.verifier)
        access_token = tokens.get("access_token")
        if not isinstance(access_token, str):
            raise SignInInvalid()
        claims = id_token_claims(
            tokens.get("id_token"), self._keys, self._expected(), sign_in.nonce, access_token
        )
        return person_of(self._completed(claims, access_token), self.settings.groups_claim)

    def logout(self, token: object) -> Logout:
        """Returns the sign-out that this logout token asks for. Raises InvalidLogoutToken, too."""
        return logout_of(token, self._keys, self._expected())

    def end_session_url(self, back_to: str) -> str | None:
        """Returns the URL to sign out at the provider, too; None if it has no such page."""
        endpoint = self._metadata.get().get("end_session_endpoint")
        if not isinstance(endpoint, str):
            return None
        request = requests.Request(
            "GET",
            endpoint,
            params={"client_id": self.settings.client_id, "post_logout_redirect_uri": back_to},
        )
        return request.prepare().url

    def _exchanged(self, code: str, redirect_uri: str, verifier: str) -> JsonObject:
        """Exchanges a code for the answer of the token endpoint."""
        metadata = self._metadata.get()
        settings = self.settings
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        is_basic = "client_secret_post" not in methods or "client_secret_basic" in methods
        # RFC 6749, section 2.3.1: for the Basic scheme both are encoded as in a form.
        encoded = quote_plus if is_basic else str
        with oauth_session(
            client_id=encoded(settings.client_id),
            client_secret=encoded(settings.client_secret),
            token_endpoint_auth_method="client_secret_basic" if is_basic else "client_secret_post",
        ) as session:
            try:
                tokens = session.fetch_token(
                    text_of(metadata, "token_endpoint"),
                    grant_type="authorization_code",
                    code=code,
                    redirect_uri=redirect_uri,
                    code_verifier=verifier,
                    allow_redirects=False,
                )
            except OAuthError as error:
                raise SignInRefused() from error
            except (requests.RequestException, ValueError) as error:
                raise ProviderUnavailable() from error
        return dict(tokens)

    def _completed(self, claims: JsonObject, access_token: str) -> JsonObject:
        """Returns the claims of the ID token; user info supplies missing ones."""
        claim_names = {"email", "email_verified", "name", self.settings.groups_claim}
        endpoint = self._metadata.get().get("userinfo_endpoint")
        if claim_names <= claims.keys() or not isinstance(endpoint, str):
            return claims
        user_info = get_object(endpoint, Bearer(access_token))
        if user_info.get("sub") != claims["sub"]:
            raise SignInInvalid()
        # The address and whether it is verified must come from the same source.
        address = claims if {"email", "email_verified"} <= claims.keys() else user_info
        names = ("email", "email_verified")
        return user_info | claims | {name: address.get(name) for name in names}

    def _expected(self) -> Expected:
        return Expected(self.settings.issuer, self.settings.client_id, self._clock() // 1000)

    def _keys(self, lacking: KeySet | None) -> KeySet:
        """Returns the keys; tries to fetch newer ones than `lacking`, if the limit allows it."""
        if lacking is not None and self._limiter.take(KEYS_AGAIN, "keys") is not None:
            return lacking
        return self._key_sets.get(newer_than=lacking)

    def _fetch_keys(self) -> KeySet:
        return public_keys(get_object(text_of(self._metadata.get(), "jwks_uri")))

    def _fetch_metadata(self) -> JsonObject:
        metadata = get_object(self.settings.issuer.rstrip("/") + _DISCOVERY)
        endpoints = [metadata.get(name) for name in metadata if name.endswith("_endpoint")]
        urls = [url for url in (*endpoints, metadata.get("jwks_uri")) if isinstance(url, str)]
        if metadata.get("issuer") != self.settings.issuer or not all(map(is_trustworthy, urls)):
            raise ProviderUnavailable()
        return metadata


def new_secrets() -> Secrets:
    return Secrets(
        secrets.token_urlsafe(24), secrets.token_urlsafe(24), generate_token(_VERIFIER_CHARACTERS)
    )
