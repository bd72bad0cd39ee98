"""Standard Webhooks' reference verifiers in Python and Node, over deliveries of a real Lineup."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from standardwebhooks import Webhook, WebhookVerificationError

from bench.judges.judge import MODES, Finding, Judge, Verdict
from bench.judges.surroundings import node, npm_versions, output, python_versions
from dashboard.webhooks.http_client import signed
from tests.dashboard.webhooks.receiver import Receiver, answer
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.support import now_ms, wait_until

VERIFIER = Path(__file__).with_name("verify.mjs")
SECONDS = 30
#: The specification's tolerance is five minutes in both directions.
TOO_FAR_MS = 6 * 60 * 1000
OTHER_SECRET = "whsec_" + base64.b64encode(b"a secret of somebody else!").decode()


class Delivery(NamedTuple):
    """A request as the receiver got it, and the secret that the receiver knows."""

    headers: Mapping[str, str]
    body: bytes
    secret: str


class Case(NamedTuple):
    name: str
    delivery: Delivery
    is_good: bool


def run(folder: Path) -> Iterator[Verdict]:
    for mode in MODES:
        (folder / mode).mkdir()
        options = {"async_mode": mode, "LINEUP_WEBHOOK_PRIVATE": "1"}
        with (
            running_lineup(folder / mode, **options) as lineup,
            Receiver(answer("204 No Content")) as one,
        ):
            cases = [*_cases(lineup, one)]
        for verifier, verify in VERIFIERS.items():
            accepted = verify([case.delivery for case in cases])
            found = [
                Finding("refused" if case.is_good else "accepted", case.name, f"by {verifier}")
                for case, is_accepted in zip(cases, accepted, strict=True)
                if is_accepted != case.is_good
            ]
            yield Verdict(f"{verifier}, {mode}", len(cases), found)


def _cases(lineup: LineupDriver, receiver: Receiver) -> Iterator[Case]:
    """Yields real deliveries, before, during and after a rotation, and spoiled copies of them."""
    made = lineup.server.command("create-webhook", "--source", "shop", "--url", receiver.url)
    id, secret = made.split()[:2]
    first = _delivery(lineup, receiver, "Xin chào 👋 “quoted” \\ back")
    yield Case("a delivery", Delivery(*first, secret), True)
    yield from _spoiled(Delivery(*first, secret))
    newer = lineup.server.command("rotate-webhook", id).split()[-1]
    second = _delivery(lineup, receiver, "during the rotation")
    yield Case("during a rotation, by the new secret", Delivery(*second, newer), True)
    yield Case("during a rotation, by the old secret", Delivery(*second, secret), True)
    yield Case("before a rotation, by the new secret", Delivery(*first, newer), False)


def _spoiled(good: Delivery) -> Iterator[Case]:
    """Yields requests that a receiver must refuse."""
    headers, body, secret = good

    def changed(**more: str) -> Delivery:
        named = {f"webhook-{name}": value for name, value in more.items()}
        return good._replace(headers={**headers, **named})

    def without(name: str) -> Delivery:
        return good._replace(headers={key: value for key, value in headers.items() if key != name})

    def at(ms: int) -> Delivery:
        request = signed(json.loads(body), [secret], now_ms() + ms)
        return good._replace(headers={key.lower(): text for key, text in request.headers.items()})

    signature = headers["webhook-signature"]
    yield Case("signed again, now", at(0), True)
    yield Case("late", at(-TOO_FAR_MS), False)
    yield Case("from the future", at(TOO_FAR_MS), False)
    yield Case("a byte more", good._replace(body=body + b" "), False)
    yield Case("another body", good._replace(body=body.replace(b"message", b"massage")), False)
    yield Case("another id", changed(id="evt_of_somebody_else"), False)
    yield Case("another time", changed(timestamp=str(int(headers["webhook-timestamp"]) + 1)), False)
    yield Case("another secret", good._replace(secret=OTHER_SECRET), False)
    yield Case("a cut signature", changed(signature=signature[:-4]), False)
    yield Case(
        "another version of signatures", changed(signature=signature.replace("v1,", "v2,")), False
    )
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        yield Case(f"without {name}", without(name), False)


def _delivery(lineup: LineupDriver, receiver: Receiver, text: str) -> tuple[dict[str, str], bytes]:
    """Lets an admin reply; returns the headers and the body that arrive."""
    before = len(receiver.requests)
    thread = lineup.say(f"webhook-{before}")
    lineup.admin(lineup.mai_email).reply(thread, text)

    def arrived() -> bytes:
        return next((one for one in receiver.requests[before:] if b"message.created" in one), b"")

    head, _, body = wait_until(arrived, SECONDS, "the webhook").partition(b"\r\n\r\n")
    lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
    return {name.lower(): value.strip() for name, _, value in lines}, body


def _by_python(deliveries: Sequence[Delivery]) -> list[bool]:
    return [_accepts(*delivery) for delivery in deliveries]


def _accepts(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    try:
        Webhook(secret).verify(body, dict(headers))
    except WebhookVerificationError:
        return False
    return True


def _by_node(deliveries: Sequence[Delivery]) -> list[bool]:
    given = [
        {"secret": secret, "headers": dict(headers), "body": base64.b64encode(body).decode()}
        for headers, body, secret in deliveries
    ]
    return json.loads(output(node(), VERIFIER, given=json.dumps(given)))


VERIFIERS: dict[str, Callable[[Sequence[Delivery]], list[bool]]] = {
    "Python": _by_python,
    "Node": _by_node,
}
JUDGE = Judge(
    "webhooks",
    "Standard Webhooks' own verifiers, over requests that a running Lineup delivered. They accept"
    " those, also while a secret is rotated, and refuse changed, late and foreign ones.",
    lambda: {
        "Python": python_versions("standardwebhooks")["standardwebhooks"],
        "Node": npm_versions("standardwebhooks")["standardwebhooks"],
    },
    run,
)
