"""Invites people to create their own accounts, and creates the account when a link is used."""

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import admins, invitations
from dashboard.db.accounts.admins import EmailTaken
from dashboard.db.accounts.invitations import Draft, Invitation
from dashboard.db.audit import Actor, Target, add
from dashboard.db.database import Database
from dashboard.errors import NotFound, Problem
from dashboard.ingest.accounts.accounts import check_desks, note_withdrawn, require_supervisor
from dashboard.ingest.accounts.notes import account_created


class InvitationOver(Problem):
    """404 for an unknown link, 410 for one that was valid. `reason` says why: unknown, used,
    withdrawn or expired."""

    def __init__(self, reason: str):
        status = 404 if reason == "unknown" else 410
        super().__init__(status, "invitation_over", "This invitation cannot be used.")
        self.reason = reason


class Joined(NamedTuple):
    """The account that was created."""

    admin_id: int
    email: str


class Invitations:
    """Invitations, for supervisors and for people with a link; `clock` gives milliseconds."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def create(self, by: Actor, draft: Draft) -> tuple[Invitation, str]:
        """Creates an invitation, and returns it with its token, which cannot be read again.

        An earlier one for the same address ends. Raises EmailTaken for an address that an account
        has, Invalid for an unknown desk, Problem (403).
        """
        assert by.admin_id is not None, "supervisors invite, in the page"
        admin_id, now = by.admin_id, self._clock()

        def write(connection: Connection) -> tuple[Invitation, str]:
            require_supervisor(connection, by)
            check_desks(connection, draft.desks)
            if admins.by_email(connection, draft.email) is not None:
                raise EmailTaken()
            made, token = invitations.create(connection, draft, admin_id, now)
            said = {
                "name": made.name,
                "role": made.role,
                "desks": sorted(made.desks),
                "expires_at": made.expires_at,
            }
            target = Target(made.id, made.email)
            add(connection, now, by, audit.INVITATION_CREATED, target, said)
            return made, token

        return self._database.write(write)

    def withdraw(self, by: Actor, invitation_id: int) -> None:
        """Ends an invitation that can be used. Raises NotFound, Problem (403)."""

        def write(connection: Connection) -> None:
            require_supervisor(connection, by)
            now = self._clock()
            ended = invitations.withdraw(connection, invitation_id, now)
            if ended is None:
                raise NotFound("There is no such invitation.")
            note_withdrawn(connection, now, by, ended)

        self._database.write(write)

    def of(self, token: str) -> Invitation:
        """Returns the invitation of a link that can be used. Raises InvitationOver."""
        with self._database.read() as connection:
            return self._usable(connection, token)

    def accept(self, token: str, name: str, password_hash: str, by: Actor) -> Joined:
        """Creates the account and ends the invitation, in one transaction: of several uses of a
        link at the same time one succeeds. `by` has no account yet. Raises InvitationOver."""

        def write(connection: Connection) -> Joined:
            found = self._usable(connection, token)
            now = self._clock()
            given = (found.email, name, found.role, password_hash, now, found.desks)
            try:
                admin_id = admins.create(connection, *given)
            except EmailTaken:
                # A command has created the account meanwhile.
                raise InvitationOver("used") from None
            invitations.mark_used(connection, found.id, now)
            new = by._replace(admin_id=admin_id, name=name, email=found.email)
            used = Target(found.id, found.email)
            add(connection, now, new, audit.INVITATION_ACCEPTED, used)
            made = Target(admin_id, found.email)
            account_created(connection, now, new, made, name, found.role, found.desks, "invitation")
            return Joined(admin_id, found.email)

        return self._database.write(write)

    def _usable(self, connection: Connection, token: str) -> Invitation:
        found = invitations.by_token(connection, token)
        if found is None:
            raise InvitationOver("unknown")
        if found.used_at is not None:
            raise InvitationOver("used")
        if found.withdrawn_at is not None:
            raise InvitationOver("withdrawn")
        if found.expires_at <= self._clock():
            raise InvitationOver("expired")
        return found
