"""Runs actions of the signed-in admin, for the calls about one thread and about many."""

from collections.abc import Callable
from typing import Any

from dashboard.ingest.actions import Actions, Admin
from dashboard.ingest.assigning import Assigning
from dashboard.ingest.ingest import Ingest
from dashboard.ingest.snoozing import Snoozing
from dashboard.ingest.tagging import Tagging
from dashboard.web.http.identity import current

#: Actions that need only the thread.
SIMPLE_ACTIONS = ("claim", "release", "reopen", "wake")


class ActingAdmin:
    """Runs the methods that change threads as the admin of the current request."""

    def __init__(
        self,
        ingest: Ingest,
        actions: Actions,
        assigning: Assigning,
        snoozing: Snoozing,
        tagging: Tagging,
    ):
        self._ingest = ingest
        self.actions = actions
        self.assigning = assigning
        self.snoozing = snoozing
        self.tagging = tagging

    def act(self, action: Callable[..., Any], *given: Any) -> Any:
        """Returns the result of `action(admin, *given)`, once its thread is placed."""
        identity = current()
        admin = Admin(identity.admin_id, identity.name, identity.role, identity.desks)
        return self._ingest.act(action, admin, *given)

    def act_simply(self, name: str, thread_id: int) -> int | None:
        """Returns the id of the act; None if nothing changed. `name` is one of SIMPLE_ACTIONS."""
        assert name in SIMPLE_ACTIONS, name
        acts = self.snoozing if name == "wake" else self.actions
        return self.act(getattr(acts, name), thread_id)
