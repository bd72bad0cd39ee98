"""What the calls of accounts and invitations answer."""

from typing import Annotated

from pydantic import Field

from dashboard.web.admin.accounts.requests import Role
from dashboard.web.http.schemas import Absent, Answer, Milliseconds, Problem


class Account(Answer):
    """An account; `desks` are those that are chosen: a supervisor sees all the same."""

    id: int
    email: str
    name: str
    role: Role
    desks: list[str]
    second_factor: Annotated[bool, Field(description="Whether signing in asks for a code.")]
    disabled_at: Milliseconds | None
    changed_at: Milliseconds


class ListedAccount(Account):
    """An account, with whether the admin is here.

    `releasing`: how many threads a disabled account has still, which are being released.
    """

    status: Annotated[
        str | None, Field(description="Such as `online`; null while presence is not available.")
    ]
    last_seen_at: Annotated[Milliseconds | None, Field(description="Null: never seen.")]
    releasing: int


class Invitation(Answer):
    """An invitation that can be used; `name` is null where the person is to say it."""

    id: int
    email: str
    name: str | None
    role: Role
    desks: list[str]
    created_by: int
    created_at: Milliseconds
    expires_at: Milliseconds


class Accounts(Answer):
    """All accounts by name, the invitations that can be used, the newest first, and all desks."""

    accounts: list[ListedAccount]
    invitations: list[Invitation]
    desks: list[str]


class ChangedAccount(Answer):
    """The account as it is now, and how many threads are released.

    `remaining` of them are released after the answer, which waits for 5 s at most.
    """

    account: Account
    released: int
    remaining: int


class NewInvitation(Answer):
    """An invitation with its link, which cannot be read again."""

    invitation: Invitation
    link: str


class AccountProblem(Problem):
    """With `changed_meanwhile`: the account as it is now."""

    account: Account = Absent
