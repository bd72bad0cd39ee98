"""Whose the sockets of this worker are."""

from collections.abc import Iterator


class SocketAdmins:
    """Socket id to admin id, of all sockets that have joined."""

    def __init__(self) -> None:
        self._admins: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._admins)

    def __contains__(self, sid: str) -> bool:
        return sid in self._admins

    def __getitem__(self, sid: str) -> int:
        return self._admins[sid]

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Each socket with its admin, also while sockets come and go."""
        return iter([*self._admins.items()])

    def add(self, sid: str, admin_id: int) -> None:
        """A socket has joined."""
        self._admins[sid] = admin_id

    def drop(self, sid: str) -> None:
        """Forgets a closed socket."""
        self._admins.pop(sid, None)
