"""Commands for admins, desks and customers."""

import getpass
import importlib
import secrets
import sys
from collections.abc import Collection

import click
from sqlalchemy import Connection

from dashboard.cli.context import open_database, open_services, operator
from dashboard.cli.params import Desk, Email, Names, Source, command
from dashboard.db import audit
from dashboard.db.accounts import admin_desks, admins, passwords, second_factor, sources
from dashboard.db.accounts.passwords import WeakPassword, require_strong
from dashboard.db.audit import Target, account_created, add
from dashboard.db.database import Database
from dashboard.errors import Problem, StartError
from dashboard.validation.accounts import NAME_MAX_CHARACTERS, is_account_name

GENERATED_BYTES = 12
EMAIL_OPTION = click.option("--email", type=Email(), required=True, help="The admin's address.")
PASSWORD_STDIN_OPTION = click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input."
)


@command("create-admin", example="create-admin --email mai@example.com --name Mai")
@EMAIL_OPTION
@click.option("--name", required=True, help="The name that others see.")
@click.option("--role", type=click.Choice(admins.ROLES), default="admin", show_default=True)
@click.option(
    "--desks",
    "names",
    type=Names(),
    default=admin_desks.MAIN,
    show_default=True,
    help="The admin sees only the threads of these desks; supervisors see all.",
)
@PASSWORD_STDIN_OPTION
def create_admin(email: str, name: str, role: str, names: list[str], password_stdin: bool) -> None:
    """Creates the account; prints its id and e-mail address."""
    with open_database() as storage:
        name = name.strip()
        if not is_account_name(name):
            raise StartError(f"A name has 1 to {NAME_MAX_CHARACTERS} printable characters.")
        password_hash = passwords.hashed(_password(password_stdin, email, name))

        def write(connection: Connection) -> int:
            now = storage.clock()
            _check_desks(connection, names)
            id = admins.create(connection, email, name, role, password_hash, now, names)
            account_created(connection, now, operator(), Target(id, email), name, role, names)
            views = importlib.import_module("dashboard.db.lists.views")
            views.follow_addresses(connection, [email], now)
            return id

        try:
            click.echo(f"{storage.database.write(write)}\t{email}")
        except Problem as problem:
            raise StartError(problem.detail) from problem


@command("list-admins", example="list-admins")
def list_admins() -> None:
    """Prints each admin with the desks that the admin belongs to; supervisors see `all`."""
    with open_database() as storage, storage.database.read() as connection:
        rows = admins.listing(connection)
        theirs = admin_desks.of(connection, [admin.id for admin in rows])
        for admin in rows:
            state = "active" if admin.disabled_at is None else "disabled"
            names = ",".join(sorted(theirs[admin.id]))
            shown = "all" if admin.role == "supervisor" else names
            columns = (str(admin.id), admin.email, admin.name, admin.role, state, shown)
            click.echo("\t".join(columns))


@command(
    "set-desks",
    arguments="Their threads at other desks are released; open pages follow within two seconds.",
    example="set-desks --email mai@example.com --desks main,billing",
)
@EMAIL_OPTION
@click.option(
    "--desks",
    "names",
    type=Names(),
    required=True,
    help="The admin sees only the threads of these desks; supervisors see all.",
)
def set_desks(email: str, names: list[str]) -> None:
    with open_services() as services:
        admin = _admin(services.database, email)
        with services.database.read() as connection:
            _check_desks(connection, names)
        changes = importlib.import_module("dashboard.ingest.accounts").Changes(desks=names)
        released = services.accounts.change(operator(), admin.id, changes).released
        click.echo(f"{email} sees {', '.join(names)}; {released} threads released.", err=True)


@command("set-password", example="set-password --email mai@example.com")
@EMAIL_OPTION
@PASSWORD_STDIN_OPTION
def set_password(email: str, password_stdin: bool) -> None:
    with open_database() as storage:
        database = storage.database
        admin = _admin(database, email)
        password_hash = passwords.hashed(_password(password_stdin, admin.email, admin.name))

        def save(connection: Connection) -> None:
            admins.set_password(connection, admin.id, password_hash)
            target, now = Target(admin.id, admin.email), storage.clock()
            add(connection, now, operator(), audit.ACCOUNT_PASSWORD_CHANGED, target)

        database.write(save)
        click.echo(f"The password of {email} is set; their sessions have ended.", err=True)


@command(
    "set-email",
    arguments="Their sessions end; they sign in with the new address and the same password.",
    example="set-email --email mai@example.com --to mai.tran@example.com",
)
@EMAIL_OPTION
@click.option("--to", "new", type=Email(), required=True, help="The new address.")
def set_email(email: str, new: str) -> None:
    with open_services() as services:
        admin = _admin(services.database, email)
        changes = importlib.import_module("dashboard.ingest.accounts").Changes(email=new)
        try:
            services.accounts.change(operator(), admin.id, changes)
        except Problem as problem:
            raise StartError(problem.detail) from problem
        click.echo(f"{email} is {new} now; their sessions have ended.", err=True)


@command(
    "reset-second-factor",
    arguments="For an admin without the app and the recovery codes; the password stays.",
    example="reset-second-factor --email mai@example.com",
)
@EMAIL_OPTION
def reset_second_factor(email: str) -> None:
    with open_database() as storage:
        database = storage.database
        admin = _admin(database, email)

        def reset(connection: Connection) -> bool:
            target, now = Target(admin.id, admin.email), storage.clock()
            add(connection, now, operator(), audit.SECOND_FACTOR_RESET, target)
            return second_factor.reset(connection, admin.id)[0]

        had = database.write(reset)
        what = "The second factor is removed" if had else "There was no second factor"
        click.echo(f"{what}; the sessions of {email} have ended.", err=True)


@command("disable-admin", example="disable-admin --email mai@example.com")
@EMAIL_OPTION
def disable_admin(email: str) -> None:
    with open_services() as services:
        admin = _admin(services.database, email)
        released = services.accounts.disable(operator(), admin.id).released
        message = f"{email} is disabled; their sessions have ended, {released} threads released."
        click.echo(message, err=True)


def generated_password() -> str:
    """Returns a random password."""
    return secrets.token_urlsafe(GENERATED_BYTES)


def _check_desks(connection: Connection, names: Collection[str]) -> None:
    """Raises StartError if one of the names is not a desk."""
    unknown = sorted(admin_desks.unknown(connection, names))
    if unknown:
        raise StartError(f"There is no desk “{unknown[0]}”; create it with create-desk.")


def _admin(database: Database, email: str) -> admins.Admin:
    with database.read() as connection:
        admin = admins.by_email(connection, email)
    if admin is None:
        raise StartError(f"There is no admin with the address {email}.")
    return admin


def _password(from_stdin: bool, email: str, name: str) -> str:
    """Returns the password, read from standard input or asked for twice. Raises StartError."""
    if from_stdin:
        # Editors may begin a file with a byte order mark, and may end lines with \r\n.
        lines = (line.removeprefix("\ufeff").rstrip("\r\n") for line in sys.stdin)
        password = next(filter(None, lines), "")
    elif sys.stdin.isatty():
        password = getpass.getpass("Password: ")
        if getpass.getpass("Once more: ") != password:
            raise StartError("The two passwords differ.")
    else:
        raise StartError("The password is asked for on a terminal; else give --password-stdin.")
    try:
        require_strong(password, email, name)
    except WeakPassword as problem:
        raise StartError(problem.detail) from problem
    return password


@command(
    "create-desk", arguments="NAME is 1 to 32 of a-z, 0-9 and -.", example="create-desk billing"
)
@click.argument("desk", type=Desk(), metavar="NAME")
def create_desk(desk: str) -> None:
    with open_database() as storage:
        now = storage.clock()

        def write(connection: Connection) -> bool:
            added = admin_desks.add(connection, desk, now)
            if added:
                add(connection, now, operator(), audit.DESK_CREATED, Target(None, desk))
            return added

        if not storage.database.write(write):
            raise StartError(f"There is a desk “{desk}” already.")
        click.echo(desk)
        click.echo("Only supervisors see its threads until set-desks adds admins.", err=True)


@command("list-desks", example="list-desks")
def list_desks() -> None:
    """Prints each desk with the sources of the threads that begin there."""
    with open_database() as storage, storage.database.read() as connection:
        begin = sources.by_desk(connection)
        for desk in admin_desks.names(connection):
            click.echo(f"{desk}\t{','.join(begin.get(desk, ()))}")


@command("delete-customer", example="delete-customer --source shop --customer c-7")
@click.option("--source", type=Source(), required=True, help="The chatbot of the customer.")
@click.option("--customer", metavar="ID", required=True, help="The customer's id at the chatbot.")
def delete_customer(source: str, customer: str) -> None:
    with open_services() as services:
        deleted = services.erasing.erase(operator(), source, customer)
        if deleted is None:
            raise StartError(f"The source {source} has no customer {customer}.")
        if not deleted.is_forgotten:
            click.echo("Redis is away: it deletes the time last seen within a day.", err=True)
        click.echo(
            f"Deleted {deleted.threads} threads and the contents of {deleted.events} events.",
            err=True,
        )
