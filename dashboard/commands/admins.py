"""Commands about admins: who may sign in."""

import getpass
import secrets
import sys
from argparse import Namespace
from collections.abc import Callable

from sqlalchemy import Connection

from dashboard.errors import Problem, StartError
from dashboard.store import admins, passwords
from dashboard.store.database import Database

NAME_MAX_CHARACTERS = 128
GENERATED_BYTES = 12

Clock = Callable[[], int]


def create_admin(args: Namespace, database: Database, clock: Clock) -> int:
    name = args.name.strip()
    if not 1 <= len(name) <= NAME_MAX_CHARACTERS or not name.isprintable():
        raise StartError(f"A name has 1 to {NAME_MAX_CHARACTERS} printable characters.")
    password_hash = passwords.hashed(_password(args.password_stdin))

    def write(connection: Connection) -> int:
        return admins.create(connection, args.email, name, args.role, password_hash, clock())

    try:
        print(f"{database.write(write)}\t{args.email}")
    except Problem as problem:
        raise StartError(problem.detail) from problem
    return 0


def list_admins(args: Namespace, database: Database, clock: Clock) -> int:
    with database.read() as connection:
        for admin in admins.listing(connection):
            state = "active" if admin.disabled_at is None else "disabled"
            print("\t".join((str(admin.id), admin.email, admin.name, admin.role, state)))
    return 0


def set_password(args: Namespace, database: Database, clock: Clock) -> int:
    admin_id = _id_of(database, args.email)
    password_hash = passwords.hashed(_password(args.password_stdin))
    database.write(lambda connection: admins.set_password(connection, admin_id, password_hash))
    print(f"The password of {args.email} is set; their sessions are over.", file=sys.stderr)
    return 0


def disable_admin(args: Namespace, database: Database, clock: Clock) -> int:
    admin_id = _id_of(database, args.email)
    database.write(lambda connection: admins.disable(connection, admin_id, clock()))
    print(f"{args.email} is disabled; their sessions are over.", file=sys.stderr)
    return 0


def generated_password() -> str:
    """A password that nobody else has."""
    return secrets.token_urlsafe(GENERATED_BYTES)


def _id_of(database: Database, email: str) -> int:
    with database.read() as connection:
        admin = admins.by_email(connection, email)
    if admin is None:
        raise StartError(f"There is no admin with the address {email}.")
    return admin.id


def _password(from_stdin: bool) -> str:
    """The password, from a line of standard input or asked for twice. Raises StartError."""
    if from_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    elif sys.stdin.isatty():
        password = getpass.getpass("Password: ")
        if getpass.getpass("Once more: ") != password:
            raise StartError("The two passwords differ.")
    else:
        raise StartError("The password is asked for on a terminal; else give --password-stdin.")
    least, most = passwords.PASSWORD_MIN_CHARACTERS, passwords.PASSWORD_MAX_CHARACTERS
    if not least <= len(password) <= most:
        raise StartError(f"A password has {least} to {most} characters.")
    return password
