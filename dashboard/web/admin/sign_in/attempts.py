"""Limits sign-in attempts against guessing of passwords and codes, without locking out the owner.

An attacker uses up only the attempts from one address for one account. A device that has signed in
to the account before has its own attempts (OWASP, "Device cookies").
"""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from flask import Request, Response
from itsdangerous import BadSignature, Signer

from dashboard.rate_limits import (
    CODES_PER_ACCOUNT,
    CODES_PER_ADDRESS,
    CODES_PER_DEVICE,
    CODES_PER_PAIR,
    INVITATIONS_PER_ADDRESS,
    SIGN_INS_PER_ACCOUNT,
    SIGN_INS_PER_ADDRESS,
    SIGN_INS_PER_DEVICE,
    SIGN_INS_PER_PAIR,
    RateLimit,
    RateLimiter,
    RateLimitExceeded,
    SharedWindows,
)
from dashboard.validation.accounts import network_of
from dashboard.web.http.identity import CookieNames
from lua_scripts.servers import Client

DEVICE_COOKIE = "lineup_device"
_DEVICE_DAYS = 365
_COOKIE_CHARACTERS_MAX = 200


class Attempt(NamedTuple):
    """One attempt; `device` is the id of one that signed in to this account before, or ""."""

    email: str
    address: str
    device: str = ""


#: The keys that an attempt is counted under, each with its limit.
Counted = Sequence[tuple[str, RateLimit]]


class Limits(NamedTuple):
    """A kind of limits: its name in the keys of Redis, and how many wrong attempts are allowed."""

    name: str
    device: RateLimit
    address: RateLimit
    pair: RateLimit
    account: RateLimit


PASSWORDS = Limits(
    "signin", SIGN_INS_PER_DEVICE, SIGN_INS_PER_ADDRESS, SIGN_INS_PER_PAIR, SIGN_INS_PER_ACCOUNT
)
CODES = Limits("code", CODES_PER_DEVICE, CODES_PER_ADDRESS, CODES_PER_PAIR, CODES_PER_ACCOUNT)


class Counts:
    """Counts in Redis for all workers, and also in this process: Redis may be away."""

    def __init__(self, client: Client, prefix: str, clock: Callable[[], int]):
        self._shared = SharedWindows(client)
        self._local = RateLimiter(lambda: clock() / 1_000)
        self._prefix = prefix

    def key(self, *names: str) -> str:
        return "|".join((f"{{{self._prefix}}}", *names))

    def begin(self, limits: Counted) -> None:
        """Counts an attempt before it is checked, so that concurrent ones count, too.

        Raises RateLimitExceeded, whether or not the attempt would have succeeded.
        """
        for key, limit in limits:
            waits = [self._local.take(limit, key), self._shared.count(limit, key)]
            seconds = [wait for wait in waits if wait is not None]
            if seconds:
                raise RateLimitExceeded(limit, max(seconds))

    def succeeded(self, limits: Counted) -> None:
        """Takes back the count of an attempt that succeeded."""
        for key, limit in limits:
            self._local.give_back(limit, key)
            self._shared.give_back(key)


class Attempts:
    """Limits the attempts to sign in.

    Passwords and codes are counted separately: a right password takes back no wrong code.
    """

    def __init__(self, counts: Counts, limits: Limits = PASSWORDS):
        self._counts = counts
        self._allowed = limits

    def begin(self, attempt: Attempt) -> None:
        """Counts an attempt. Raises RateLimitExceeded."""
        self._counts.begin(self._limits(attempt))

    def succeeded(self, attempt: Attempt) -> None:
        self._counts.succeeded(self._limits(attempt))

    def _limits(self, attempt: Attempt) -> Counted:
        allowed = self._allowed
        key, account = partial(self._counts.key, allowed.name), _account(attempt.email)
        if attempt.device:
            return ((key("device", account, attempt.device), allowed.device),)
        address = network_of(attempt.address)
        return (
            (key("address", address), allowed.address),
            (key("pair", account, address), allowed.pair),
            (key("account", account), allowed.account),
        )


class InvitationAttempts:
    """Limits the invitation links that are tried from one address."""

    def __init__(self, counts: Counts):
        self._counts = counts

    def begin(self, address: str) -> None:
        """Counts an attempt. Raises RateLimitExceeded."""
        self._counts.begin(self._limits(address))

    def succeeded(self, address: str) -> None:
        self._counts.succeeded(self._limits(address))

    def _limits(self, address: str) -> Counted:
        return ((self._counts.key("invitation", network_of(address)), INVITATIONS_PER_ADDRESS),)


class Devices:
    """Recognises the devices that an admin has signed in on, by a signed cookie.

    The cookie lets nobody in: it gives its device attempts of its own.
    """

    def __init__(self, secret_key: str, names: CookieNames):
        self._signer = Signer(secret_key, salt=DEVICE_COOKIE, digest_method=hashlib.sha256)
        self._names = names

    def known(self, request: Request, email: str) -> str:
        """Returns the request's device if it signed in to this account before; else ""."""
        return self._known(request, email)[0]

    def remember(self, request: Request, response: Response, email: str, *, secure: bool) -> None:
        """Gives the device its cookie; keeps one that it has."""
        _, cookie = self._known(request, email)
        if not cookie:
            cookie = self._signer.sign(f"{_account(email)}-{secrets.token_hex(16)}").decode()
        response.set_cookie(
            self._names.of(DEVICE_COOKIE),
            cookie,
            max_age=_DEVICE_DAYS * 86_400,
            path="/login",
            httponly=True,
            samesite="Lax",
            secure=secure,
        )

    def _known(self, request: Request, email: str) -> tuple[str, str]:
        """Returns the device and its cookie; empty texts if there is none of this account."""
        for cookie in self._names.values(request.cookies, DEVICE_COOKIE):
            if len(cookie) > _COOKIE_CHARACTERS_MAX:
                continue
            with suppress(BadSignature, UnicodeError):
                account, _, device = self._signer.unsign(cookie).decode().partition("-")
                if account == _account(email):
                    return device, cookie
        return "", ""


def _account(email: str) -> str:
    return hashlib.sha256(email.encode("utf-8", "surrogatepass")).hexdigest()[:32]
