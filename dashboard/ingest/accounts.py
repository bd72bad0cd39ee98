"""Accounts of admins, invitations, and keys of chatbots: their changes, with entries of the audit
log."""

import logging
import time
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from sqlalchemy import Connection

from dashboard.db import audit
from dashboard.db.accounts import (
    admin_desks,
    admins,
    api_keys,
    invitations,
    oidc_accounts,
    sources,
    team,
)
from dashboard.db.accounts.admins import SUPERVISOR, Admin, EmailTaken
from dashboard.db.accounts.api_keys import ApiKeyInfo, NewKey
from dashboard.db.accounts.invitations import Draft, Invitation
from dashboard.db.accounts.team import Account
from dashboard.db.audit import PAGE, Actor, Target, account_created, add, changes, key_created
from dashboard.db.database import Database
from dashboard.db.lists import views
from dashboard.db.queues import admins as queue_admins
from dashboard.db.queues import definitions
from dashboard.errors import ChangedMeanwhile, NotFound, Problem
from dashboard.ingest.recorder import Recorder
from dashboard.ingest.releases import left_of, release_all_of, renew_rows_of
from dashboard.ordering.placer import Placer
from dashboard.validation.field_errors import field_error
from dashboard.webhooks.dispatcher import Spawn, spawn_thread
from scoring.placing import Placement

log = logging.getLogger(__name__)

#: A call of the page releases threads for this long, and leaves the rest to the background.
RELEASING_SECONDS = 5.0


class Changes(NamedTuple):
    """New values of an account; None: unchanged. `changed_at`: its value as the caller read it."""

    role: str | None = None
    desks: Collection[str] | None = None
    name: str | None = None
    changed_at: int | None = None
    capacity: int | None = None
    email: str | None = None


class Changed(NamedTuple):
    """The changed account, the number of all threads to release, and the number of those that are
    released only after the call."""

    account: Account
    released: int
    remaining: int = 0


_NOTED = {
    "role": audit.ACCOUNT_ROLE_CHANGED,
    "desks": audit.ACCOUNT_DESKS_CHANGED,
    "name": audit.ACCOUNT_CHANGED,
    "email": audit.ACCOUNT_CHANGED,
    "capacity": audit.ACCOUNT_CAPACITY_CHANGED,
}


class Accounts:
    """Changes accounts, for supervisors in the page and for operators by commands.

    `by` is the actor in the audit log. In the page the actor must be a supervisor at the time of
    the write, cannot take the role from the last enabled supervisor, and cannot disable their own
    account; commands have no such limits. The threads of an account are released after the commit,
    in slices; repeat an interrupted call to complete it.
    """

    def __init__(
        self,
        database: Database,
        placer: Placer,
        clock: Callable[[], int],
        on_released: Callable[[], object] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
        spawn: Spawn = spawn_thread,
    ):
        """`on_released()` is called after threads were released, since events for chatbots wait.

        `spawn(function, *arguments)` runs a function in the background.
        """
        self._database = database
        self._placer = placer
        self._clock = clock
        self._on_released = on_released
        self._monotonic = monotonic
        self._spawn = spawn

    def change(self, by: Actor, account_id: int, edit: Changes) -> Changed:
        """Sets name, role, desks, capacity and e-mail address. Sessions go on; requests and sockets
        follow the new rights. Only another address ends them.

        Threads at desks that the admin does not see any more are released. Raises NotFound, Invalid
        for an unknown desk, EmailTaken, Problem (403, 409).
        """
        now = self._clock()

        def write(connection: Connection) -> tuple[Account, Collection[str] | None, bool]:
            known = admins.by_id(connection, account_id)
            if known is not None and edit.email not in (None, known.email):
                views.lock_for_addresses(connection)
            if edit.capacity is not None:
                definitions.lock(connection)
            before = _locked(connection, by, account_id, edit.changed_at)
            old = team.described(connection, before)
            if edit.desks is not None:
                check_desks(connection, edit.desks)
                admin_desks.save(connection, account_id, edit.desks)
            if edit.capacity is not None:
                queue_admins.put(connection, account_id, capacity=edit.capacity)
            values = {"role": edit.role or before.role, "name": edit.name or before.name}
            if before.role == SUPERVISOR and values["role"] != SUPERVISOR:
                if by.via == PAGE and before.disabled_at is None:
                    _require_another(connection, account_id)
                withdraw_all_of(connection, now, by, account_id)
            admins.change(connection, account_id, values, now)
            if edit.email not in (None, before.email):
                _set_email(connection, by, before, edit.email, now)
            account = _described(connection, account_id)
            _note_changes(connection, now, by, old, account)
            seen = admin_desks.seen_by(connection, {account_id: values["role"]})[account_id]
            return account, seen, values["name"] != before.name

        account, seen, is_renamed = self._database.write(write)
        if is_renamed:
            for placements in renew_rows_of(self._database, account_id, now):
                self._placer.place(placements)
        return Changed(account, *((0, 0) if seen is None else self._release(by, account_id, seen)))

    def disable(self, by: Actor, account_id: int, changed_at: int | None = None) -> Changed:
        """Ends all sessions at once, and releases all threads. A disabled account stays disabled.
        Raises NotFound, Problem (403, 409)."""
        now = self._clock()

        def write(connection: Connection) -> Account:
            views.begin_change(connection)
            before = _locked(connection, by, account_id, changed_at)
            if by.via == PAGE and before.disabled_at is None:
                if before.role == SUPERVISOR:
                    _require_another(connection, account_id)
                if by.admin_id == account_id:
                    raise Problem(409, "own_account", "Another supervisor disables this account.")
            if before.disabled_at is None:
                admins.disable(connection, account_id, now)
                views.release_of(connection, account_id, now)
                withdraw_all_of(connection, now, by, account_id)
                add(connection, now, by, audit.ACCOUNT_DISABLED, _target(before))
            return _described(connection, account_id)

        account = self._database.write(write)
        return Changed(account, *self._release(by, account_id))

    def enable(self, by: Actor, account_id: int, changed_at: int | None = None) -> Changed:
        """Lets the admin sign in again, with the earlier password. Raises as `disable`."""
        now = self._clock()

        def write(connection: Connection) -> Account:
            views.begin_change(connection)
            before = _locked(connection, by, account_id, changed_at)
            if before.disabled_at is not None:
                admins.change(connection, account_id, {"disabled_at": None}, now)
                views.keep_of(connection, account_id)
                add(connection, now, by, audit.ACCOUNT_ENABLED, _target(before))
            return _described(connection, account_id)

        return Changed(self._database.write(write), 0)

    def _release(
        self, by: Actor, account_id: int, kept_at: Collection[str] = ()
    ) -> tuple[int, int]:
        """Releases threads, open ones first; a call of the page leaves what remains after
        `RELEASING_SECONDS` to the background. Returns the number of threads, and of those left."""
        slices = release_all_of(self._database, account_id, self._clock(), kept_at)
        until = self._monotonic() + RELEASING_SECONDS if by.via == PAGE else float("inf")
        released, is_complete = self._release_until(slices, until)
        if is_complete:
            return released, 0
        with self._database.read() as connection:
            remaining = left_of(connection, [account_id], kept_at)[account_id]
        self._spawn(self._release_rest, slices, account_id)
        return released + remaining, remaining

    def _release_until(
        self, slices: Iterator[list[Placement]], until: float = float("inf")
    ) -> tuple[int, bool]:
        """Releases until this time. Returns the number of threads, and whether all are released."""
        released, is_complete = 0, True
        for placements in slices:
            self._placer.place(placements)
            released += len(placements)
            if self._monotonic() >= until:
                is_complete = False
                break
        if released:
            self._placer.save_placed_revisions()
            self._on_released()
        return released, is_complete

    def _release_rest(self, slices: Iterator[list[Placement]], account_id: int) -> None:
        try:
            self._release_until(slices)
        except Exception:
            log.exception("account %d still has threads: save it again to release them", account_id)


def check_desks(connection: Connection, names: Collection[str]) -> None:
    """Raises Invalid if one of these is not a desk."""
    unknown = sorted(admin_desks.unknown(connection, names))
    if unknown:
        raise field_error("/desks", "unknown_value", f"holds “{unknown[0]}”, which is not a desk")


def require_supervisor(connection: Connection, by: Actor) -> None:
    """Raises Problem (403) if the actor in the page is no enabled supervisor. The actor stays one
    until the transaction ends."""
    if by.via == PAGE and by.admin_id not in admins.lock_supervisors(connection):
        raise Problem(403, "forbidden", "Only supervisors may do this.")


def note_withdrawn(connection: Connection, now_ms: int, by: Actor, ended: Invitation) -> None:
    """Adds the end of an invitation to the audit log."""
    target = Target(ended.id, ended.email)
    add(connection, now_ms, by, audit.INVITATION_REVOKED, target)


def _locked(connection: Connection, by: Actor, account_id: int, changed_at: int | None) -> Admin:
    """Returns the account, locked; for an actor in the page all enabled supervisors, too."""
    require_supervisor(connection, by)
    admin = admins.lock_for_change(connection, account_id)
    if admin is None:
        raise NotFound("There is no such account.")
    if changed_at not in (None, admin.changed_at):
        raise ChangedMeanwhile("the account", account=team.described(connection, admin))
    return admin


def _set_email(connection: Connection, by: Actor, before: Admin, email: str, now_ms: int) -> None:
    if by.via == PAGE:
        oidc_accounts.require_own_email(connection, before.id)
        if by.admin_id == before.id:
            detail = "Change your own address on your profile, with your password."
            raise Problem(409, "own_email", detail)
    admins.set_email(connection, before.id, email, now_ms)
    views.follow_addresses(connection, [before.email, email], now_ms)


def _require_another(connection: Connection, account_id: int) -> None:
    if admins.lock_supervisors(connection) <= {account_id}:
        raise Problem(409, "last_supervisor", "There is no other enabled supervisor.")


def withdraw_all_of(connection: Connection, now_ms: int, by: Actor, account_id: int) -> None:
    """Ends the invitations of an admin who may invite nobody any more."""
    for ended in invitations.withdraw_of(connection, account_id, now_ms):
        note_withdrawn(connection, now_ms, by, ended)


def _note_changes(
    connection: Connection, now_ms: int, by: Actor, before: Account, after: Account
) -> None:
    """Adds one entry each for role, desks, name, address and capacity, if they differ."""
    target = Target(after["id"], after["email"])
    differences = changes(before, after)
    for field, action in _NOTED.items():
        if field in differences:
            add(connection, now_ms, by, action, target, {field: differences[field]})


def _target(admin: Admin) -> Target:
    return Target(admin.id, admin.email)


def _described(connection: Connection, account_id: int) -> Account:
    admin = admins.by_id(connection, account_id)
    assert admin is not None, "accounts are never deleted"
    return team.described(connection, admin)


class InvitationOver(Problem):
    """404 for an unknown link, 410 for one that was valid. `reason` says why: unknown, used,
    withdrawn or expired."""

    def __init__(self, reason: str):
        status = 404 if reason == "unknown" else 410
        super().__init__(status, "invitation_over", "This invitation cannot be used.")
        self.reason = reason


class Joined(NamedTuple):
    """The account that was created, and the token of its first session."""

    admin_id: int
    email: str
    token: str


#: Begins a session: called with the transaction, the time (ms) and the id of an admin; returns the
#: token.
BeginSession = Callable[[Connection, int, int], str]


class Invitations:
    """Invitations, for supervisors and for people with a link; `clock` gives milliseconds."""

    def __init__(self, database: Database, clock: Callable[[], int]):
        self._database = database
        self._clock = clock

    def create(self, by: Actor, draft: Draft) -> tuple[Invitation, str]:
        """Creates an invitation, and returns it with its token, which cannot be read again.

        An earlier invitation for the same address ends. Raises EmailTaken if an account has the
        address, Invalid for an unknown desk, Problem (403).
        """
        assert by.admin_id is not None, "supervisors invite, in the page"
        admin_id, now = by.admin_id, self._clock()

        def write(connection: Connection) -> tuple[Invitation, str]:
            require_supervisor(connection, by)
            check_desks(connection, draft.desks)
            if admins.by_email(connection, draft.email) is not None:
                raise EmailTaken()
            invitation, token = invitations.create(connection, draft, admin_id, now)
            details = {
                "name": invitation.name,
                "role": invitation.role,
                "desks": sorted(invitation.desks),
                "expires_at": invitation.expires_at,
            }
            target = Target(invitation.id, invitation.email)
            add(connection, now, by, audit.INVITATION_CREATED, target, details)
            return invitation, token

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
        """Returns the invitation of a link. Raises InvitationOver if the link cannot be used."""
        with self._database.read() as connection:
            return self._usable(connection, token)

    def accept(
        self, token: str, name: str, password_hash: str, by: Actor, begin: BeginSession
    ) -> Joined:
        """Creates the account, ends the invitation and begins a session, in one transaction: of
        several uses of a link at the same time one succeeds. `by` has no account yet. Raises
        InvitationOver."""

        def write(connection: Connection) -> Joined:
            invitation = self._usable(connection, token)
            now = self._clock()
            email, role, desks = invitation.email, invitation.role, invitation.desks
            try:
                admin_id = admins.create(connection, email, name, role, password_hash, now, desks)
            except EmailTaken:
                # A command has created the account meanwhile.
                raise InvitationOver("used") from None
            views.follow_addresses(connection, [email], now)
            invitations.mark_used(connection, invitation.id, now)
            new = by._replace(admin_id=admin_id, name=name, email=email)
            used = Target(invitation.id, email)
            add(connection, now, new, audit.INVITATION_ACCEPTED, used)
            account = Target(admin_id, email)
            account_created(connection, now, new, account, name, role, desks, "invitation")
            return Joined(admin_id, email, begin(connection, now, admin_id))

        return self._database.write(write)

    def _usable(self, connection: Connection, token: str) -> Invitation:
        invitation = invitations.by_token(connection, token)
        if invitation is None:
            raise InvitationOver("unknown")
        if invitation.used_at is not None:
            raise InvitationOver("used")
        if invitation.withdrawn_at is not None:
            raise InvitationOver("withdrawn")
        if invitation.expires_at <= self._clock():
            raise InvitationOver("expired")
        return invitation


class KeyDraft(NamedTuple):
    """A new key. `handoff`: no thread of the source waits before it is handed over; `desk`: the
    desk of its new threads, None: unchanged; `rate_per_second` limits its events."""

    source: str
    scopes: Collection[str]
    handoff: bool = False
    desk: str | None = None
    rate_per_second: int | None = None


class ApiKeys:
    """API keys, for supervisors in the page and for commands; `clock` gives milliseconds."""

    def __init__(
        self, database: Database, recorder: Recorder, placer: Placer, clock: Callable[[], int]
    ):
        self._database = database
        self._recorder = recorder
        self._placer = placer
        self._clock = clock
        #: The result of `refolded` at the last look.
        self._refolded = dict[int, int]()

    def listing(self) -> list[ApiKeyInfo]:
        """Returns all keys, the oldest first."""
        with self._database.read() as connection:
            return api_keys.listing(connection)

    def create(self, by: Actor, draft: KeyDraft) -> NewKey:
        """Adds the key, and its source and desk if they are missing. Call `refold` after it for a
        draft with `handoff`. Raises StartError for a name that no source may have."""
        now = self._clock()

        def write(connection: Connection) -> NewKey:
            source_id = sources.ensure(connection, draft.source, now)
            if draft.desk is not None:
                if admin_desks.add(connection, draft.desk, now):
                    add(connection, now, by, audit.DESK_CREATED, Target(None, draft.desk))
                sources.set_desk(connection, source_id, draft.desk)
            if draft.handoff:
                sources.set_handoff_only(connection, source_id)
                sources.set_refolded(connection, source_id, 0)
            new_key = api_keys.add(connection, source_id, draft.scopes, draft.rate_per_second, now)
            key_created(connection, now, by, new_key.key, *draft)
            return new_key

        return self._database.write(write)

    def refold(self, source: str) -> None:
        """Computes the facts of a source's threads again, by its current setting of handoffs."""
        with self._database.read() as connection:
            source_id = sources.named(connection, source)
        if source_id is not None:
            self._refold(source_id)

    def _refold(self, source_id: int, after_id: int = 0) -> None:
        for placements in self._recorder.refold(source_id, after_id):
            self._placer.place(placements)

    def finish_refolds(self) -> None:
        """Goes on with each `refold` that has stood still since the last call, because its process
        has ended."""
        with self._database.read() as connection:
            before, self._refolded = self._refolded, sources.refolded(connection)
        for source_id, thread_id in self._refolded.items():
            if before.get(source_id) == thread_id:
                self._refold(source_id, thread_id)

    def revoke(self, by: Actor, key_id: int) -> None:
        """Revokes a key by the id of its row: every worker refuses it within a second.

        Raises NotFound.
        """
        if not self._revoke(by, lambda connection: api_keys.by_id(connection, key_id)):
            raise NotFound("There is no such key.")

    def revoke_named(self, by: Actor, key: str) -> bool:
        """Revokes a key, given by its prefix or in full. False for an unknown key."""
        return self._revoke(by, lambda connection: api_keys.find(connection, key))

    def _revoke(self, by: Actor, find: Callable[[Connection], ApiKeyInfo | None]) -> bool:
        """Revokes a key; a revoked one stays as it is. Returns whether it exists."""
        now = self._clock()

        def write(connection: Connection) -> bool:
            key = find(connection)
            if key is not None and key.revoked_at is None:
                details = {"source": key.source}
                add(connection, now, by, audit.KEY_REVOKED, Target(key.prefix), details)
                api_keys.revoke(connection, key.prefix, now)
            return key is not None

        return self._database.write(write)
