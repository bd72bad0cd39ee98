"""Bodies of the requests about accounts and invitations."""

from typing import Annotated, Literal

from pydantic import Field, StrictInt

from dashboard.db.accounts.admins import ROLES
from dashboard.db.accounts.desks import MAIN
from dashboard.validation.accounts import AccountName, Email
from dashboard.validation.fields import INTEGER_MAX, DeskName, Partial, Strict

#: Most desks of an account.
DESKS_MAX = 200
Role = Literal[ROLES]  # type: ignore[valid-type]
DeskNames = Annotated[list[DeskName], Field(min_length=1, max_length=DESKS_MAX)]
#: That of the account that was read: where it is another by now, nothing is changed.
ChangedAt = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]


class AccountRequest(Partial):
    """What an account is to be; what is left out stays."""

    role: Role | None = None
    desks: DeskNames | None = None
    name: AccountName | None = None
    changed_at: ChangedAt | None = None


class AccountStateRequest(Strict):
    """Whether the account is disabled, the URL says."""

    changed_at: ChangedAt | None = None


class InvitationRequest(Strict):
    """Who is invited, and what the account is to be; without `name` the person says it."""

    email: Email
    name: AccountName | None = None
    role: Role
    desks: DeskNames = Field([MAIN])
