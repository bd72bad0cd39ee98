"""How long things of presence last, all in proportion to one lifetime."""

from dataclasses import dataclass

from presence.errors import UnknownValue

#: The lifetime of a connection, in seconds, that the other times are given for.
REFERENCE_TTL_SECONDS = 90
#: How long somebody counts as typing after the last sign of it, in milliseconds.
TYPING_MS = 6_000
#: How long the time of last seen is kept, in milliseconds.
SEEN_MS = 24 * 3_600_000
#: Quiet for less than this, in milliseconds, is never an outage: the sweeper is not that exact.
LEAST_QUIET_MS = 3_000

TYPES = ("web", "desktop", "mobile", "tablet", "http", "bot")


@dataclass(frozen=True)
class Timing:
    """All times in milliseconds; `from_ttl` gives a set that fits together."""

    ttl_ms: int = 90_000
    hidden_ttl_ms: int = 120_000
    mobile_ttl_ms: int = 300_000
    room_ttl_ms: int = 60_000
    ping_ms: int = 25_000
    coalesce_ms: int = 10_000
    dropped_ms: int = 10_000
    page_closed_ms: int = 5_000
    drain_ms: int = 60_000
    idle_ms: int = 300_000
    hidden_idle_ms: int = 60_000
    quiet_ms: int = 10_000
    calm_ms: int = 45_000
    longest_hold_ms: int = 120_000
    typing_ms: int = TYPING_MS
    seen_ms: int = SEEN_MS

    def __post_init__(self) -> None:
        if self.ttl_ms < 3 * self.ping_ms + self.coalesce_ms:
            raise UnknownValue("a lifetime must outlast three pings and the coalescing of beats")
        if self.room_ttl_ms < 2 * self.ping_ms:
            raise UnknownValue("a place in a room must outlast two pings")

    @classmethod
    def from_ttl(cls, ttl_seconds: float = 90, idle_seconds: float = 300) -> "Timing":
        """Every time in its proportion to a lifetime of 90 s; idleness is set apart."""

        def scaled(seconds: float) -> int:
            return round(seconds * 1_000 * ttl_seconds / REFERENCE_TTL_SECONDS)

        return cls(
            ttl_ms=scaled(90), hidden_ttl_ms=scaled(120), mobile_ttl_ms=scaled(300),
            room_ttl_ms=scaled(60), ping_ms=scaled(25), coalesce_ms=scaled(10),
            dropped_ms=scaled(10), page_closed_ms=scaled(5), drain_ms=scaled(60),
            idle_ms=round(idle_seconds * 1_000), hidden_idle_ms=scaled(60),
            quiet_ms=max(scaled(10), LEAST_QUIET_MS), calm_ms=scaled(45),
            longest_hold_ms=scaled(120),
        )  # fmt: skip

    def lifetime_ms(self, kind: str = "web", hidden: bool = False) -> int:
        """How long a connection of that type lives without a beat."""
        if kind not in TYPES:
            raise UnknownValue(f"a connection is one of {', '.join(TYPES)}")
        if kind == "mobile":
            return self.mobile_ttl_ms
        return self.hidden_ttl_ms if hidden else self.ttl_ms

    def active(self, visible: bool, idle_ms: int, hidden_for_ms: int = 0) -> bool:
        """Whether a browser that reports this counts as active."""
        if not visible and hidden_for_ms >= self.hidden_idle_ms:
            return False
        return idle_ms < self.idle_ms
