"""The commands of admins: who may sign in."""

import getpass
import secrets
import sys

import click
from sqlalchemy import Connection

from dashboard.cli.context import open_services
from dashboard.cli.params import Email, command
from dashboard.db.accounts import admins, passwords
from dashboard.db.accounts.password_rules import WeakPassword, require_strong
from dashboard.db.database import Database
from dashboard.db.lists import views
from dashboard.errors import Problem, StartError
from dashboard.ingest.assignment.releases import release_all_of
from dashboard.validation.visible import hides_something

NAME_MAX_CHARACTERS = 128
GENERATED_BYTES = 12
EMAIL_OPTION = click.option("--email", type=Email(), required=True, help="The admin's address.")
PASSWORD_STDIN_OPTION = click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input."
)


@command(
    "create-admin",
    "Create an admin; the password is asked for.",
    example="create-admin --email mai@example.com --name Mai",
)
@EMAIL_OPTION
@click.option("--name", required=True, help="The name that others see.")
@click.option("--role", type=click.Choice(admins.ROLES), default="admin", show_default=True)
@PASSWORD_STDIN_OPTION
def create_admin(email: str, name: str, role: str, password_stdin: bool) -> None:
    """Prints the id and the address."""
    with open_services() as services:
        name = name.strip()
        is_shown = name.isprintable() and not hides_something(name)
        if not 1 <= len(name) <= NAME_MAX_CHARACTERS or not is_shown:
            raise StartError(f"A name has 1 to {NAME_MAX_CHARACTERS} printable characters.")
        password_hash = passwords.hashed(_password(password_stdin, email, name))

        def write(connection: Connection) -> int:
            now = services.clock()
            return admins.create(connection, email, name, role, password_hash, now)

        try:
            click.echo(f"{services.database.write(write)}\t{email}")
        except Problem as problem:
            raise StartError(problem.detail) from problem


@command("list-admins", "List the admins.", example="list-admins")
def list_admins() -> None:
    with open_services() as services, services.database.read() as connection:
        for admin in admins.listing(connection):
            state = "active" if admin.disabled_at is None else "disabled"
            click.echo("\t".join((str(admin.id), admin.email, admin.name, admin.role, state)))


@command(
    "set-password",
    "Set an admin's password and end their sessions.",
    example="set-password --email mai@example.com",
)
@EMAIL_OPTION
@PASSWORD_STDIN_OPTION
def set_password(email: str, password_stdin: bool) -> None:
    with open_services() as services:
        database = services.database
        admin = _admin(database, email)
        password_hash = passwords.hashed(_password(password_stdin, admin.email, admin.name))
        database.write(lambda connection: admins.set_password(connection, admin.id, password_hash))
        click.echo(f"The password of {email} is set; their sessions are over.", err=True)


@command(
    "disable-admin",
    "Disable an admin, end their sessions, and release their threads.",
    example="disable-admin --email mai@example.com",
)
@EMAIL_OPTION
def disable_admin(email: str) -> None:
    with open_services() as services:
        database, clock = services.database, services.clock
        admin_id = _admin(database, email).id

        def disable(connection: Connection) -> None:
            admins.disable(connection, admin_id, clock())
            views.release_of(connection, admin_id, clock())

        database.write(disable)
        released = 0
        for placements in release_all_of(database, admin_id, clock()):
            services.placer.place(placements)
            released += len(placements)
        services.placer.save_placed_revisions()
        message = f"{email} is disabled; their sessions are over, {released} threads released."
        click.echo(message, err=True)


def generated_password() -> str:
    """A random password."""
    return secrets.token_urlsafe(GENERATED_BYTES)


def _admin(database: Database, email: str) -> admins.Admin:
    with database.read() as connection:
        admin = admins.by_email(connection, email)
    if admin is None:
        raise StartError(f"There is no admin with the address {email}.")
    return admin


def _password(from_stdin: bool, email: str, name: str) -> str:
    """The password, from a line of standard input or asked for twice. Raises StartError."""
    if from_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
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
