"""What the bot API answers to posted events."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dashboard.errors import FieldError, Problem
from dashboard.intake.fields import ID_MAX
from dashboard.intake.outcomes import Outcome

_ID = re.compile(rf"[A-Za-z0-9._:-]{{1,{ID_MAX}}}")


def single(outcome: Outcome) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Body, status and headers for one event. Raises the outcome's problem."""
    if outcome.problem is not None:
        raise outcome.problem
    if outcome.status == "duplicate":
        return _told(outcome), 200, {"Idempotent-Replay": "true"}
    return _told(outcome), 201, {}


def batch(
    entries: Sequence[Any], results: Sequence[Outcome | Problem], instance: str
) -> tuple[dict[str, Any], int]:
    """Body and status for a batch; `entries` as posted, with what became of each."""
    told = [
        {"index": index} | _one_of_batch(index, entry, result, instance)
        for index, (entry, result) in enumerate(zip(entries, results, strict=True))
    ]
    rejected = sum(result["status"] == "rejected" for result in told)
    status = 200 if not rejected else 422 if rejected == len(told) else 207
    return {"results": told}, status


def _one_of_batch(
    index: int, entry: Any, result: Outcome | Problem, instance: str
) -> dict[str, Any]:
    problem = result if isinstance(result, Problem) else result.problem
    if problem is None:
        assert isinstance(result, Outcome)
        return _told(result)
    errors = [_in_batch(error, f"/events/{index}") for error in problem.errors]
    told = Problem(problem.status, problem.code, problem.detail, errors)
    return {"status": "rejected", "id": _id(entry), "problem": told.body(instance)}


def _in_batch(error: FieldError, prefix: str) -> FieldError:
    """What recording refuses does not know where in the batch it stood."""
    if error.pointer.startswith(prefix):
        return error
    return replace(error, pointer=prefix + error.pointer)


def _told(outcome: Outcome) -> dict[str, Any]:
    told: dict[str, Any] = {"status": outcome.status, "id": outcome.id}
    return told if outcome.thread_id is None else told | {"thread_id": outcome.thread_id}


def _id(entry: Any) -> str | None:
    """The id of a refused event, where it has one."""
    id = entry.get("id") if isinstance(entry, dict) else None
    return id if isinstance(id, str) and _ID.fullmatch(id) else None
