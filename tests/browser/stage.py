"""A seeded server with a bot, and what a test makes happen on it."""

import itertools
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import requests

from tests.browser.colleague import Colleague
from tests.live_server import LiveServer

THREADS = 200
SEED = 7


class Stage:
    """A desk's server, its admins Mai and Ken, and a chatbot of the source `shop`."""

    #: Threads of the tests' own.
    names = tuple(f"t-{number}" for number in range(THREADS))

    def __init__(self, server: LiveServer, seeded: int = 0):
        self.server = server
        if seeded:
            server.command("seed", "--threads", str(seeded), "--random-seed", str(SEED))
        self.mai = server.create_admin("Mai")
        self.ken = server.create_admin("Ken")
        self._bot = server.bot(server.create_key())
        self._numbers = itertools.count(1)
        self.shown = 0  # the thread that pictures show
        self._colleagues: dict[str, Colleague] = {}

    def post(self, *events: dict[str, Any]) -> list[int]:
        """Posts events, and gives the ids of their threads."""
        body = {"events": list(events)}
        answer = self._bot.post(f"{self.server.url}/api/v1/events", json=body, timeout=10)
        assert answer.status_code == 200, answer.text
        return [result["thread_id"] for result in answer.json()["results"]]

    @cached_property
    def ids(self) -> dict[str, int]:
        """The thread ids of `names`."""
        row = f"{self.server.url}/api/v1/threads/"
        return {name: self._bot.get(row + name).json()["id"] for name in self.names}

    def message(self, thread: str, body: str = "Hello?", **more: Any) -> dict[str, Any]:
        """A message event; of the customer unless `role` says otherwise."""
        event = self._event("message", thread)
        customer = {
            "id": more.pop("customer_id", f"of-{thread}"),
            "name": more.pop("name", f"Customer {thread}"),
        }
        return event | {"role": "client", "body": body, "customer": customer} | more

    def close(self, thread: str) -> dict[str, Any]:
        return self._event("thread.close", thread)

    def says(self, thread: str, body: str = "Hello?", **more: Any) -> int:
        """Posts one message; gives the thread's id."""
        return self.post(self.message(thread, body, **more))[0]

    def is_here(self, customer: str, **settings: Any) -> None:
        """The customer is online, as they set it."""
        beat = {"customer": customer, "device": "phone", "type": "mobile"}
        self._call("POST", "presence", {"beats": [beat]})
        if settings:
            self._call("PUT", f"presence/{customer}", settings)

    def is_gone(self, customer: str) -> None:
        devices = [{"customer": customer, "device": each} for each in ("phone", "messages")]
        self._call("POST", "presence/offline", {"devices": devices})

    def types(self, thread: str, customer: str) -> None:
        self._call("POST", "typing", {"thread": thread, "customer": customer})

    def colleague(self, name: str) -> Colleague:
        """An admin who is here from now on."""
        if name not in self._colleagues:
            session = self.server.sign_in(self.server.create_admin(name))
            self._colleagues[name] = Colleague(self.server, session)
        return self._colleagues[name]

    def end(self) -> None:
        """All colleagues leave."""
        for colleague in self._colleagues.values():
            colleague.leave()

    def _call(self, method: str, path: str, body: dict[str, Any]) -> None:
        url = f"{self.server.url}/api/v1/{path}"
        answer = self._bot.request(method, url, json=body, timeout=10)
        assert answer.status_code == 200, answer.text

    def acts(self, email: str) -> "Acting":
        return Acting(self.server.url, self.server.sign_in(email))

    def _event(self, kind: str, thread: str) -> dict[str, Any]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        id = f"stage:{next(self._numbers)}"
        return {"id": id, "type": kind, "thread": thread, "occurred_at": now}


class Acting:
    """An admin at work elsewhere, without a window."""

    def __init__(self, url: str, session: requests.Session):
        self._threads = f"{url}/admin/api/threads"
        self._api = f"{url}/admin/api"
        self.session = session
        self._tokens = itertools.count(1)

    def prefer(self, **preferences: Any) -> None:
        answer = self.session.patch(f"{self._api}/me/preferences", json=preferences)
        assert answer.status_code == 200, answer.text

    def act(self, thread_id: int, action: str) -> requests.Response:
        """claim, release, close or reopen"""
        return self.session.post(f"{self._threads}/{thread_id}/{action}", json={})

    def reply(self, thread_id: int, body: str, private: bool = False) -> None:
        token = f"stage-{id(self)}-{next(self._tokens)}"
        answer = self.session.post(
            f"{self._threads}/{thread_id}/replies",
            json={
                "body": body,
                "private": private,
                "token": token,
                "seen_message_id": None,
                "confirm": True,
            },
        )
        assert answer.status_code == 201, answer.text

    def messages(self, thread_id: int) -> list[dict[str, Any]]:
        return self.session.get(f"{self._threads}/{thread_id}/messages").json()["messages"]

    def make_canned(self, shortcut: str, body: str) -> None:
        canned = {"shortcut": shortcut, "body": body}
        answer = self.session.post(f"{self._api}/canned", json=canned)
        assert answer.status_code in (201, 409), answer.text
