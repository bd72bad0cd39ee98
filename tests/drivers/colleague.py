"""An admin who opens threads and types in them, over Socket.IO without a window."""

import requests

from tests.servers.lineup import LiveServer

NAMESPACE = "/admin"


class ColleagueDriver:
    """Stays in the threads that it opened, and answers presence pings."""

    def __init__(self, server: LiveServer, session: requests.Session):
        self._client = server.connect(session)
        self._client.on("presence:ping", self._pong, namespace=NAMESPACE)
        self._threads: set[int] = set()

    def reads(self, thread_id: int, message_id: int) -> None:
        cursor = {"message_id": message_id, "field": "messages", "position": 0}
        self._does(thread_id, "viewing", cursor)

    def writes(self, thread_id: int, field: str = "reply") -> None:
        """Shows a draft in a thread."""
        self._does(thread_id, "editing", {"message_id": None, "field": field, "position": 9})

    def types(self, thread_id: int, field: str = "reply") -> None:
        """Shows typing at this moment; it ends by itself after 6 s."""
        self._does(thread_id, "typing", {"message_id": None, "field": field, "position": 9})

    def stops(self, thread_id: int) -> None:
        """Stops typing, and leaves no draft."""
        self._does(thread_id, "viewing", {"message_id": None, "field": "reply", "position": 0})

    def sets(self, **settings: object) -> None:
        self._call("presence:set", settings)

    def disconnect(self) -> None:
        self._client.disconnect()

    def _does(self, thread_id: int, mode: str, cursor: dict[str, object]) -> None:
        if thread_id not in self._threads:
            self._call("thread:open", {"id": thread_id})
            self._threads.add(thread_id)
        self._call("thread:mode", {"id": thread_id, "mode": mode, "cursor": cursor})

    def _pong(self, data: object) -> None:
        alive = {"visible": True, "idle_ms": 0}
        self._client.emit("presence:pong", alive, namespace=NAMESPACE)

    def _call(self, name: str, data: dict[str, object]) -> None:
        answer = self._client.call(name, data, namespace=NAMESPACE, timeout=60)
        assert answer["ok"], answer
