"""The state of a person, and its two sides for different viewers."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from presence.settings import Settings

#: Statuses that others see.
STATUSES = ("online", "away", "busy", "dnd", "offline")

_AUDIENCES = {"e": "everyone", "c": "contacts", "n": "nobody"}


class State(TypedDict):
    """The part of a person's state that a viewer may see; a hidden person looks like an absent one.

    `last_seen` and `at` in ms since 1970; `at`: when the state began (offline: when the person was
    last seen, 0 if never); `v`: version, grows with each change and, for a person without a visible
    state, with time.
    """

    status: str
    last_seen: int | None
    devices: list[str]
    text: str
    activity: str
    at: int
    v: int


@dataclass(frozen=True)
class Viewer:
    """A viewer of states. With `truth` (a supervisor, the customer's chatbot) nothing is hidden."""

    id: str = ""
    truth: bool = False


#: Given a viewer id and people, returns the people who count the viewer as a contact; in bulk.
Relation = Callable[[str, Sequence[str]], Collection[str]]


#: The settings of people who never set anything.
UNSET = Settings()


@dataclass(frozen=True)
class Stored:
    """A person in SQL who has no row in Redis; times in ms since 1970."""

    last_seen: int | None = None
    public_last_seen: int | None = None
    settings: Settings = UNSET


#: Maps people to their stored presence, if these are known; called in bulk.
Storage = Callable[[Sequence[str]], Mapping[str, Stored]]


@dataclass(frozen=True)
class PresenceSnapshot:
    """Both sides of a person at one moment: the one for `audience`, and the truth.

    `epoch` and `n` give its position among the announcements of the shard; `version` is the version
    of states that show nothing.
    """

    person: str
    epoch: str
    n: int
    version: int
    audience: str
    public: State
    truth: State

    @property
    def needs_storage(self) -> bool:
        """Whether SQL may know more of this person than Redis."""
        return self.public["status"] == "offline" and self.public["last_seen"] is None

    @property
    def is_truly_known(self) -> bool:
        """Whether Redis knows when this person was truly last seen, or that they are here."""
        return self.truth["status"] != "offline" or self.truth["last_seen"] is not None

    def seen_by(self, viewer: Viewer, related: bool = False) -> State:
        """Returns the state shown to this viewer; `related`: the viewer is the person's contact."""
        if viewer.truth or viewer.id == self.person:
            return self.truth
        if self.audience == "everyone" or (related and self.audience == "contacts"):
            return self.public
        return never_seen(self.version)

    def with_stored(self, stored: Stored) -> "PresenceSnapshot":
        """Adds last seen from SQL, to the public side only as far as the settings allow."""
        settings, last = stored.settings, stored.public_last_seen
        snapshot = self
        if last is not None and settings.show_last_seen and settings.visibility != "nobody":
            public: State = {**self.public, "last_seen": last, "at": last}
            snapshot = replace(self, audience=settings.visibility, public=public)
        if self.truth["last_seen"] is None and stored.last_seen is not None:
            last = stored.last_seen
            snapshot = replace(snapshot, truth={**self.truth, "last_seen": last, "at": last})
        return snapshot


def never_seen(version: int) -> State:
    """Returns the state shown to a viewer who may not see this person, as if unknown."""
    return {
        "status": "offline", "last_seen": None, "devices": [],
        "text": "", "activity": "", "at": 0, "v": version,
    }  # fmt: skip


def snapshot_of(
    person: str, epoch: str, n: int, version: int, body: Mapping[str, Any]
) -> PresenceSnapshot:
    """Builds a snapshot from the result of `snapshot` in lua/state/snapshot.lua."""
    public = _side(body["p"], version)
    truth = _side(body["t"], version) if body.get("t") else public
    return PresenceSnapshot(person, epoch, n, version, _AUDIENCES[body["o"]], public, truth)


def parsed(text: str | bytes) -> Any:
    """Parses JSON from Redis."""
    return json.loads(text)


def same(one: State, other: State) -> bool:
    """Whether a viewer sees no difference; a beat of a person online makes none."""
    return _visible(one) == _visible(other)


def _visible(state: State) -> tuple[object, ...]:
    last_seen = state["last_seen"] if state["status"] == "offline" else None
    shows = state["last_seen"] is not None
    return (
        state["status"], state["text"], state["activity"], shows, last_seen, *state["devices"],
    )  # fmt: skip


def _side(packed: Mapping[str, Any], version: int) -> State:
    last = packed.get("l")
    return {
        "status": packed["s"],
        "last_seen": None if last is None else int(last),
        "devices": packed["d"].split(",") if packed["d"] else [],
        "text": packed["x"],
        "activity": packed["a"],
        "at": int(packed["at"]),
        "v": int(packed.get("v", version)),
    }
