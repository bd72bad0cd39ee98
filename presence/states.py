"""The state of a person, and which viewer may see which side of it."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from presence.settings import Settings

#: Statuses that others see.
STATUSES = ("online", "away", "busy", "dnd", "offline")

_AUDIENCES = {"e": "everyone", "c": "contacts", "n": "nobody"}


class State(TypedDict):
    """What a viewer may see of a person; a hidden person looks like an absent one.

    `last_seen` and `at` in ms since 1970; `at`: when the state began (offline: when the person was
    last seen, 0 if never); `v`: version, grows with each change and, for a person of whom nothing
    may be seen, with time.
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
    """Who asks. With `truth` (a supervisor, a chatbot of the customer) nothing is hidden."""

    id: str = ""
    truth: bool = False


#: (viewer id, people) -> those of them who count the viewer as a contact; called in bulk.
Relation = Callable[[str, Sequence[str]], Collection[str]]


#: The settings of people who never set anything.
UNSET = Settings()


@dataclass(frozen=True)
class Stored:
    """What SQL knows of a person who has no row in Redis; times in ms since 1970."""

    last_seen: int | None = None
    public_last_seen: int | None = None
    settings: Settings = UNSET


#: People -> what is stored of those that are known; called in bulk.
Storage = Callable[[Sequence[str]], Mapping[str, Stored]]


@dataclass(frozen=True)
class PresenceSnapshot:
    """Both sides of a person at one moment: what `audience` may see, and the truth.

    `epoch` and `n` give its position among the announcements of the shard; `version` is the
    version of states that show nothing.
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
        """The state shown to this viewer; `related`: the person counts them as a contact."""
        if viewer.truth or viewer.id == self.person:
            return self.truth
        if self.audience == "everyone" or (related and self.audience == "contacts"):
            return self.public
        return never_seen(self.version)

    def with_stored(self, stored: Stored) -> "PresenceSnapshot":
        """Adds last seen from SQL, to the public side only as far as the settings allow."""
        settings, last = stored.settings, stored.public_last_seen
        filled = self
        if last is not None and settings.show_last_seen and settings.visibility != "nobody":
            public: State = {**self.public, "last_seen": last, "at": last}
            filled = replace(self, audience=settings.visibility, public=public)
        if self.truth["last_seen"] is None and stored.last_seen is not None:
            last = stored.last_seen
            filled = replace(filled, truth={**self.truth, "last_seen": last, "at": last})
        return filled


def never_seen(version: int) -> State:
    """State shown to a viewer who may not see this person; the same as of an unknown person."""
    return {
        "status": "offline", "last_seen": None, "devices": [],
        "text": "", "activity": "", "at": 0, "v": version,
    }  # fmt: skip


def snapshot_of(
    person: str, epoch: str, n: int, version: int, body: Mapping[str, Any]
) -> PresenceSnapshot:
    """From what `snapshot` in lua/state/state.lua makes."""
    public = _side(body["p"], version)
    truth = _side(body["t"], version) if body.get("t") else public
    return PresenceSnapshot(person, epoch, n, version, _AUDIENCES[body["o"]], public, truth)


def parsed(text: str | bytes) -> Any:
    """JSON as Redis keeps it."""
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
