"""The provider: where it is, its keys, the exchange of a code, and who was signed out there."""

import secrets
import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote_plus

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from joserfc.jwk import KeySet

from dashboard.oidc.cached import Cached
from dashboard.oidc.http import Bearer, get_object, oauth_session, text_of
from dashboard.oidc.people import Person, person_of
from dashboard.oidc.refusals import ProviderUnavailable, SignInInvalid, SignInRefused
from dashboard.oidc.tokens import Expected, Logout, id_token_claims, logout_of, public_keys
from dashboard.rate_limits import RateLimit, RateLimiter
from dashboard.settings.oidc import OidcSettings, is_trustworthy

_DISCOVERY = "/.well-known/openid-configuration"
#: How often keys are fetched because a token names one that is not known: anybody can make one up.
KEYS_AGAIN = RateLimit(3, 60, "The keys were fetched a moment ago.")
_VERIFIER_CHARACTERS = 64


class Secrets(NamedTuple):
    """What one sign-in is recognised by when the provider leads back."""

    state: str
    nonce: str
    verifier: str


class Provider:
    """`clock` gives milliseconds. Raises ProviderUnavailable where it has to ask and cannot."""

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

    def authorization_url(self, redirect_uri: str, given: Secrets) -> str:
        """Where the browser goes to sign in, with PKCE (S256)."""
        endpoint = text_of(self._metadata.get(), "authorization_endpoint")
        with oauth_session(
            client_id=self.settings.client_id,
            scope=self.settings.scopes,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
        ) as session:
            url: str
            url, _ = session.create_authorization_url(
                endpoint, state=given.state, nonce=given.nonce, code_verifier=given.verifier
            )
        return url

    def person(self, code: str, redirect_uri: str, given: Secrets) -> Person:
        """Who has signed in there. Raises SignInRefused and SignInInvalid, too."""
        tokens = self._exchanged(code, redirect_uri, given.verifier)
        access_token = tokens.get("access_token")
        if not isinstance(access_token, str):
            raise SignInInvalid()
        claims = id_token_claims(
            tokens.get("id_token"), self._keys, self._expected(), given.nonce, access_token
        )
        return person_of(self._completed(claims, access_token), self.settings.groups_claim)

    def logout(self, token: object) -> Logout:
        """Whom this logout token signs out. Raises InvalidLogoutToken, too."""
        return logout_of(token, self._keys, self._expected())

    def end_session_url(self, back_to: str) -> str | None:
        """Where the browser goes to sign out at the provider, too; None where it has no page."""
        endpoint = self._metadata.get().get("end_session_endpoint")
        if not isinstance(endpoint, str):
            return None
        request = requests.Request(
            "GET",
            endpoint,
            params={"client_id": self.settings.client_id, "post_logout_redirect_uri": back_to},
        )
        return request.prepare().url

    def _exchanged(self, code: str, redirect_uri: str, verifier: str) -> dict[str, Any]:
        """What the token endpoint gives for a code."""
        metadata = self._metadata.get()
        settings = self.settings
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        is_basic = "client_secret_post" not in methods or "client_secret_basic" in methods
        # RFC 6749, section 2.3.1: by the Basic scheme both are encoded as in a form.
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

    def _completed(self, claims: dict[str, Any], access_token: str) -> dict[str, Any]:
        """The claims of the ID token; what it lacks is asked of the user info endpoint."""
        wanted = {"email", "email_verified", "name", self.settings.groups_claim}
        endpoint = self._metadata.get().get("userinfo_endpoint")
        if wanted <= claims.keys() or not isinstance(endpoint, str):
            return claims
        found = get_object(endpoint, Bearer(access_token))
        if found.get("sub") != claims["sub"]:
            raise SignInInvalid()
        # An address and whether it is verified come from one place.
        address = claims if {"email", "email_verified"} <= claims.keys() else found
        names = ("email", "email_verified")
        return found | claims | {name: address.get(name) for name in names}

    def _expected(self) -> Expected:
        return Expected(self.settings.issuer, self.settings.client_id, self._clock() // 1000)

    def _keys(self, lacking: KeySet | None) -> KeySet:
        """The keys; not these, where they may be fetched again."""
        if lacking is not None and self._limiter.take(KEYS_AGAIN, "keys") is not None:
            return lacking
        return self._key_sets.get(newer_than=lacking)

    def _fetch_keys(self) -> KeySet:
        return public_keys(get_object(text_of(self._metadata.get(), "jwks_uri")))

    def _fetch_metadata(self) -> dict[str, Any]:
        found = get_object(self.settings.issuer.rstrip("/") + _DISCOVERY)
        endpoints = [found.get(name) for name in found if name.endswith("_endpoint")]
        urls = [each for each in (*endpoints, found.get("jwks_uri")) if isinstance(each, str)]
        if found.get("issuer") != self.settings.issuer or not all(map(is_trustworthy, urls)):
            raise ProviderUnavailable()
        return found


def new_secrets() -> Secrets:
    return Secrets(
        secrets.token_urlsafe(24), secrets.token_urlsafe(24), generate_token(_VERIFIER_CHARACTERS)
    )
