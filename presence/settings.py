"""Settings of a person: status, visibility, and details to show."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from presence.errors import UnknownValue

#: Statuses that a person may set; `auto` ends the override.
STATUSES = ("auto", "away", "busy", "dnd", "invisible")
VISIBILITIES = ("everyone", "contacts", "nobody")

_OVERRIDE_FIELDS = ("status", "text", "activity", "until")
_PERSON_FIELDS = ("visibility", "show_last_seen", "show_typing")


@dataclass(frozen=True)
class StatusOverride:
    """A status, text and activity that a person set, over the state of the connections.

    `until` in ms since 1970, None without an end; `before` is in effect again after it. Raises
    UnknownValue for a status that cannot be set.
    """

    status: str = "auto"
    text: str = ""
    activity: str = ""
    until: int | None = None
    before: "StatusOverride | None" = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise UnknownValue(f"a status to set is one of {', '.join(STATUSES)}")

    @property
    def empty(self) -> bool:
        """Whether it overrides nothing."""
        return self.status == "auto" and not self.text and not self.activity

    def at(self, now_ms: int) -> "StatusOverride":
        """Returns the override in effect at that time: this, the one before it, or an empty one."""
        if self.until is None or self.until > now_ms:
            return self
        return self.before.at(now_ms) if self.before else StatusOverride()

    def packed(self) -> dict[str, object]:
        """Returns it with the short names that lua/state/overrides.lua reads."""
        parts = {
            "s": "" if self.status == "auto" else self.status,
            "t": self.text,
            "a": self.activity,
            "x": self.until,
            "p": self.before.packed() if self.before else None,
        }
        # An end at 0, in 1970, is an end, too.
        return {name: part for name, part in parts.items() if part or part == 0}


@dataclass(frozen=True)
class Settings:
    """All settings of a person; every change makes the next revision.

    Revision 0 belongs to people who never set anything. Raises UnknownValue for a visibility that
    does not exist.
    """

    revision: int = 0
    visibility: str = "everyone"
    show_last_seen: bool = True
    show_typing: bool = True
    override: StatusOverride = StatusOverride()

    def __post_init__(self) -> None:
        if self.visibility not in VISIBILITIES:
            raise UnknownValue(f"a visibility is one of {', '.join(VISIBILITIES)}")

    def changed(self, changes: Mapping[str, Any], now_ms: int) -> "Settings":
        """Returns the settings after `changes`: absent fields stay, None resets a field.

        An override with an end keeps one without an end as its `before`. Raises UnknownValue.
        """
        unknown = set(changes) - {*_OVERRIDE_FIELDS, *_PERSON_FIELDS}
        if unknown:
            raise UnknownValue(f"no such setting: {', '.join(sorted(unknown))}")
        override = self._changed_override(changes, now_ms)
        if override.empty and not override.before:
            override = StatusOverride()
        others = {
            name: getattr(type(self), name) if changes[name] is None else changes[name]
            for name in _PERSON_FIELDS
            if name in changes
        }
        return replace(self, revision=self.revision + 1, override=override, **others)

    def _changed_override(self, changes: Mapping[str, Any], now_ms: int) -> StatusOverride:
        held = self.override.at(now_ms)
        defaults = asdict(StatusOverride())
        fresh = {
            name: defaults[name] if changes[name] is None else changes[name]
            for name in _OVERRIDE_FIELDS
            if name in changes
        }
        override = replace(held, **fresh)
        if override.until is None:
            return replace(override, before=None)
        if held.until is None and not held.empty:
            return replace(override, before=held)
        return override

    def packed(self) -> str:
        """Returns JSON with the short names that lua/state/overrides.lua reads."""
        parts: dict[str, object] = {
            "c": [] if self.override == StatusOverride() else [self.override.packed()],
            "v": "" if self.visibility == "everyone" else self.visibility,
            "r": self.revision,
        }
        document = {name: part for name, part in parts.items() if part}
        if not self.show_last_seen:
            document["l"] = 0
        return json.dumps(document, separators=(",", ":"))

    def to_dict(self) -> dict[str, object]:
        """Returns a dict for a JSON column, for `from_dict`. It calls the override `manual`."""
        data = asdict(self)
        override = data.pop("override")
        data["claims"] = {} if self.override == StatusOverride() else {"manual": override}
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Settings":
        """Reads a dict of `to_dict`. Raises UnknownValue for values that do not exist."""
        rest = {name: value for name, value in data.items() if name != "claims"}
        claim = data.get("claims", {}).get("manual")
        return cls(**rest, override=_override_from_dict(claim) if claim else StatusOverride())


def _override_from_dict(data: Mapping[str, Any]) -> StatusOverride:
    before = data.get("before")
    return StatusOverride(**{**data, "before": _override_from_dict(before) if before else None})
