"""A colleague who is in threads and writes there, without a window."""

import requests

from tests.live_server import LiveServer

NAMESPACE = "/admin"


class Colleague:
    """Stays where they went last, and answers when they are asked whether they live."""

    def __init__(self, server: LiveServer, session: requests.Session):
        self._client = server.connect(session)
        self._client.on("presence:ping", self._pong, namespace=NAMESPACE)
        self._threads: set[int] = set()

    def reads(self, thread_id: int, message_id: int) -> None:
        cursor = {"message_id": message_id, "field": "messages", "position": 0}
        self._does(thread_id, "viewing", cursor)

    def writes(self, thread_id: int, field: str = "reply") -> None:
        """A draft stands there."""
        self._does(thread_id, "editing", {"message_id": None, "field": field, "position": 9})

    def sets(self, **settings: object) -> None:
        self._call("presence:set", settings)

    def leave(self) -> None:
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
        answer = self._client.call(name, data, namespace=NAMESPACE, timeout=10)
        assert answer["ok"], answer
