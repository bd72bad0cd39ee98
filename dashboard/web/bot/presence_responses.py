"""What the bot API answers about presence."""

from typing import Annotated, Literal

from pydantic import Field

from dashboard.web.http.schemas import Answer, Milliseconds
from presence.settings import STATUSES as SETTABLE
from presence.settings import VISIBILITIES
from presence.states import STATUSES

Status = Literal[STATUSES]  # type: ignore[valid-type]


class Accepted(Answer):
    """All of it was taken."""

    accepted: Annotated[int, Field(description="How many.", ge=1)]


class State(Answer):
    """What others see of a person."""

    status: Status
    last_seen: Milliseconds | None
    devices: Annotated[
        list[str], Field(description="The type of each device in use, one entry a device.")
    ]
    text: str
    activity: str
    at: Annotated[int, Field(description="Since when it is so, in ms since 1970.")]
    v: Annotated[int, Field(description="Grows with each change.")]


class States(Answer):
    """The state of every customer asked for."""

    presence: dict[str, State]


class SetPresence(Answer):
    """The settings of a customer."""

    status: Literal[SETTABLE]  # type: ignore[valid-type]
    text: str
    activity: str
    until: Milliseconds | None
    visibility: Literal[VISIBILITIES]  # type: ignore[valid-type]
    show_last_seen: bool
    show_typing: bool


class Seen(Answer):
    """A customer who was seen."""

    id: Annotated[str, Field(description="Your id of the customer.")]
    last_seen: Milliseconds
    colour: Literal["green", "yellow", "grey"]


class SeenPage(Answer):
    """A part of those who were seen, newest first."""

    customers: list[Seen]
    next: Annotated[str | None, Field(description="The next cursor; null at the end.")]
    total: Annotated[int, Field(description="How many on all pages, as of the first.")]


class TeamMember(Answer):
    """The admin who has the thread."""

    name: str
    status: Status


class Team(Answer):
    """Whether an admin is online, and the admin who has the thread."""

    online: bool
    assignee: TeamMember | None
