"""The answers of the bot API to posted events, made from their outcomes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dashboard.errors import FieldError, Problem
from dashboard.ingest.outcomes import Outcome
from dashboard.validation.fields import ID_MAX

_ID = re.compile(rf"[A-Za-z0-9._:-]{{1,{ID_MAX}}}")


def single_result(outcome: Outcome) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Body, status and headers for one event. Raises the outcome's problem."""
    if outcome.problem is not None:
        raise outcome.problem
    if outcome.status == "duplicate":
        return _stored(outcome), 200, {"Idempotent-Replay": "true"}
    return _stored(outcome), 201, {}


def batch_results(
    entries: Sequence[Any], outcomes: Sequence[Outcome | Problem], instance: str
) -> tuple[dict[str, Any], int]:
    """Body and status for a batch: `entries` as posted, the outcome of each, the path called."""
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
    """Ingest does not know the event's index in the batch: its pointers get it here."""
    if error.pointer.startswith(prefix):
        return error
    return replace(error, pointer=prefix + error.pointer)


def _stored(outcome: Outcome) -> dict[str, Any]:
    result: dict[str, Any] = {"status": outcome.status, "id": outcome.id}
    return result if outcome.thread_id is None else result | {"thread_id": outcome.thread_id}


def _valid_id(entry: Any) -> str | None:
    """The id of a rejected event; None where it has no valid one."""
    id = entry.get("id") if isinstance(entry, dict) else None
    return id if isinstance(id, str) and _ID.fullmatch(id) else None
