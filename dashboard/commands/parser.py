"""What may stand on the command line, with an example for each command."""

import argparse
import re
from collections.abc import Callable

SCOPES = ("events", "presence", "read")
ROLES = ("admin", "supervisor")
SOURCE_PATTERN = re.compile(r"[a-z0-9-]{1,64}")
SEED_THREADS_MAX = 5_000_000


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; wrong use exits with 2 and says what was wrong."""
    root = argparse.ArgumentParser(
        prog="app.py", description="Lineup: a live-sorted list of chat threads."
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, help: str, example: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=help,
            description=help,
            epilog=f"example: python app.py {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    _serving(command)
    _data(command)
    _admins(command)
    _keys(command)
    _webhooks(command)
    return root


Command = Callable[[str, str, str], argparse.ArgumentParser]


def _serving(command: Command) -> None:
    serve = command(
        "serve", "Serve the dashboard and the bot API.", "serve --port 8000 --workers 2"
    )
    demo = command(
        "demo", "Serve with demo data, a demo admin and a simulator.", "demo --port 8000"
    )
    for parser in (serve, demo):
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=_port, default=5000, help="port to listen on")
        # For the workers of one port; not to be typed.
        parser.add_argument("--shared-port", action="store_true", help=argparse.SUPPRESS)
    serve.add_argument("--workers", type=_whole(1, 64), default=1, help="how many processes")
    demo.add_argument("--threads", type=_whole(1, SEED_THREADS_MAX), default=5_000)
    demo.add_argument("--rate", type=_rate, default=2.0, help="simulated events a second")


def _data(command: Command) -> None:
    seed = command(
        "seed", "Fill in demo threads; the same seed gives the same.", "seed --threads 100000"
    )
    seed.add_argument("--threads", type=_whole(1, SEED_THREADS_MAX), required=True)
    seed.add_argument("--messages", type=_whole(1, 1_000), default=3, help="a thread, on average")
    seed.add_argument("--random-seed", type=_whole(0, 2**63 - 1), default=1)

    simulate = command(
        "simulate",
        "Post events as chatbots would, until interrupted.",
        "simulate --rate 20 --url http://localhost:5000 --key lu_…",
    )
    simulate.add_argument("--rate", type=_rate, required=True, help="events a second")
    simulate.add_argument("--url", default="http://localhost:5000", help="where Lineup is served")
    simulate.add_argument("--key", help="an API key; by default one for the source “demo” is made")
    simulate.add_argument("--random-seed", type=_whole(0, 2**63 - 1), default=1)

    command("rebuild", "Rebuild the order in Redis from SQL.", "rebuild")
    check = command(
        "check", "Compare the order in Redis with SQL; 1 if it differs.", "check --most 50"
    )
    check.add_argument("--most", type=_whole(1, 100_000), default=20, help="differences to print")

    delete = command(
        "delete-customer",
        "Delete all that is kept of a customer.",
        "delete-customer --source shop --customer c-7",
    )
    delete.add_argument("--source", type=_source, required=True)
    delete.add_argument("--customer", required=True, metavar="ID")


def _admins(command: Command) -> None:
    create = command(
        "create-admin",
        "Create an admin; the password is asked for.",
        "create-admin --email mai@example.com --name Mai",
    )
    create.add_argument("--email", type=_email, required=True)
    create.add_argument("--name", required=True)
    create.add_argument("--role", choices=ROLES, default="admin")
    command("list-admins", "List the admins.", "list-admins")
    password = command(
        "set-password",
        "Set an admin's password and end their sessions.",
        "set-password --email mai@example.com",
    )
    disable = command(
        "disable-admin",
        "Disable an admin and end their sessions.",
        "disable-admin --email mai@example.com",
    )
    for parser in (password, disable):
        parser.add_argument("--email", type=_email, required=True)
    for parser in (create, password):
        parser.add_argument(
            "--password-stdin", action="store_true", help="read the password from standard input"
        )


def _keys(command: Command) -> None:
    create = command(
        "create-key",
        "Create an API key for a chatbot; it is printed once.",
        "create-key --source shop --scopes events,read",
    )
    create.add_argument("--source", type=_source, required=True)
    create.add_argument(
        "--scopes", type=_scopes, default=list(SCOPES), help="of events, presence, read"
    )
    create.add_argument(
        "--handoff",
        action="store_true",
        help="the chatbot answers until it hands over: nobody waits before",
    )
    create.add_argument("--rate", type=_whole(1, 1_000_000), help="events a second at most")
    command("list-keys", "List the API keys.", "list-keys")
    revoke = command("revoke-key", "Revoke an API key.", "revoke-key lu_a1b2c3d4")
    revoke.add_argument("key", metavar="PREFIX", help="as list-keys shows it, or the whole key")


def _webhooks(command: Command) -> None:
    create = command(
        "create-webhook",
        "Create a webhook for a chatbot; its id and its secret are printed once.",
        "create-webhook --source shop --url https://bot.example/lineup",
    )
    create.add_argument("--source", type=_source, required=True)
    create.add_argument("--url", required=True, help="where events are posted to")
    create.add_argument(
        "--events", type=_names, help="types such as message.created,thread.closed; by default all"
    )
    command("list-webhooks", "List the webhooks.", "list-webhooks")
    rotate = command(
        "rotate-webhook",
        "Make a new secret for a webhook; the old one signs along for a day.",
        "rotate-webhook 1",
    )
    revoke = command("revoke-webhook", "Revoke a webhook.", "revoke-webhook 1")
    for parser in (rotate, revoke):
        parser.add_argument("id", type=_whole(1, 2**53), help="as list-webhooks shows it")


def _whole(low: int, high: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"“{text}” is not a whole number from {low} to {high}")
        return int(text)

    return whole


_port = _whole(1, 65_535)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0 < rate <= 10_000:
        raise argparse.ArgumentTypeError(f"“{text}” is not a rate above 0 and up to 10000")
    return rate


def _source(text: str) -> str:
    if not SOURCE_PATTERN.fullmatch(text):
        raise argparse.ArgumentTypeError(f"“{text}” is not 1 to 64 of a-z 0-9 -")
    return text


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(part.strip() for part in text.split(",")))


def _scopes(text: str) -> list[str]:
    scopes = [part.strip() for part in text.split(",")]
    wrong = [scope for scope in scopes if scope not in SCOPES]
    if wrong:
        raise argparse.ArgumentTypeError(f"“{wrong[0]}” is not one of {', '.join(SCOPES)}")
    return list(dict.fromkeys(scopes))


def _email(text: str) -> str:
    name, at, host = text.strip().rpartition("@")
    if not (name and at and host) or len(text) > 254 or any(ch.isspace() for ch in text.strip()):
        raise argparse.ArgumentTypeError(f"“{text}” is not an e-mail address")
    return text.strip().lower()
