"""How a demo conversation may go: what happens in it, how often, and how long ago it ended."""

from dataclasses import dataclass

from dashboard.demo.conversation import ROLES

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

#: What a conversation goes on with, a round at a time, where nobody answers and where one does.
UNANSWERED = (("client",), ("client", "client"), ("client", "bot"))
ANSWERED = (
    ("client", "admin"),
    ("client", "client", "admin"),
    ("client", "bot", "client", "admin"),
    ("client", "admin", "admin"),
    ("client", "system", "admin"),
)


@dataclass(frozen=True)
class Plot:
    """The course of a conversation: `begins`, rounds of `talk` as many as fit, `ends`.

    `share` is a weight among PLOTS; the last step was between `youngest_ms` and `oldest_ms` ago.
    """

    name: str
    share: float
    begins: tuple[str, ...]
    talk: tuple[tuple[str, ...], ...] = ()
    ends: tuple[str, ...] = ()
    youngest_ms: int = 2 * MINUTE_MS
    oldest_ms: int = 21 * DAY_MS

    @property
    def least(self) -> int:
        """How many messages it has at least."""
        return sum(step in ROLES for step in (*self.begins, *self.ends))


def _waiting(name: str, share: float, begins, talk=(), ends=()) -> Plot:
    return Plot(name, share, begins, talk, ends, youngest_ms=MINUTE_MS, oldest_ms=4 * DAY_MS)


def _closed(name: str, share: float, begins, talk=(), ends=()) -> Plot:
    return Plot(name, share, begins, talk, ends, 10 * MINUTE_MS, 42 * DAY_MS)


#: 60 in 100 are open, and of these one in four waits for an answer. That there are 17, a prime,
#: brings each of them together with each locale, member status and priority.
PLOTS = (
    _waiting("never answered", 5.5, ("ask",), UNANSWERED),
    _waiting("bot answered", 2.5, ("ask", "bot"), UNANSWERED),
    _waiting("handed off", 2.5, ("ask", "bot"), UNANSWERED, ("person", "passing_on", "handoff")),
    _waiting("handed off, no customer yet", 0.2, ("handoff",)),
    _waiting("answered, wrote again", 2.8, ("ask", "admin"), ANSWERED, ("client",)),
    _waiting("closed, wrote again", 1.0, ("ask", "admin"), ANSWERED, ("close", "again")),
    _waiting("close undone", 0.5, ("ask",), UNANSWERED, ("close", "reopen")),
    Plot("answered", 36.0, ("ask",), ANSWERED, ("admin",)),
    Plot("answered with a note", 4.0, ("ask", "note"), ANSWERED, ("admin", "note")),
    Plot("handed off, answered", 2.0, ("ask", "bot", "person", "handoff"), ANSWERED, ("admin",)),
    Plot("reopened, answered", 1.5, ("ask", "admin", "close", "reopen"), ANSWERED, ("admin",)),
    Plot("bot only", 1.5, ("outreach",)),
    _closed("resolved", 31.0, ("ask",), ANSWERED, ("admin", "close")),
    _closed("thanked and closed", 3.0, ("ask",), ANSWERED, ("admin", "thanks", "close")),
    _closed("closed with a note", 2.0, ("ask", "note"), ANSWERED, ("admin", "close", "system")),
    _closed("closed unanswered", 2.0, ("spam",), (), ("close",)),
    _closed("closed twice", 2.0, ("ask", "admin", "close", "reopen"), ANSWERED, ("admin", "close")),
)
