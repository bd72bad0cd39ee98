"""`POST /events`: takes the events that chatbots report."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from flask import Response, request

from dashboard.db.accounts.api_keys import Caller
from dashboard.errors import FieldError, Problem
from dashboard.ingest.ingest import Ingest
from dashboard.ingest.outcomes import Outcome
from dashboard.ingest.schema import BATCH_MAX, Batch, Event, ParsedEvent, parse_request
from dashboard.rate_limits import event_quota
from dashboard.shared_limits.buckets import SharedLimiter
from dashboard.validation.fields import ID_MAX
from dashboard.web.bot.responses import BatchResults, Result
from dashboard.web.http.bodies import beside_others, document
from dashboard.web.http.metrics.registry import Metrics
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import Documented, route

_ID = re.compile(rf"[A-Za-z0-9._:-]{{1,{ID_MAX}}}")


def single_result(outcome: Outcome) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Returns body, status and headers for one event. Raises the outcome's problem."""
    if outcome.problem is not None:
        raise outcome.problem
    if outcome.status == "duplicate":
        return _stored(outcome), 200, {"Idempotent-Replay": "true"}
    return _stored(outcome), 201, {}


def batch_results(
    entries: Sequence[Any], outcomes: Sequence[Outcome | Problem], instance: str
) -> tuple[dict[str, Any], int]:
    """Returns body and status for a batch: `entries` as posted, their outcomes, the path called."""
    results = [
        {"index": index} | _batch_entry(index, entry, outcome, instance)
        for index, (entry, outcome) in enumerate(zip(entries, outcomes, strict=True))
    ]
    rejected = sum(result["status"] == "rejected" for result in results)
    status = 200 if not rejected else 422 if rejected == len(results) else 207
    return {"results": results}, status


def _batch_entry(
    index: int, entry: Any, outcome: Outcome | Problem, instance: str
) -> dict[str, Any]:
    problem = outcome if isinstance(outcome, Problem) else outcome.problem
    if problem is None:
        assert isinstance(outcome, Outcome)
        return _stored(outcome)
    errors = [_in_batch(error, f"/events/{index}") for error in problem.errors]
    rejected = Problem(problem.status, problem.code, problem.detail, errors)
    return {"status": "rejected", "id": _valid_id(entry), "problem": rejected.body(instance)}


def _in_batch(error: FieldError, prefix: str) -> FieldError:
    """Adds the event's place in the batch to a pointer, since ingest does not know it."""
    if error.pointer.startswith(prefix):
        return error
    return replace(error, pointer=prefix + error.pointer)


def _stored(outcome: Outcome) -> dict[str, Any]:
    result: dict[str, Any] = {"status": outcome.status, "id": outcome.id}
    return result if outcome.thread_id is None else result | {"thread_id": outcome.thread_id}


def _valid_id(entry: Any) -> str | None:
    """Returns the id of a rejected event; None if it has no valid one."""
    id = entry.get("id") if isinstance(entry, dict) else None
    return id if isinstance(id, str) and _ID.fullmatch(id) else None


#: Called after each request, with its events and their outcomes.
OnEvents = Callable[[Caller, Sequence[ParsedEvent | Problem], Sequence[Outcome | Problem]], None]

_EXAMPLE = {
    "id": "m-1001",
    "type": "message",
    "thread": "t-42",
    "occurred_at": "2026-11-20T10:00:00.123Z",
    "customer": {"id": "c-7", "name": "Mai", "member_status": 2, "locale": "vi"},
    "role": "client",
    "body": "Xin chào",
}


class EventsApi:
    """Takes events, singly or in batches, within the quota of the caller's key."""

    def __init__(
        self, ingest: Ingest, rate_limiter: SharedLimiter, metrics: Metrics, on_events: OnEvents
    ):
        self._ingest = ingest
        self._rate_limiter = rate_limiter
        self._metrics = metrics
        self._on_events = on_events

    @route(
        "POST",
        "/events",
        "postEvents",
        scope="events",
        summary=f"Post one event, or a batch of up to {BATCH_MAX}",
        description="Good events of a bad batch are stored; every result of a batch says what "
        "became of its event.",
        body=(Event, Batch),
        reads_body=False,
        example=_EXAMPLE,
        answers={
            200: Documented(
                "A duplicate, or a batch without any rejected event.", (Result, BatchResults)
            ),
            201: Documented("The event was recorded.", (Result,)),
            207: Documented("A batch with some rejected events.", (BatchResults,)),
            422: Documented("For a batch: every event is rejected.", (BatchResults,)),
        },
        problems=(409, 410, 429),
    )
    def post_events(self, caller: Caller) -> Response:
        """Takes one event or a batch; good events of a bad batch are stored."""
        posted = document()
        parsed = beside_others(parse_request, posted)
        if caller.rate_per_second is not None:
            quota = event_quota(caller.rate_per_second)
            self._rate_limiter.require(quota, f"events|{caller.key_id}", len(parsed.items))
        outcomes = self._accept(caller.source_id, parsed.items)
        self._on_events(caller, parsed.items, outcomes)
        if parsed.batch:
            results = (batch_results, posted["events"], outcomes, request.path)
            return json_response(*beside_others(*results))
        outcome = outcomes[0]
        if isinstance(outcome, Problem):
            raise outcome
        return json_response(*single_result(outcome))

    def _accept(
        self, source_id: int, items: Sequence[ParsedEvent | Problem]
    ) -> list[Outcome | Problem]:
        good = [item for item in items if isinstance(item, ParsedEvent)]
        with self._metrics.time_accepting():
            accepted: Iterator[Outcome] = iter(self._ingest.accept(source_id, good) if good else ())
        outcomes = [item if isinstance(item, Problem) else next(accepted) for item in items]
        statuses = ("rejected" if isinstance(each, Problem) else each.status for each in outcomes)
        for status, count in Counter(statuses).items():
            self._metrics.count_event(status, count)
        return outcomes
