"""What a person sets: claims on their status, who may see them, what they show."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from presence.errors import UnknownValue

#: What one can set; `auto` takes the claim back.
STATUSES = ("auto", "away", "busy", "dnd", "invisible")
VISIBILITIES = ("everyone", "contacts", "nobody")
#: Who claims, the highest first: a call in progress stands over what the person chose.
LEVELS = ("system", "manual", "calendar")

_OF_CLAIM = ("status", "text", "activity", "until")
_OF_PERSON = ("visibility", "show_last_seen", "show_typing")


@dataclass(frozen=True)
class Claim:
    """One level's claim; `until` in ms; `before` is the one that comes back then."""

    status: str = "auto"
    text: str = ""
    activity: str = ""
    until: int | None = None
    before: "Claim | None" = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise UnknownValue(f"a status to set is one of {', '.join(STATUSES)}")

    @property
    def empty(self) -> bool:
        return self.status == "auto" and not self.text and not self.activity

    def at(self, now_ms: int) -> "Claim":
        """What holds at that time: this, the one before it, or nothing."""
        if self.until is None or self.until > now_ms:
            return self
        return self.before.at(now_ms) if self.before else Claim()

    def packed(self) -> dict[str, Any]:
        """As lua/claims.lua reads it."""
        parts = {
            "s": "" if self.status == "auto" else self.status,
            "t": self.text,
            "a": self.activity,
            "x": self.until,
            "p": self.before.packed() if self.before else None,
        }
        return {name: part for name, part in parts.items() if part}


@dataclass(frozen=True)
class Settings:
    """A person's settings as a whole; every change makes a later revision.

    Revision 0 is that of people who never set anything.
    """

    revision: int = 0
    visibility: str = "everyone"
    show_last_seen: bool = True
    show_typing: bool = True
    claims: Mapping[str, Claim] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.visibility not in VISIBILITIES:
            raise UnknownValue(f"a visibility is one of {', '.join(VISIBILITIES)}")
        if not set(self.claims) <= set(LEVELS):
            raise UnknownValue(f"a level is one of {', '.join(LEVELS)}")

    def changed(self, changes: Mapping[str, Any], now_ms: int, level: str = "manual") -> "Settings":
        """Settings after `changes`; what they leave out stays, None takes a value back.

        A claim with an end stashes one without, which comes back when it ends.
        """
        unknown = set(changes) - {*_OF_CLAIM, *_OF_PERSON}
        if unknown or level not in LEVELS:
            raise UnknownValue(f"no such setting or level: {', '.join(sorted(unknown)) or level}")
        held = self.claims.get(level, Claim()).at(now_ms)
        defaults = asdict(Claim())
        fresh = {
            name: defaults[name] if changes[name] is None else changes[name]
            for name in _OF_CLAIM
            if name in changes
        }
        claim = replace(held, **fresh)
        if claim.until is None:
            claim = replace(claim, before=None)
        elif held.until is None and not held.empty:
            claim = replace(claim, before=held)
        claims = {**self.claims, level: claim}
        if claim.empty and not claim.before:
            del claims[level]
        whole = {name: changes[name] for name in _OF_PERSON if changes.get(name) is not None}
        return replace(self, revision=self.revision + 1, claims=claims, **whole)

    def packed(self) -> str:
        """JSON as lua/claims.lua reads it."""
        parts: dict[str, Any] = {
            "c": [self.claims[level].packed() for level in LEVELS if level in self.claims],
            "v": "" if self.visibility == "everyone" else self.visibility,
            "r": self.revision,
        }
        kept = {name: part for name, part in parts.items() if part}
        if not self.show_last_seen:
            kept["l"] = 0
        return json.dumps(kept, separators=(",", ":"))

    def to_dict(self) -> dict[str, Any]:
        """For a JSON column; `from_dict` reads it."""
        return {**asdict(self), "claims": {name: asdict(one) for name, one in self.claims.items()}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Settings":
        claims = {level: _claim(claim) for level, claim in data.get("claims", {}).items()}
        return cls(**{**data, "claims": claims})


def _claim(data: Mapping[str, Any]) -> Claim:
    before = data.get("before")
    return Claim(**{**data, "before": _claim(before) if before else None})
