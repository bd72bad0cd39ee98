"""Who did something, as of then: an admin in the page, whoever ran a command, or nobody known."""

from typing import NamedTuple

#: Where from: a page of Lineup, a command of `app.py`, or the provider of accounts (OIDC).
PAGE, COMMAND, PROVIDER = "page", "command", "provider"
VIAS = (PAGE, COMMAND, PROVIDER)


class Actor(NamedTuple):
    """Who did it and from where.

    In the page: the admin, the caller's IP address and what the browser calls itself; without an
    admin, nobody is known yet. A command: the operating system's user, and the name of the machine.
    """

    via: str
    admin_id: int | None = None
    name: str = ""
    email: str | None = None
    address: str = ""
    user_agent: str = ""
