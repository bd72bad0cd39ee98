"""Courses of demo conversations: their steps, their share of all, and how long ago they end."""

from dataclasses import dataclass

from demo.conversation import ROLES

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

#: Rounds of steps that continue a conversation: without an answer of an admin, and with one.
UNANSWERED = (("client",), ("client", "client"), ("client", "bot"))
ANSWERED = (
    ("client", "admin"),
    ("client", "client", "admin"),
    ("client", "bot", "client", "admin"),
    ("client", "admin", "admin"),
    ("client", "system", "admin"),
)


@dataclass(frozen=True)
class Scenario:
    """The course of a conversation: `opening`, as many of `rounds` as are drawn, `ending`.

    `share` is a weight among SCENARIOS; the last step is `youngest_ms` to `oldest_ms` ago.
    """

    name: str
    share: float
    opening: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...] = ()
    ending: tuple[str, ...] = ()
    youngest_ms: int = 2 * MINUTE_MS
    oldest_ms: int = 21 * DAY_MS

    @property
    def messages_min(self) -> int:
        """The number of messages without any round."""
        return sum(step in ROLES for step in (*self.opening, *self.ending))


def _waiting(name: str, share: float, opening, rounds=(), ending=()) -> Scenario:
    return Scenario(
        name, share, opening, rounds, ending, youngest_ms=MINUTE_MS, oldest_ms=4 * DAY_MS
    )


def _closed(name: str, share: float, opening, rounds=(), ending=()) -> Scenario:
    return Scenario(name, share, opening, rounds, ending, 10 * MINUTE_MS, 42 * DAY_MS)


#: 60 in 100 are open, and of these one in four waits for an answer. Their number is a prime, 17,
#: so that taking scenarios, locales, member statuses and priorities in turn combines all of them.
SCENARIOS = (
    _waiting("never answered", 5.5, ("ask",), UNANSWERED),
    _waiting("bot answered", 2.5, ("ask", "bot"), UNANSWERED),
    _waiting("handed off", 2.5, ("ask", "bot"), UNANSWERED, ("person", "passing_on", "handoff")),
    _waiting("handed off, no customer yet", 0.2, ("handoff",)),
    _waiting("answered, wrote again", 2.8, ("ask", "admin"), ANSWERED, ("client",)),
    _waiting("closed, wrote again", 1.0, ("ask", "admin"), ANSWERED, ("close", "again")),
    _waiting("close undone", 0.5, ("ask",), UNANSWERED, ("close", "reopen")),
    Scenario("answered", 36.0, ("ask",), ANSWERED, ("admin",)),
    Scenario("answered with a note", 4.0, ("ask", "note"), ANSWERED, ("admin", "note")),
    Scenario(
        "handed off, answered", 2.0, ("ask", "bot", "person", "handoff"), ANSWERED, ("admin",)
    ),
    Scenario("reopened, answered", 1.5, ("ask", "admin", "close", "reopen"), ANSWERED, ("admin",)),
    Scenario("bot only", 1.5, ("outreach",)),
    _closed("resolved", 31.0, ("ask",), ANSWERED, ("admin", "close")),
    _closed("thanked and closed", 3.0, ("ask",), ANSWERED, ("admin", "thanks", "close")),
    _closed("closed with a note", 2.0, ("ask", "note"), ANSWERED, ("admin", "close", "system")),
    _closed("closed unanswered", 2.0, ("spam",), (), ("close",)),
    _closed("closed twice", 2.0, ("ask", "admin", "close", "reopen"), ANSWERED, ("admin", "close")),
)
