"""Codes of an authenticator app: six digits that change every 30 s (TOTP, RFC 6238)."""

import hmac

import pyotp

STEP_MS = 30_000
DIGITS = 6
#: A code is also accepted one step before and after its own: clocks of phones differ.
SKEW_STEPS = 1
ISSUER = "Lineup"


def new_secret() -> str:
    """Returns 160 random bits in base32, the form that authenticator apps read."""
    return pyotp.random_base32()


def uri(secret: str, email: str) -> str:
    """Returns the URI that an authenticator app reads from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=ISSUER)


def step_of(secret: str, code: str, now_ms: int, after: int = 0) -> int | None:
    """Returns the time step of this code, if it is valid now and comes after `after`.

    None for a wrong code. All steps are compared, in a time that does not depend on the code.
    """
    now = now_ms // STEP_MS
    generate = pyotp.TOTP(secret, digits=DIGITS).generate_otp
    found = None
    for step in range(now - SKEW_STEPS, now + SKEW_STEPS + 1):
        is_right = hmac.compare_digest(generate(step).encode(), code.encode("utf-8", "replace"))
        if is_right and step > after:
            found = step
    return found
