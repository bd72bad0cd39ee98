"""The ways to sign in, and the account and session of a person let in by the provider."""

import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flask import Blueprint, current_app, request
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from dashboard.db import audit
from dashboard.db.accounts import admin_desks, admins, oidc_accounts, passwords, sessions
from dashboard.db.accounts.admins import Admin, EmailTaken
from dashboard.db.accounts.oidc_accounts import Signed
from dashboard.db.audit import PROVIDER, Action, Actor, Target, add, changes
from dashboard.db.database import Database
from dashboard.db.lists import views
from dashboard.errors import Problem
from dashboard.ingest.accounts import withdraw_all_of
from dashboard.ingest.releases import release_all_of, renew_rows_of
from dashboard.oidc import Person
from dashboard.ordering.placer import Placer
from dashboard.settings import Grant
from dashboard.web.http.audit import signed_in, signing_in
from dashboard.web.http.identity import origin_of

log = logging.getLogger(__name__)

#: Runs a function without stopping the other green threads, and returns its result.
Offload = Callable[..., Any]


class EmailUnverified(Problem):
    def __init__(self) -> None:
        super().__init__(
            403, "email_unverified", "The provider has not verified your e-mail address."
        )


class AccountConflict(Problem):
    def __init__(self) -> None:
        super().__init__(
            403, "account_conflict", "Another person has the account with this e-mail address."
        )


class AccountDisabled(Problem):
    def __init__(self) -> None:
        super().__init__(403, "account_disabled", "This account is disabled.")


class SignedOutMeanwhile(Problem):
    def __init__(self) -> None:
        super().__init__(403, "signed_out_meanwhile", "The provider has signed you out meanwhile.")


class _Begun(NamedTuple):
    """A session, the desks of the threads that its admin sees (None: all), and whether the admin
    has another name now."""

    token: str
    admin_id: int
    seen: admin_desks.Desks
    is_renamed: bool


class ProviderAccounts:
    """Finds, links or creates accounts for the people of one issuer.

    Each sign-in sets name, e-mail address, role and desks to those that the provider gives.
    """

    def __init__(
        self,
        issuer: str,
        database: Database,
        clock: Callable[[], int],
        placer: Placer,
        offload: Offload,
    ):
        self._issuer = issuer
        self._database = database
        self._clock = clock
        self._placer = placer
        self._offload = offload

    def begin_session(self, person: Person, grant: Grant) -> str:
        """Returns the token of a new session of the current request. Raises Problem (403).

        Everything is one transaction. After it threads are released that the admin no longer sees,
        and rows with another name of the admin are sent again.
        """
        # Nobody knows the password of an account that is created here.
        password_hash = self._offload(passwords.hashed, secrets.token_urlsafe(32))
        signed = Signed(self._issuer, person.subject, person.sid, person.issued_at * 1000)

        def write(connection: Connection) -> _Begun:
            if oidc_accounts.is_over(connection, signed):
                raise SignedOutMeanwhile()
            now = self._clock()
            known = oidc_accounts.email_of(connection, self._issuer, person.subject)
            if person.email and known not in (None, person.email):
                views.lock_for_addresses(connection)
            local_grant = self._with_known_desks(connection, grant)
            admin = self._account(connection, person, local_grant, password_hash, now)
            before, admin = admin, _follow(connection, admin, person, local_grant, now)
            if admin.email != before.email:
                views.follow_addresses(connection, [before.email, admin.email], now)
            token = sessions.begin(connection, admin.id, now, origin_of(request))
            oidc_accounts.note_session(connection, sessions.token_hash(token), signed)
            signed_in("oidc")(connection, now, admin.id)
            desks = admin_desks.seen_by(connection, {admin.id: admin.role})[admin.id]
            return _Begun(token, admin.id, desks, admin.name != before.name)

        begun = self._database.write(write)
        if begun.is_renamed:
            for placements in renew_rows_of(self._database, begun.admin_id, self._clock()):
                self._placer.place(placements)
        if begun.seen is not None:
            self._release(begun.admin_id, begun.seen)
        return begun.token

    def _account(
        self, connection: Connection, person: Person, grant: Grant, password_hash: str, now: int
    ) -> Admin:
        """Returns the account of this person; links or creates it at the first sign-in."""
        admin = oidc_accounts.admin_of(connection, self._issuer, person.subject)
        if admin is None:
            if not person.email:
                raise EmailUnverified()
            admin = admins.by_email(connection, person.email)
            if admin is not None:
                admin = admins.lock_for_change(connection, admin.id)
            if admin is not None and oidc_accounts.is_bound(connection, self._issuer, admin.id):
                raise AccountConflict()
            is_new = admin is None
            if admin is None:
                admin = _created(connection, person, grant, password_hash, now)
            if admin.disabled_at is None:
                oidc_accounts.bind(connection, self._issuer, person.subject, admin.id, now)
                if not is_new:
                    _note(connection, now, admin, audit.ACCOUNT_LINKED, {"method": "oidc"})
        if admin.disabled_at is not None:
            raise AccountDisabled()
        return admin

    def _with_known_desks(self, connection: Connection, grant: Grant) -> Grant:
        unknown = admin_desks.unknown(connection, grant.desks)
        if unknown:
            log.warning("LINEUP_OIDC_GROUPS names desks that do not exist: %s", sorted(unknown))
        return grant._replace(desks=grant.desks - unknown)

    def _release(self, admin_id: int, desks: frozenset[str]) -> None:
        released = 0
        for placements in release_all_of(self._database, admin_id, self._clock(), kept_at=desks):
            self._placer.place(placements)
            released += len(placements)
        if released:
            self._placer.save_placed_revisions()


def _created(
    connection: Connection, person: Person, grant: Grant, password_hash: str, now: int
) -> Admin:
    try:
        id = admins.create(
            connection, person.email, person.name, grant.role, password_hash, now, grant.desks
        )
    except EmailTaken:
        # Another sign-in has just created it; the next one links it.
        raise AccountConflict() from None
    views.follow_addresses(connection, [person.email], now)
    admin = Admin(id, person.email, person.name, grant.role)
    details = {"name": admin.name, "role": grant.role, "desks": grant.desks, "method": "oidc"}
    _note(connection, now, admin, audit.ACCOUNT_CREATED, details)
    return admin


def _follow(connection: Connection, admin: Admin, person: Person, grant: Grant, now: int) -> Admin:
    """Updates the account from the provider; never takes an e-mail address of another account."""
    email = person.email or admin.email
    holder = admins.by_email(connection, email)
    if holder is not None and holder.id != admin.id:
        log.warning("admin %s keeps the e-mail address: another account has the new one", admin.id)
        email = admin.email
    followed = admin._replace(email=email, name=person.name, role=grant.role)
    before = {"name": admin.name, "email": admin.email}
    changed = changes(before, {"name": followed.name, "email": followed.email})
    _note_changed(connection, now, followed, audit.ACCOUNT_CHANGED, changed)
    role = changes({"role": admin.role}, {"role": followed.role})
    _note_changed(connection, now, followed, audit.ACCOUNT_ROLE_CHANGED, role)
    if changed or role:
        values = {"name": followed.name, "email": followed.email, "role": followed.role}
        try:
            with connection.begin_nested():
                admins.change(connection, admin.id, values, now)
        except IntegrityError:
            # Another account has just got the address; the next sign-in sees that.
            raise AccountConflict() from None
    if role and admin.role == admins.SUPERVISOR:
        withdraw_all_of(connection, now, _provider(followed), admin.id)
    theirs = admin_desks.of(connection, [admin.id])[admin.id]
    moved = changes({"desks": theirs}, {"desks": grant.desks})
    if moved:
        admin_desks.save(connection, admin.id, grant.desks)
    _note_changed(connection, now, followed, audit.ACCOUNT_DESKS_CHANGED, moved)
    return followed


def _note_changed(
    connection: Connection, now: int, admin: Admin, action: Action, details: Mapping[str, object]
) -> None:
    if details:
        _note(connection, now, admin, action, details)


def _note(
    connection: Connection, now: int, admin: Admin, action: Action, details: Mapping[str, object]
) -> None:
    """Adds an entry to the audit log: the provider did it, when this admin signed in."""
    add(connection, now, _provider(admin), action, Target(admin.id, admin.email), details)


def _provider(admin: Admin) -> Actor:
    """Returns the provider as the actor, at the sign-in of this admin."""
    return signing_in(admin)._replace(via=PROVIDER)


#: The key of the sign-in methods in an application's configuration.
_CONFIG = "LINEUP_SIGN_IN_METHODS"


class SignInMethods(NamedTuple):
    """The ways to sign in. `provider`: the name shown on the sign-in page; "" without one."""

    passwords: bool = True
    provider: str = ""


def install(blueprint: Blueprint, methods: SignInMethods) -> None:
    """Gives these methods to the application in which this blueprint is registered."""
    blueprint.record_once(lambda state: state.app.config.update({_CONFIG: methods}))


def sign_in_methods() -> SignInMethods:
    """Returns the methods of the current request's application."""
    return current_app.config.get(_CONFIG, SignInMethods())


def require_passwords() -> None:
    """Refuses calls that check, set or ask for a password. Raises Problem (403)."""
    if not sign_in_methods().passwords:
        raise Problem(
            403, "password_signin_off", "Accounts sign in with the provider; passwords are off."
        )
