"""Who the audit log says ran a command."""

import os
import pwd
import socket

from dashboard.db.audit.actors import COMMAND, Actor


def operator() -> Actor:
    """The operating system's user on this machine, and who became this user by sudo."""
    uid = os.getuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        # In a container, whose user has no name.
        name = f"uid {uid}"
    invoker = os.environ.get("SUDO_USER")
    shown = f"{name} (sudo: {invoker})" if invoker and invoker != name else name
    return Actor(COMMAND, name=shown, address=socket.gethostname())
