"""What the calls of the audit log answer."""

from typing import Annotated, Any, Literal

from pydantic import Field

from dashboard.db.audit.actors import VIAS
from dashboard.web.http.schemas import Answer, Milliseconds


class AuditActor(Answer):
    """Who did it, as of then. Without `admin_id`: whoever ran a command, or nobody known."""

    via: Literal[VIAS]  # type: ignore[valid-type]
    admin_id: int | None
    name: str
    email: str | None
    address: Annotated[str, Field(description="An IP address; of a command, the machine.")]
    user_agent: str


class AuditTarget(Answer):
    """What it was done to, as of then."""

    kind: str
    id: str | None
    name: str


class AuditEntry(Answer):
    """One act. A value of `data` that changed is `{"from", "to"}`."""

    id: int
    at: Milliseconds
    action: str
    actor: AuditActor
    target: AuditTarget
    data: dict[str, Any]


class AuditEntries(Answer):
    """A part of the audit log, newest first; `next` is the cursor of what is older."""

    entries: list[AuditEntry]
    next: str | None


class AuditExport(Answer):
    """A part of a file, newest first; `next` is the cursor of the part behind it."""

    text: str
    entries: int
    next: str | None
