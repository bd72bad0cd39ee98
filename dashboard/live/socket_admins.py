"""The admins of the sockets of this worker."""

from collections.abc import Callable, Iterator, Mapping

from dashboard.db.accounts.admin_desks import Desks


class SocketAdmins:
    """The admin of each socket that has joined, and the desks that the admin sees."""

    def __init__(self) -> None:
        self._admins: dict[str, tuple[int, Desks]] = {}
        #: Called when the first socket joins, to wake tasks that rest while there is none.
        self.wakes: list[Callable[[], object]] = []

    def __len__(self) -> int:
        return len(self._admins)

    def __contains__(self, sid: str) -> bool:
        return sid in self._admins

    def __getitem__(self, sid: str) -> int:
        return self._admins[sid][0]

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Yields each socket with its admin, also while sockets come and go."""
        return iter([(sid, admin_id) for sid, (admin_id, _) in [*self._admins.items()]])

    def add(self, sid: str, admin_id: int, desks: Desks = None) -> None:
        """Adds a socket that sees the threads at these desks; None: all threads."""
        is_first = not self._admins
        self._admins[sid] = admin_id, desks
        if is_first:
            for wake in self.wakes:
                wake()

    def desks_of(self, sid: str) -> Desks:
        """Returns the desks that a socket sees; None: all threads. A closed socket sees none."""
        return self._admins[sid][1] if sid in self._admins else frozenset()

    def of_all_desks(self) -> list[str]:
        """Returns the sockets that see all threads."""
        return [sid for sid, (_, desks) in [*self._admins.items()] if desks is None]

    def of_some_desks(self) -> list[str]:
        """Returns the sockets that see the threads of some desks only."""
        return [sid for sid, (_, desks) in [*self._admins.items()] if desks is not None]

    def desks_by_admin(self) -> Mapping[int, Desks]:
        """Maps the admins who are here to the desks of one of their sockets."""
        return dict([*self._admins.values()])

    def drop(self, sid: str) -> None:
        """Forgets a closed socket."""
        self._admins.pop(sid, None)
