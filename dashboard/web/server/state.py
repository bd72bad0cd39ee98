"""The state of a web process's server, for the application."""

from collections.abc import Callable


class ServerState:
    """Whether this process takes connections; all False and 0 before it serves."""

    def __init__(self) -> None:
        #: Whether it is stopping: answers are the last ones on their connections.
        self.is_stopping = False
        #: Connections refused since the start because no file descriptor was left.
        self.refused = 0
        self._are_descriptors_left: Callable[[], bool] = lambda: True

    def watch(self, are_descriptors_left: Callable[[], bool]) -> None:
        """Sets the check for free descriptors; called once by the server."""
        self._are_descriptors_left = are_descriptors_left

    def is_accepting(self) -> bool:
        """Whether a new connection would be served."""
        return not self.is_stopping and self._are_descriptors_left()
