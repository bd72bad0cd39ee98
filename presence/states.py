"""A person's state, and who may know which side of it."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from presence.settings import Settings

#: Statuses that others see.
STATUSES = ("online", "away", "busy", "dnd", "offline")

_AUDIENCES = {"e": "everyone", "c": "contacts", "n": "nobody"}


class State(TypedDict):
    """What a viewer may know of a person; hidden and absent people look the same.

    `last_seen` and `at` in ms; `at`: since when it is so (offline: when last seen, 0 if never);
    `v` grows with each change and, where nothing is to be seen, with time.
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
    """Who looks. Oneself, and whoever is trusted with the `truth`, sees what others may not."""

    id: str = ""
    truth: bool = False


#: (viewer id, people) -> those of them who count the viewer as a contact; asked in bulk.
Relation = Callable[[str, Sequence[str]], Collection[str]]


#: Of people who never set anything.
UNSET = Settings()


@dataclass(frozen=True)
class Stored:
    """What lasting storage knows of a person whom Redis does not remember."""

    last_seen: int | None = None
    public_last_seen: int | None = None
    settings: Settings = UNSET


#: People -> what is stored of those that are known; asked in bulk.
Storage = Callable[[Sequence[str]], Mapping[str, Stored]]


@dataclass(frozen=True)
class Portrait:
    """Both sides of a person at one moment: what `audience` may know, and the truth.

    `epoch` and `n` place it among the announcements of the shard; `version` is that of sides which
    show nothing.
    """

    person: str
    epoch: str
    n: int
    version: int
    audience: str
    public: State
    truth: State

    @property
    def unremembered(self) -> bool:
        """Whether storage may know more of this person than Redis."""
        return self.public["status"] == "offline" and self.public["last_seen"] is None

    def seen_by(self, viewer: Viewer, related: bool = False) -> State:
        """The state as this viewer may know it."""
        if viewer.truth or viewer.id == self.person:
            return self.truth
        if self.audience == "everyone" or (related and self.audience == "contacts"):
            return self.public
        return never_seen(self.version)

    def with_stored(self, stored: Stored) -> "Portrait":
        """Fills in the time of last seen, as far as the person's settings let it be known."""
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
    """How somebody looks of whom nothing may be known, or is."""
    return {
        "status": "offline", "last_seen": None, "devices": [],
        "text": "", "activity": "", "at": 0, "v": version,
    }  # fmt: skip


def portrait(person: str, epoch: str, n: int, version: int, body: Mapping[str, Any]) -> Portrait:
    """From what lua/state.lua tells."""
    public = _side(body["p"], version)
    truth = _side(body["t"], version) if body.get("t") else public
    return Portrait(person, epoch, n, version, _AUDIENCES[body["o"]], public, truth)


def parsed(text: str | bytes) -> Any:
    return json.loads(text)


def same(one: State, other: State) -> bool:
    """Whether a viewer would see no difference; beats alone make none."""
    return _shown(one) == _shown(other)


def _shown(state: State) -> tuple[object, ...]:
    last_seen = state["last_seen"] if state["status"] == "offline" else None
    shows = state["last_seen"] is not None
    return (
        state["status"], state["text"], state["activity"], shows, last_seen, *state["devices"],
    )  # fmt: skip


def _side(told: Mapping[str, Any], version: int) -> State:
    last = told.get("l")
    return {
        "status": told["s"],
        "last_seen": None if last is None else int(last),
        "devices": told["d"].split(",") if told["d"] else [],
        "text": told["x"],
        "activity": told["a"],
        "at": int(told["at"]),
        "v": int(told.get("v", version)),
    }
