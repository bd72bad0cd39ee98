"""The bot API's presence routes: which customers are online, and how visible that is."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from flask import Response
from pydantic import AfterValidator, Field

from dashboard.db.accounts.api_keys import Caller
from dashboard.errors import Problem
from dashboard.ingest.schema import Outcome, ParsedEvent
from dashboard.presence.bots import RECENT_MS, BotPresence, CustomerWrote
from dashboard.presence.requests import (
    BEATS_MAX,
    PresenceBeats,
    PresenceDevices,
    PresenceSettings,
    PresenceTyping,
)
from dashboard.presence.service import PresenceService, to_json
from dashboard.validation.field_errors import validated
from dashboard.validation.fields import ID_MAX, ID_PATTERN, Id, fault
from dashboard.web.http.queries import Cursors, Query
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import Documented, PathParameter, route
from dashboard.web.http.schemas import Answer, Milliseconds
from dashboard.web.http.seen_pages import SeenQuery, read_page
from presence.listing import Page, Position, Times
from presence.people import MAX_LOOKED_UP
from presence.settings import STATUSES as SETTABLE
from presence.settings import VISIBILITIES
from presence.states import STATUSES
from presence.timing import Timing

Status = Literal[STATUSES]  # type: ignore[valid-type]


class Accepted(Answer):
    """The whole request was accepted."""

    accepted: Annotated[int, Field(description="The number of accepted items.", ge=1)]


class State(Answer):
    """The presence of a person as others see it."""

    status: Status
    last_seen: Milliseconds | None
    devices: Annotated[
        list[str], Field(description="The type of each device in use, one entry a device.")
    ]
    text: str
    activity: str
    at: Annotated[int, Field(description="The beginning of this state, in ms since 1970.")]
    v: Annotated[int, Field(description="Grows with each change.")]


class States(Answer):
    """The state of every requested customer."""

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
    """A part of the customers who were seen, newest first."""

    customers: list[Seen]
    next: Annotated[str | None, Field(description="The next cursor; null at the end.")]
    total: Annotated[int, Field(description="The number on all pages, as of the first page.")]


class TeamMember(Answer):
    """The admin who has the thread."""

    name: str
    status: Status


class Team(Answer):
    """Whether an admin is online, and the admin who has the thread."""

    online: bool
    assignee: TeamMember | None


#: Every call is for keys with this scope.
_route = partial(route, scope="presence")
_ID_SCHEMA = {"type": "string", "pattern": ID_PATTERN, "maxLength": ID_MAX}
#: Customers with these names are set by query, because below /presence these are calls.
_CALLS = ("online", "offline", "team")
_CUSTOMER = PathParameter(
    _ID_SCHEMA | {"not": {"enum": list(_CALLS)}}, "c-7", f"other_than({', '.join(_CALLS)})"
)
#: Common parts of the two calls that set a customer's presence.
_SETTING: Mapping[str, Any] = {
    "body": (PresenceSettings,),
    "example": {"status": "busy", "text": "on the phone"},
    "answers": {200: Documented("All present settings.", (SetPresence,))},
    "problems": (410,),
}
_BEAT = {"customer": "c-7", "device": "browser-1", "type": "web", "active": True}


def _at_most_500(customers: list[str]) -> list[str]:
    """Returns the customers, each once."""
    unique = list(dict.fromkeys(customers))
    if len(unique) > MAX_LOOKED_UP:
        raise fault("too_long", f"names {len(unique)} customers; the limit is {MAX_LOOKED_UP}")
    return unique


class CustomersQuery(Query):
    """The customers to look up: `customer` once for each."""

    customer: Annotated[
        list[Id],
        AfterValidator(_at_most_500),
        Field(
            description=f"Once for each customer; up to {MAX_LOOKED_UP} different ones.",
            json_schema_extra={"minItems": 1},
            examples=[["c-7"]],
        ),
    ]


class TeamQuery(Query):
    """The thread to ask about."""

    thread: Annotated[Id, Field(examples=["t-42"])]


class CustomerQuery(Query):
    """The customer named by a query string."""

    customer: Annotated[Id, Field(examples=["c-7"])]


class BotPresenceApi:
    """Lets a chatbot see and set the presence of its own source's customers."""

    def __init__(
        self,
        presence_service: PresenceService,
        bot_presence: BotPresence,
        cursors: Cursors,
        clock: Callable[[], int],
    ):
        self._presence_service = presence_service
        self._bot_presence = bot_presence
        self._cursors = cursors
        self._clock = clock

    @_route(
        "POST",
        "/presence",
        "postPresence",
        summary="Report that customers are present",
        description="Send a beat of each connected device every 25 to 30 seconds; a first one "
        f"brings the device online, a silent device is gone after {Timing.ttl_ms // 1_000}, one of "
        f"the type `mobile` after {Timing.mobile_ttl_ms // 1_000}. A customer's message and typing "
        "count as beats of the device `messages`.",
        body=(PresenceBeats,),
        batch=("beats", BEATS_MAX),
        example={"beats": [_BEAT]},
        answers={200: Documented("Done.", (Accepted,))},
    )
    def beat(self, caller: Caller, body: PresenceBeats) -> Response:
        beats = [(beat.customer, beat.device, beat.type, beat.active) for beat in body.beats]
        self._bot_presence.beat(caller.source, beats)
        return json_response({"accepted": len(beats)})

    @_route(
        "GET",
        "/presence",
        "getPresence",
        summary="Look up the presence of up to 500 of your customers",
        description="The answer has every requested customer. A key may look up 10,000 customers a "
        "minute, twenty full calls; pages of `presence/online` count, too.",
        query=CustomersQuery,
        answers={200: Documented("Done.", (States,))},
        problems=(429,),
    )
    def look_up(self, caller: Caller, query: CustomersQuery) -> Response:
        self._presence_service.limit_look_ups(("key", caller.key_id), len(query.customer))
        return json_response(
            {"presence": self._bot_presence.look_up(caller.source, query.customer)}
        )

    @_route(
        "POST",
        "/presence/offline",
        "postPresenceOffline",
        summary="Report that devices went offline",
        description="Takes effect at once, before they would time out.",
        body=(PresenceDevices,),
        batch=("devices", BEATS_MAX),
        example={"devices": [{"customer": "c-7", "device": "browser-1"}]},
        answers={200: Documented("Done.", (Accepted,))},
    )
    def leave(self, caller: Caller, body: PresenceDevices) -> Response:
        devices = [(device.customer, device.device) for device in body.devices]
        self._bot_presence.leave(caller.source, devices)
        return json_response({"accepted": len(devices)})

    @_route(
        "PUT",
        "/presence/{customer}",
        "putPresence",
        summary="Set a customer's status, text and visibility",
        description="Omitted members stay, null resets them. An `invisible` customer seems to have "
        "left, one with the visibility `nobody` never to have come. `online`, `offline` and "
        "`team` are other calls here (405): give such an id in the query.",
        path_parameters={"customer": _CUSTOMER},
        **_SETTING,
    )
    def set_presence(self, caller: Caller, customer: str, body: PresenceSettings) -> Response:
        query = validated(CustomerQuery, {"customer": customer})
        return self.set_presence_by_query(caller, query, body)

    @_route(
        "PUT",
        "/presence",
        "putPresenceByQuery",
        summary="Set a customer's status, text and visibility, for any id",
        description="As with the id in the path, and also for a customer called `online`, "
        "`offline` or `team`.",
        query=CustomerQuery,
        **_SETTING,
    )
    def set_presence_by_query(
        self, caller: Caller, query: CustomerQuery, body: PresenceSettings
    ) -> Response:
        customer = query.customer
        settings = self._presence_service.set_customer(
            caller.source_id, caller.source, customer, body.changes()
        )
        return json_response(to_json(settings, self._clock()))

    @_route(
        "GET",
        "/presence/online",
        "getPresenceOnline",
        summary="List the customers seen lately, or between two times",
        description="Newest first, connected or not: `within` seconds, or `from` and `to` in "
        "milliseconds since 1970. A page counts as a look-up of `limit` customers.",
        query=SeenQuery,
        answers={200: Documented("Done.", (SeenPage,))},
        problems=(429,),
    )
    def online(self, caller: Caller, query: SeenQuery) -> Response:
        source = caller.source

        def read(times: Times, limit: int, after: Position | None) -> Page:
            self._presence_service.limit_look_ups(("key", caller.key_id), limit)
            return self._bot_presence.seen(source, times, limit, after)

        page, next = read_page(query, self._cursors, source, read)
        customers = [
            {
                "id": person.id.removeprefix(f"{source}/"),
                "last_seen": person.last_seen,
                "colour": person.colour,
            }
            for person in page.people
        ]
        return json_response({"customers": customers, "next": next, "total": page.total})

    @_route(
        "GET",
        "/presence/team",
        "getPresenceTeam",
        summary="Read the presence of the team",
        description="Only what a customer may know of the team.",
        query=TeamQuery,
        answers={200: Documented("Done.", (Team,))},
        problems=(404,),
    )
    def team(self, caller: Caller, query: TeamQuery) -> Response:
        return json_response(self._bot_presence.team(caller.source_id, query.thread))

    @_route(
        "POST",
        "/typing",
        "postTyping",
        summary="Report that a customer is writing",
        description="Shown for 6 seconds, or until the message arrives.",
        body=(PresenceTyping,),
        example={"thread": "t-42", "customer": "c-7"},
        answers={200: Documented("Done.", (Accepted,))},
        problems=(404,),
    )
    def typing(self, caller: Caller, body: PresenceTyping) -> Response:
        self._bot_presence.typing(caller.source_id, caller.source, body.thread, body.customer)
        return json_response({"accepted": 1})

    def on_events(
        self,
        caller: Caller,
        items: Sequence[ParsedEvent | Problem],
        outcomes: Sequence[Outcome | Problem],
    ) -> None:
        """Counts each new and recent client message as a sign of life of its customer."""
        since = self._clock() - RECENT_MS
        self._bot_presence.enqueue(
            [
                CustomerWrote(caller.source, item.customer, outcome.thread_id)
                for item, outcome in zip(items, outcomes, strict=True)
                if isinstance(item, ParsedEvent)
                and isinstance(outcome, Outcome)
                and (item.role, outcome.status) == ("client", "created")
                and item.customer is not None
                and item.occurred_at >= since
            ]
        )
