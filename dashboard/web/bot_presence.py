"""The bot API's calls of presence: signs of life in, who is here out."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from flask import Blueprint, Response, request
from pydantic import ValidationError
from redis.exceptions import RedisError

from dashboard.attendance.attendance import Attendance, PresenceUnavailable, described
from dashboard.attendance.chatbots import RECENT_MS, Chatbots, Said
from dashboard.attendance.forms import (
    BEATS_MAX,
    PresenceBeats,
    PresenceDevices,
    PresenceSettings,
    PresenceTyping,
)
from dashboard.errors import Problem
from dashboard.intake.field_errors import invalid, one
from dashboard.intake.fields import INTEGER_MAX, Strict, check_id
from dashboard.intake.outcomes import Outcome
from dashboard.intake.schema import ParsedEvent
from dashboard.store.keys import Caller
from dashboard.web import bot_body, problems
from dashboard.web.admin_forms import number
from dashboard.web.callers import Callers
from dashboard.web.metrics import Metrics
from presence.errors import InvalidCursor
from presence.listing import Page
from presence.people import MOST_ASKED

WITHIN_DEFAULT_SECONDS = 900
WITHIN_MAX_SECONDS = 86_400
LIMIT_DEFAULT, LIMIT_MAX = 100, 500

Model = TypeVar("Model", bound=Strict)


class BotPresence:
    """Each call says who calls by `callers`; a caller's source is whose customers it sees."""

    def __init__(
        self,
        attendance: Attendance,
        chatbots: Chatbots,
        callers: Callers,
        metrics: Metrics,
        clock: Callable[[], int],
    ):
        self._attendance = attendance
        self._chatbots = chatbots
        self._callers = callers
        self._metrics = metrics
        self._clock = clock

    def beat(self) -> Response:
        caller = self._require()
        beats = _parsed(PresenceBeats, "beats").beats
        self._chatbots.beat(
            caller.source, [(one.customer, one.device, one.type, one.active) for one in beats]
        )
        return _json({"accepted": len(beats)})

    def leave(self) -> Response:
        caller = self._require()
        devices = _parsed(PresenceDevices, "devices").devices
        self._chatbots.leave(caller.source, [(one.customer, one.device) for one in devices])
        return _json({"accepted": len(devices)})

    def set(self, customer: str) -> Response:
        """What a customer sets; answers all that is set then."""
        caller = self._require()
        _checked_id("/customer", customer)
        changes = _parsed(PresenceSettings).changes()
        made = self._attendance.set_customer(caller.source_id, caller.source, customer, changes)
        return _json(described(made, self._clock()))

    def look(self) -> Response:
        caller = self._require()
        asked = list(dict.fromkeys(request.args.getlist("customer")))
        if not asked:
            raise one("/customer", "missing_field", "is missing")
        if len(asked) > MOST_ASKED:
            raise one("/customer", "too_long", f"stands {len(asked)} times; {MOST_ASKED} may")
        for name in asked:
            _checked_id("/customer", name)
        self._attendance.look_ups.by_key(caller.key_id, len(asked))
        return _json({"presence": self._chatbots.look(caller.source, asked)})

    def online(self) -> Response:
        """Who of the caller's customers was seen in some time, the newest first."""
        caller = self._require()
        source = caller.source

        def read(times: tuple[int, int] | int, limit: int, cursor: str | None) -> Page:
            self._attendance.look_ups.by_key(caller.key_id, limit)
            if isinstance(times, int):
                return self._chatbots.recent(source, times, limit, cursor)
            return self._chatbots.between(source, times, limit, cursor)

        page = read_page(read)
        customers = [
            {
                "id": seen.id.removeprefix(f"{source}/"),
                "last_seen": seen.last_seen,
                "colour": seen.colour,
            }
            for seen in page.people
        ]
        return _json({"customers": customers, "next": page.next, "total": page.total})

    def team(self) -> Response:
        caller = self._require()
        thread = request.args.get("thread")
        if thread is None:
            raise one("/thread", "missing_field", "is missing")
        return _json(self._chatbots.team(caller.source_id, thread))

    def typing(self) -> Response:
        caller = self._require()
        said = _parsed(PresenceTyping)
        self._chatbots.typing(caller.source_id, caller.source, said.thread, said.customer)
        return _json({"accepted": 1})

    def heard(
        self,
        caller: Caller,
        items: Sequence[ParsedEvent | Problem],
        results: Sequence[Outcome | Problem],
    ) -> None:
        """Events came in: a customer who has just written is here."""
        since = self._clock() - RECENT_MS
        self._chatbots.note(
            [
                Said(caller.source, item.customer, result.thread_id)
                for item, result in zip(items, results, strict=True)
                if isinstance(item, ParsedEvent)
                and isinstance(result, Outcome)
                and (item.role, result.status) == ("client", "created")
                and item.customer is not None
                and item.occurred_at >= since
            ]
        )

    def count(self, response: Response) -> Response:
        self._metrics.count_answer(request.method, response.status_code)
        return response

    def _require(self) -> Caller:
        return self._callers.require(request.headers.get("Authorization"), "presence")


def blueprint(api: BotPresence) -> Blueprint:
    """Presence's routes below /api/v1."""
    made = Blueprint("bot_presence", __name__, url_prefix="/api/v1")
    routes: tuple[tuple[str, str, Callable[..., Response]], ...] = (
        ("POST", "/presence", api.beat),
        ("POST", "/presence/offline", api.leave),
        ("PUT", "/presence/<customer>", api.set),
        ("GET", "/presence", api.look),
        ("GET", "/presence/online", api.online),
        ("GET", "/presence/team", api.team),
        ("POST", "/typing", api.typing),
    )
    for method, rule, view in routes:
        made.add_url_rule(rule, view_func=view, methods=[method], endpoint=view.__name__)
    made.register_error_handler(RedisError, away)
    made.after_request(api.count)
    return made


def away(error: Exception) -> Response:
    """What a call answers while Redis is away."""
    return problems.answer(PresenceUnavailable())


def read_page(read: Callable[[Any, int, str | None], Page]) -> Page:
    """A page of who was seen: `within` seconds, or `from` and `to` in ms. Raises Invalid."""
    limit = number("limit", LIMIT_DEFAULT, 1, LIMIT_MAX)
    cursor = request.args.get("cursor") or None
    within = number("within", None, 1, WITHIN_MAX_SECONDS)
    first, last = number("from", None, 0), number("to", None, 0)
    times: tuple[int, int] | int = (within or WITHIN_DEFAULT_SECONDS) * 1_000
    if first is not None or last is not None:
        if within is not None:
            raise one("/within", "unknown_field", "does not go with from and to")
        times = (first or 0, INTEGER_MAX if last is None else last)
    assert limit is not None
    try:
        return read(times, limit, cursor)
    except InvalidCursor:
        raise one("/cursor", "unknown_value", "is no cursor of this list") from None


def _parsed(model: type[Model], listed: str | None = None) -> Model:
    document = bot_body.document()
    entries = document.get(listed) if listed and isinstance(document, dict) else None
    if isinstance(entries, list) and len(entries) > BEATS_MAX:
        detail = f"A batch holds at most {BEATS_MAX} {listed}."
        raise Problem(413, "batch_too_large", detail)
    if isinstance(entries, list) and not entries:
        raise one(f"/{listed}", "batch_empty", f"holds no {(listed or '')[:-1]}")
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise invalid(error) from None


def _checked_id(pointer: str, name: str) -> None:
    try:
        check_id(name)
    except ValueError as error:
        raise one(pointer, getattr(error, "type", "invalid_id"), str(error).rstrip(".")) from None


def _json(body: Any) -> Response:
    response = Response(json.dumps(body), 200, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
