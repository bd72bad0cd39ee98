"""The bot API: events in; threads, lists, and what admins did out."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flask import Blueprint, Response, request

from dashboard.errors import NotFound, Problem
from dashboard.intake.field_errors import one
from dashboard.intake.intake import Intake
from dashboard.intake.outcomes import Outcome
from dashboard.intake.schema import ParsedEvent, parse_request
from dashboard.store import threads
from dashboard.store.database import Database
from dashboard.store.keys import Caller
from dashboard.web import bot_answers, bot_body
from dashboard.web.bot_lists import BotLists
from dashboard.web.bot_outbox import BotOutbox
from dashboard.web.callers import Callers
from dashboard.web.metrics import Metrics
from dashboard.web.quota import Quotas
from scoring.ranking import Ranking

LIMIT_DEFAULT = 100
LIMIT_MAX = 500
_DIGITS_MAX = 15

#: Told of every call's events, and of what became of each.
Heard = Callable[[Caller, Sequence[ParsedEvent | Problem], Sequence[Outcome | Problem]], None]


def _nobody(*heard: Any) -> None:
    """Nobody listens."""


class BotApi:
    """The calls of a chatbot; each says who calls by `callers`."""

    def __init__(
        self,
        database: Database,
        intake: Intake,
        ranking: Ranking,
        callers: Callers,
        quotas: Quotas,
        metrics: Metrics,
        clock: Callable[[], int],
        heard: Heard = _nobody,
    ):
        self._outbox = BotOutbox(database, clock)
        self._database = database
        self._intake = intake
        self._lists = BotLists(database, ranking)
        self._callers = callers
        self._quotas = quotas
        self._metrics = metrics
        self._heard = heard

    def post_events(self) -> Response:
        """Takes one event or a batch; good events of a bad batch are stored."""
        caller = self._require("events")
        document = bot_body.document()
        parsed = parse_request(document)
        self._quotas.take(caller, len(parsed.items))
        results = self._accept(caller.source_id, parsed.items)
        self._heard(caller, parsed.items, results)
        if parsed.batch:
            body, status = bot_answers.batch(document["events"], results, request.path)
            return _json(body, status)
        result = results[0]
        if isinstance(result, Problem):
            raise result
        return _json(*bot_answers.single(result))

    def get_events(self) -> Response:
        """What admins did in the caller's threads, after a cursor."""
        caller = self._require("read")
        limit = _whole_number("limit", LIMIT_DEFAULT, 1, LIMIT_MAX)
        # An empty cursor is none: "?after=" begins with the oldest that is kept.
        after = request.args.get("after") or None
        return _json(self._outbox.read(caller.source_id, after, limit), 200)

    def get_thread(self, name: str) -> Response:
        """The row of one of the caller's own threads, by the caller's own ids."""
        caller = self._require("read")
        with self._database.read() as connection:
            id = threads.id_of(connection, caller.source_id, name)
            row = threads.rows(connection, [id]).get(id) if id is not None else None
        if row is None:
            raise NotFound("There is no such thread.")
        if row["customer"] is not None:
            row["customer"]["id"] = row["customer"]["id"].removeprefix(f"{caller.source}/")
        return _json(row, 200)

    def get_list(self, page: str, sort: str) -> Response:
        """A list of the whole desk, a part at a time."""
        self._require("read")
        limit = _whole_number("limit", LIMIT_DEFAULT, 1, LIMIT_MAX)
        # An empty cursor is none: "?cursor=" begins at the head.
        cursor = request.args.get("cursor") or None
        return _json(self._lists.walk(page, sort, limit, cursor), 200)

    def count(self, response: Response) -> Response:
        self._metrics.count_answer(request.method, response.status_code)
        return response

    def _require(self, scope: str):
        return self._callers.require(request.headers.get("Authorization"), scope)

    def _accept(
        self, source_id: int, items: Sequence[ParsedEvent | Problem]
    ) -> list[Outcome | Problem]:
        good = [item for item in items if isinstance(item, ParsedEvent)]
        with self._metrics.time_accepting():
            outcomes: Iterator[Outcome] = iter(self._intake.accept(source_id, good) if good else ())
        results = [item if isinstance(item, Problem) else next(outcomes) for item in items]
        statuses = ("rejected" if isinstance(each, Problem) else each.status for each in results)
        for status, count in Counter(statuses).items():
            self._metrics.count_event(status, count)
        return results


def blueprint(
    database: Database,
    intake: Intake,
    ranking: Ranking,
    callers: Callers,
    metrics: Metrics,
    clock: Callable[[], int],
    quotas: Quotas | None = None,
    heard: Heard = _nobody,
) -> Blueprint:
    """The bot API's routes below /api/v1."""
    api = BotApi(database, intake, ranking, callers, quotas or Quotas(), metrics, clock, heard)
    made = Blueprint("bot_api", __name__, url_prefix="/api/v1")
    routes: tuple[tuple[str, str, Callable[..., Response]], ...] = (
        ("POST", "/events", api.post_events),
        ("GET", "/events", api.get_events),
        ("GET", "/threads/<name>", api.get_thread),
        ("GET", "/lists/<page>/<sort>", api.get_list),
    )
    for method, rule, view in routes:
        made.add_url_rule(rule, view_func=view, methods=[method], endpoint=view.__name__)
    made.after_request(api.count)
    return made


def _json(body: Any, status: int, headers: dict[str, str] | None = None) -> Response:
    told = {"Content-Type": "application/json", "Cache-Control": "no-store"} | (headers or {})
    return Response(json.dumps(body), status, told)


def _whole_number(name: str, default: int, low: int, high: int) -> int:
    """A number of the query string. Raises Invalid."""
    text = request.args.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.removeprefix("-").isdigit()):
        raise one(f"/{name}", "wrong_type", "must be a whole number, written with digits only")
    if len(text) > _DIGITS_MAX or not low <= int(text) <= high:
        raise one(f"/{name}", "number_out_of_range", f"must be {low} to {high}")
    return int(text)
