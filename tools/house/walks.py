"""Follows one request through the product and counts the files and functions that it touches."""

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from dashboard.db.accounts import api_keys, sources
from dashboard.db.database import Database
from dashboard.db.migrate import bring_to_head
from tests.drivers.application import PASSWORD, ApplicationDriver
from tests.support import SettableClock
from tools.house.sources import PRODUCT, ROOT


@dataclass
class Walk:
    """The files and (file, function) pairs that a request touched, and its deepest nesting."""

    files: set[str] = field(default_factory=set)
    functions: set[tuple[str, str]] = field(default_factory=set)
    depth: int = 0

    @property
    def folders(self) -> set[str]:
        return {str(Path(name).parent) for name in self.files}

    def __str__(self) -> str:
        counts = (len(self.files), len(self.folders), len(self.functions), self.depth)
        return " / ".join(map(str, counts))


def walks() -> dict[str, Walk]:
    """Maps names to walks: of an event, a reply, a sign-in and a saved view, in this order.

    Each is the second request of its kind, so that first-time work does not count.
    """
    with _application() as application:
        requests = _Requests(application)
        kinds = {
            "event": requests.event,
            "reply": requests.reply,
            "sign-in": requests.sign_in,
            "saved view": requests.saved_view,
        }
        found = {}
        for name, send in kinds.items():
            send()
            found[name] = _walk(send)
        return found


@contextmanager
def _application() -> Iterator[ApplicationDriver]:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Database(f"sqlite:///{folder}/lineup.sqlite")) as database,
    ):
        bring_to_head(database)
        yield ApplicationDriver(database, SettableClock(), Path(folder))


class _Requests:
    """Sends one request of a kind at each call."""

    def __init__(self, application: ApplicationDriver):
        self._application = application
        self._key = application.database.write(self._new_key)
        self._chatbot = application.app.test_client()
        self._browser = application.sign_in("Mai")
        self._thread_id = application.say("first")
        self._count = iter(range(1_000_000))

    def event(self) -> None:
        given = {
            "id": f"walk-{next(self._count)}",
            "type": "message",
            "thread": "first",
            "customer": {"id": "c-first"},
            "role": "client",
            "body": "Hello",
            "occurred_at": "2026-11-20T10:00:00Z",
        }
        headers = {"Authorization": f"Bearer {self._key}"}
        _expect(201, self._chatbot.post("/api/v1/events", json=given, headers=headers))

    def reply(self) -> None:
        given = {"body": "Hello", "token": f"walk-{next(self._count)}", "confirm": True}
        path = f"/admin/api/threads/{self._thread_id}/replies"
        _expect(201, self._browser.post(path, json=given))

    def sign_in(self) -> None:
        given = {"email": "mai@example.com", "password": PASSWORD}
        _expect(204, self._application.client().post("/login", json=given))

    def saved_view(self) -> None:
        given = {
            "name": f"Walk {next(self._count)}",
            "query": "is:open tag:vip",
            "sort": "longest_wait",
            "owner": "me",
        }
        _expect(201, self._browser.post("/admin/api/views", json=given))

    def _new_key(self, connection: Any) -> str:
        now = self._application.clock()
        source_id = sources.ensure(connection, "shop", now)
        return api_keys.create(connection, source_id, api_keys.SCOPES, None, now)


def _expect(status: int, answer: Any) -> None:
    if answer.status_code != status:
        raise SystemExit(f"{answer.request.path} answered {answer.status_code}: {answer.text}")


def _walk(send: Callable[[], None]) -> Walk:
    walk = Walk()
    names: dict[str, str | None] = {}

    def name_of(frame: FrameType) -> str | None:
        path = frame.f_code.co_filename
        if path not in names:
            name = path.removeprefix(f"{ROOT}/")
            names[path] = name if name != path and name.startswith(PRODUCT) else None
        return names[path]

    def depth_of(frame: FrameType | None) -> int:
        depth = 0
        while frame is not None:
            depth += name_of(frame) is not None
            frame = frame.f_back
        return depth

    def on_call(frame: FrameType, event: str, argument: object) -> None:
        name = name_of(frame) if event == "call" else None
        if name is not None:
            walk.files.add(name)
            walk.functions.add((name, frame.f_code.co_qualname))
            walk.depth = max(walk.depth, depth_of(frame))

    threading.setprofile(on_call)
    sys.setprofile(on_call)
    try:
        send()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return walk
