"""Packs a tier and a time into one integer that a Redis score holds exactly."""

from typing import Literal

#: Redis keeps scores as doubles: integers are exact below 2^53.
SCORE_BITS = 53
#: Milliseconds since 1970 up to the year 2109.
TIME_BITS = 42
TIME_MAX_MS = 2**TIME_BITS - 1
TIER_MAX = 2 ** (SCORE_BITS - TIME_BITS) - 1

Direction = Literal["oldest", "newest"]


class ScoreError(ValueError):
    """A tier or a time that does not fit into a score of 53 bits."""


def check_tier(tier: int) -> int:
    """Returns the tier; raises ScoreError if `tier × 2^42 + time` would pass 53 bits."""
    if not 0 <= tier <= TIER_MAX:
        raise ScoreError(f"tier {tier} does not fit: a score has room for tiers 0 to {TIER_MAX}")
    return tier


def pack(tier: int, time_ms: int, direction: Direction) -> int:
    """Returns one score below 2^53; the lower, the higher up.

    `oldest` puts early times first, `newest` late ones. Raises ScoreError out of range.
    """
    check_tier(tier)
    if not 0 <= time_ms <= TIME_MAX_MS:
        raise ScoreError(f"time {time_ms} ms does not fit: a score has room for 0 to {TIME_MAX_MS}")
    ordered = time_ms if direction == "oldest" else TIME_MAX_MS - time_ms
    return (tier << TIME_BITS) + ordered


def tier_of(score: int) -> int:
    """Returns the tier that `pack` put into the score; raises ScoreError for an invalid one."""
    return check_tier(score >> TIME_BITS)


def unpack(score: int, direction: Direction) -> tuple[int, int]:
    """Returns (tier, time_ms) of a score: the arguments of `pack`."""
    ordered = score & TIME_MAX_MS
    return tier_of(score), ordered if direction == "oldest" else TIME_MAX_MS - ordered
