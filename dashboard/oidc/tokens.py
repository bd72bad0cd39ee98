"""Checks what the provider has signed: ID tokens and logout tokens."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import JWKRegistry, Key, KeySet

from dashboard.oidc.refusals import InvalidLogoutToken, SignInInvalid

#: Signatures with a key of the provider's; never `none`, nor a secret that is shared.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519", "EdDSA"),
)
_KEY_TYPES = frozenset({"RSA", "EC", "OKP"})
#: By how much the clocks may differ.
LEEWAY_SECONDS = 60
#: How old a logout token may be.
LOGOUT_SECONDS = 600
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
LOGOUT_TYPE = "logout+jwt"
TOKEN_CHARACTERS_MAX = 16_000
#: As long as the tables take.
ID_MAX = 255

#: Gives the keys; with one that lacks a key id, newer ones where that may be asked again.
Keys = Callable[[KeySet | None], KeySet]
#: What a library raises at what is no token, or not signed with one of the keys.
_NOT_VALID = (JoseError, ValueError, TypeError, AttributeError, KeyError)


class Expected(NamedTuple):
    """What a token must say, at this time (seconds)."""

    issuer: str
    client_id: str
    now: int


class Logout(NamedTuple):
    """Whom the provider has signed out: one session of its own, or else all of a subject.

    `issued_at` in seconds.
    """

    token_id: str
    subject: str | None
    sid: str | None
    issued_at: int


def public_keys(found: Mapping[str, Any]) -> KeySet:
    """The keys of a JWK Set that signatures may be checked with."""
    keys: list[Key] = []
    listed = found.get("keys")
    for each in listed if isinstance(listed, list) else ():
        is_signing = isinstance(each, dict) and each.get("use", "sig") == "sig"
        if is_signing and each.get("kty") in _KEY_TYPES:
            try:
                keys.append(JWKRegistry.import_key(each))
            except _NOT_VALID:
                continue
    return KeySet(keys)


def id_token_claims(
    token: object, keys: Keys, expected: Expected, nonce: str, access_token: str
) -> dict[str, Any]:
    """The claims of an ID token that belongs to this sign-in. Raises SignInInvalid."""
    try:
        found = _verified(token, keys)
        if found.header.get("typ") == LOGOUT_TYPE:
            raise SignInInvalid()
        params = {
            "nonce": nonce,
            "client_id": expected.client_id,
            "access_token": access_token,
        }
        claims = CodeIDToken(found.claims, found.header, _options(expected), params)
        claims.validate(expected.now, LEEWAY_SECONDS)
        _check_id(claims["sub"])
        if claims.get("sid") is not None:
            _check_id(claims["sid"])
    except _NOT_VALID as error:
        raise SignInInvalid() from error
    return dict(claims)


def logout_of(token: object, keys: Keys, expected: Expected) -> Logout:
    """What a logout token says, by OpenID Connect Back-Channel Logout 1.0, section 2.6.

    Whether it came before is not looked at. Raises InvalidLogoutToken.
    """
    try:
        found = _verified(token, keys)
        jwt.JWTClaimsRegistry(
            expected.now,
            LEEWAY_SECONDS,
            **_options(expected),
            iat={"essential": True},
            jti={"essential": True},
        ).validate(found.claims)
        return _logout(found, expected.now)
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
    for each in (claims["jti"], subject, sid):
        if each is not None:
            _check_id(each)
    return Logout(claims["jti"], subject, sid, int(claims["iat"]))


def _options(expected: Expected) -> dict[str, Any]:
    return {
        "iss": {"essential": True, "value": expected.issuer},
        "aud": {"essential": True, "value": expected.client_id},
    }


def _verified(token: object, keys: Keys) -> jwt.Token:
    """The token, signed with one of the keys. Raises what `_NOT_VALID` names."""
    if not isinstance(token, str) or len(token) > TOKEN_CHARACTERS_MAX:
        raise ValueError("no token")
    known = keys(None)
    try:
        return jwt.decode(token, known, algorithms=ALGORITHMS)
    except InvalidKeyIdError:
        return jwt.decode(token, keys(known), algorithms=ALGORITHMS)


def _check_id(value: object) -> None:
    if not isinstance(value, str) or not 0 < len(value) <= ID_MAX or not value.isprintable():
        raise ValueError("no id")
