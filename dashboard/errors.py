"""The errors of Lineup: problems for callers (RFC 9457), and reasons why a command cannot run."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Any


class LineupError(Exception):
    """Base class of all errors that Lineup raises."""


class StartError(LineupError):
    """A command cannot start or go on; the message is a sentence for the person who typed it."""


@dataclass(frozen=True)
class FieldError:
    """One error in the input: `pointer` is a JSON pointer (RFC 6901) to its place."""

    pointer: str
    code: str
    detail: str


@dataclass
class Problem(LineupError):
    """An error for the caller: the shape of docs/protocol.md, "Errors".

    `headers` go with the answer, `extra` are members beside the standard ones.
    """

    status: int
    code: str
    detail: str
    errors: Sequence[FieldError] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"

    def body(self, instance: str | None = None) -> dict[str, object]:
        """Returns the `application/problem+json` object; `instance` is the path of the request."""
        body: dict[str, object] = {
            "type": f"/problems/{self.code}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }
        if instance is not None:
            body["instance"] = instance[:200]
        body["errors"] = [asdict(error) for error in self.errors]
        return body | dict(self.extra)


class StorageUnavailable(Problem):
    """SQL cannot be reached, is locked for too long or is full: nothing was stored; try again."""

    def __init__(self, detail: str = "The storage is not available; nothing was stored."):
        super().__init__(503, "storage_unavailable", detail, headers={"Retry-After": "1"})


class OutcomeUnknown(StorageUnavailable):
    """The connection was lost during the COMMIT, and SQL has stored all of it, or nothing; or a
    part of a large batch is stored."""

    def __init__(self) -> None:
        super().__init__("The storage was lost meanwhile: look whether this was stored.")


class NotFound(Problem):
    def __init__(self, detail: str):
        super().__init__(404, "not_found", detail)


class InternalError(Problem):
    """An error that no code expects; it is logged, and the answer says nothing about it."""

    def __init__(self) -> None:
        super().__init__(500, "internal_error", "Something went wrong here; it was logged.")


class CustomerErased(Problem):
    """The request concerns a person who was deleted since. Final: the sender need not try again."""

    def __init__(self, detail: str = "The customer was deleted after this event had occurred."):
        super().__init__(410, "customer_erased", detail)


class ChangedMeanwhile(Problem):
    """409: the caller has seen an older version of the object to change."""

    def __init__(self, what: str, **now: Any):
        """`now` has the current values by their names in the answer."""
        detail = f"Somebody else has changed {what} meanwhile."
        super().__init__(409, "changed_meanwhile", detail, extra=now)


class Invalid(Problem):
    """422: the input can be read but is wrong; `errors` names each error, at least one."""

    def __init__(self, errors: Sequence[FieldError]):
        super().__init__(422, errors[0].code, errors[0].detail, errors)


def quoted(text: object, limit: int = 100) -> str:
    """Quotes input for an error message: at most `limit` characters, none of them a control."""
    shown = "".join(ch if ch.isprintable() else "\N{REPLACEMENT CHARACTER}" for ch in str(text))
    return f"“{shown if len(shown) <= limit else shown[: limit - 1] + '…'}”"
