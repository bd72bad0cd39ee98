"""The times of presence, all in proportion to the lifetime of a connection."""

from dataclasses import dataclass

from presence.errors import UnknownValue

#: The defaults below are for this lifetime of a connection, in seconds.
REFERENCE_TTL_SECONDS = 90
#: Typing ends this long after the last keystroke was reported, in milliseconds.
TYPING_MS = 6_000
#: Redis keeps the time of last seen this long, in milliseconds.
LAST_SEEN_TTL_MS = 24 * 3_600_000
#: A silence shorter than this, in milliseconds, is never an outage: sweeps are not that exact.
MIN_OUTAGE_AFTER_MS = 3_000

TYPES = ("web", "desktop", "mobile", "tablet", "http")


@dataclass(frozen=True)
class Timing:
    """All times in milliseconds; `from_ttl` returns a set that fits together.

    `ttl_ms`: lifetime of a connection without a beat (`hidden_ttl_ms` in a hidden window);
    `coalesce_ms`: a beat sooner than this after the last one writes nothing. `dropped_grace_ms`,
    `page_closed_grace_ms`, `drain_grace_ms`: how long a connection may come back before others see
    it, after its network failed, its page was closed, its worker stopped. `idle_ms`,
    `hidden_idle_ms`: a window without input, or hidden, for longer than this is not active.
    `outage_after_ms` without any beat in a shard is an outage; no connection expires in it, for
    `max_outage_ms` at most, nor for `recovery_grace_ms` after it. Raises UnknownValue if a lifetime
    is shorter than the pings that refresh it.
    """

    ttl_ms: int = 90_000
    hidden_ttl_ms: int = 120_000
    mobile_ttl_ms: int = 300_000
    room_ttl_ms: int = 60_000
    ping_ms: int = 25_000
    coalesce_ms: int = 10_000
    dropped_grace_ms: int = 10_000
    page_closed_grace_ms: int = 5_000
    drain_grace_ms: int = 60_000
    idle_ms: int = 300_000
    hidden_idle_ms: int = 60_000
    outage_after_ms: int = 10_000
    recovery_grace_ms: int = 45_000
    max_outage_ms: int = 120_000
    typing_ms: int = TYPING_MS
    last_seen_ttl_ms: int = LAST_SEEN_TTL_MS

    def __post_init__(self) -> None:
        if self.ttl_ms < 3 * self.ping_ms + self.coalesce_ms:
            raise UnknownValue("a lifetime must outlast three pings and the coalescing of beats")
        if self.room_ttl_ms < 2 * self.ping_ms:
            raise UnknownValue("a room membership must outlast two pings")

    @classmethod
    def from_ttl(cls, ttl_seconds: float = 90, idle_seconds: float = 300) -> "Timing":
        """Scales every time with the lifetime of a connection; `idle_seconds` is set separately."""

        def scaled(seconds: float) -> int:
            return round(seconds * 1_000 * ttl_seconds / REFERENCE_TTL_SECONDS)

        return cls(
            ttl_ms=scaled(90), hidden_ttl_ms=scaled(120), mobile_ttl_ms=scaled(300),
            room_ttl_ms=scaled(60), ping_ms=scaled(25), coalesce_ms=scaled(10),
            dropped_grace_ms=scaled(10), page_closed_grace_ms=scaled(5), drain_grace_ms=scaled(60),
            idle_ms=round(idle_seconds * 1_000), hidden_idle_ms=scaled(60),
            outage_after_ms=max(scaled(10), MIN_OUTAGE_AFTER_MS), recovery_grace_ms=scaled(45),
            max_outage_ms=scaled(120),
        )  # fmt: skip

    def lifetime_ms(self, kind: str = "web", hidden: bool = False) -> int:
        """Returns the lifetime (ms) without a beat of this type; raises UnknownValue."""
        if kind not in TYPES:
            raise UnknownValue(f"a connection is one of {', '.join(TYPES)}")
        if kind == "mobile":
            return self.mobile_ttl_ms
        return self.hidden_ttl_ms if hidden else self.ttl_ms

    def active(self, visible: bool, idle_ms: int, hidden_for_ms: int = 0) -> bool:
        """Whether a browser is active; times since its last input and since it was hidden."""
        if not visible and hidden_for_ms >= self.hidden_idle_ms:
            return False
        return idle_ms < self.idle_ms
