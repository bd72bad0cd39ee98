"""Where a redirect may lead: to paths of this server."""

import re

from dashboard.errors import Problem

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


def local_path(goal: str) -> str:
    """Where to go after signing in: a path of this server, else "/"."""
    if _CONTROLS.search(goal):
        raise Problem(400, "forbidden_character", "`next` holds a control character.")
    is_local = goal.startswith("/") and not goal.startswith("//") and "\\" not in goal
    return goal if is_local else "/"
