"""An admin over the dashboard's HTTP API, without a window."""

import itertools
import uuid
from functools import cached_property
from typing import Any

import requests


class AdminDriver:
    """Calls `/admin/api` with the session of one admin."""

    def __init__(self, url: str, session: requests.Session):
        self._threads = f"{url}/admin/api/threads"
        self._api = f"{url}/admin/api"
        self.session = session
        self._run = uuid.uuid4().hex
        self._tokens = itertools.count(1)

    @cached_property
    def id(self) -> int:
        return self.session.get(f"{self._api}/me").json()["id"]

    def prefer(self, **preferences: Any) -> None:
        answer = self.session.patch(f"{self._api}/me/preferences", json=preferences)
        assert answer.status_code == 200, answer.text

    def preferences(self) -> dict[str, Any]:
        return self.session.get(f"{self._api}/me").json()["preferences"]

    def act(self, thread_id: int, action: str) -> requests.Response:
        """`action`: claim, release, close or reopen."""
        return self.session.post(f"{self._threads}/{thread_id}/{action}", json={})

    def reply(self, thread_id: int, body: str, private: bool = False) -> None:
        token = f"{self._run}-{next(self._tokens)}"
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

    def save_view(self, name: str, query: str, sort: str = "arrival") -> dict[str, Any]:
        body = {"name": name, "query": query, "sort": sort}
        answer = self.session.post(f"{self._api}/views", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def change_view(self, view: dict[str, Any], **changes: Any) -> None:
        body = {field: view[field] for field in ("name", "query", "sort")} | changes
        answer = self.session.put(f"{self._api}/views/{view['id']}", json=body)
        assert answer.status_code == 200, answer.text

    def delete_view(self, id: str) -> None:
        answer = self.session.delete(f"{self._api}/views/{id}", json={})
        assert answer.status_code == 204, answer.text

    def saved_views(self) -> list[dict[str, Any]]:
        listed = self.session.get(f"{self._api}/views").json()["views"]
        return [view for view in listed if view["owner"] != "built-in"]

    def make_canned(self, shortcut: str, body: str) -> None:
        canned = {"shortcut": shortcut, "body": body}
        answer = self.session.post(f"{self._api}/canned", json=canned)
        assert answer.status_code in (201, 409), answer.text

    def get(self, path: str) -> Any:
        """Returns the answer to a GET below `/admin/api`."""
        return self._answer(self.session.get(f"{self._api}/{path}"))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._answer(self.session.post(f"{self._api}/{path}", json=body))

    def put(self, path: str, body: dict[str, Any]) -> Any:
        return self._answer(self.session.put(f"{self._api}/{path}", json=body))

    def delete(self, path: str) -> None:
        self._answer(self.session.delete(f"{self._api}/{path}", json={}))

    @staticmethod
    def _answer(answer: requests.Response) -> Any:
        assert answer.ok, answer.text
        return answer.json() if answer.content else None
