"""Calls of Lineup's bot API."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast
from urllib.parse import quote

import httpx

from lineup_client import models

#: Answers that stay the same, however often a call is repeated.
FINAL = frozenset({400, 404, 405, 409, 410, 413, 415, 422})


class Unavailable(Exception):
    """Lineup gave no answer, or one that may change: call again later.

    `retry_after`: the seconds that Lineup asks to wait, if it does. `status`: that of its answer.
    """

    def __init__(self, detail: str, retry_after: float | None = None, status: int | None = None):
        super().__init__(detail)
        self.retry_after, self.status = retry_after, status


class Refused(Exception):
    """Lineup refused the call, and would do so again. `problem` says why."""

    def __init__(self, status: int, problem: models.Problem):
        super().__init__(f"{status}: {problem['detail']}")
        self.status = status
        self.problem = problem


class Lineup:
    """The bot API of a Lineup, called with an API key. May be used by several threads.

    Each call returns the parsed answer. It raises Refused, or Unavailable: then it may have been
    carried out, or not; it is safe to repeat. `transport`: another way to the server than HTTP.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 20,
        transport: httpx.BaseTransport | None = None,
    ):
        self._http = httpx.Client(
            base_url=url.rstrip("/") + "/api/v1",
            headers={"Authorization": f"Bearer {key}"},
            timeout=timeout,
            transport=transport,
        )

    def close(self) -> None:
        self._http.close()

    def post(self, events: Sequence[models.Event]) -> models.BatchResults:
        """Posts 1 to 500 events; each has its own result."""
        answer = self._call("POST", "/events", {"events": list(events)}, accept=(207, 422))
        return cast(models.BatchResults, answer)

    def events(
        self, after: str = "", limit: int = 100, include: Sequence[str] = ()
    ) -> models.OutgoingEvents:
        """Returns what admins did after a cursor, in order; "" is the first of the last 30 days.
        `include` asks for types of presence, such as "presence.customer"."""
        query = {"after": after, "limit": str(limit), "include": include}
        return cast(models.OutgoingEvents, self._call("GET", "/events", query=query))

    def thread(self, thread: str) -> models.Row:
        return cast(models.Row, self._call("GET", f"/threads/{_part(thread)}"))

    def messages(
        self, thread: str, before: int | None = None, limit: int = 100
    ) -> models.ThreadMessages:
        """Returns a part of a conversation, the newest message last; `before` is the id of one."""
        query = {"limit": str(limit), "before": "" if before is None else str(before)}
        path = f"/threads/{_part(thread)}/messages"
        return cast(models.ThreadMessages, self._call("GET", path, query=query))

    def place(self, thread: str) -> models.ThreadPlace:
        """Returns the place of a thread in the queue in which it waits."""
        return cast(models.ThreadPlace, self._call("GET", f"/threads/{_part(thread)}/place"))

    def list(self, view: str, sort: str, cursor: str = "", limit: int = 100) -> models.List:
        """Returns a part of a list; `next` of the answer is the cursor of the following part."""
        path = f"/lists/{_part(view)}/{_part(sort)}"
        query = {"limit": str(limit), "cursor": cursor}
        return cast(models.List, self._call("GET", path, query=query))

    def team(self, thread: str) -> models.Team:
        """Returns whether the team is here, and the assignee of a thread."""
        return cast(models.Team, self._call("GET", "/presence/team", query={"thread": thread}))

    def beat(self, beats: Sequence[models.PresenceBeat]) -> None:
        """Says that devices of customers are here; to be repeated every 25 s."""
        self._call("POST", "/presence", {"beats": list(beats)})

    def leave(self, devices: Sequence[models.PresenceDevice]) -> None:
        """Says that devices of customers have gone."""
        self._call("POST", "/presence/offline", {"devices": list(devices)})

    def typing(self, thread: str, customer: str) -> None:
        """Says that a customer is writing, which ends by itself after 6 s."""
        self._call("POST", "/typing", {"thread": thread, "customer": customer})

    def _call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        accept: Sequence[int] = (),
        query: Mapping[str, str | Sequence[str]] | None = None,
    ) -> Any:
        given = {name: value for name, value in (query or {}).items() if value}
        # In ASCII: half of a character then reaches Lineup, which refuses that event alone.
        content = None if body is None else json.dumps(body).encode()
        headers = None if body is None else {"Content-Type": "application/json"}
        try:
            answer = self._http.request(
                method, path, content=content, headers=headers, params=given
            )
        except httpx.HTTPError as error:
            raise Unavailable(f"{method} {path}: {error!r}") from error
        document = _document(answer)
        if document is not None:
            if answer.is_success or (answer.status_code in accept and "results" in document):
                return document
            if answer.status_code in FINAL:
                # A problem of others may have no detail.
                known = {"status": answer.status_code, "detail": ""}
                raise Refused(answer.status_code, cast(models.Problem, known | document))
        seconds = answer.headers.get("Retry-After", "")
        detail = f"{method} {path}: {answer.status_code}"
        wait = float(seconds) if seconds.isdigit() else None
        raise Unavailable(detail, wait, answer.status_code)


def _document(answer: httpx.Response) -> Any:
    """Returns the JSON of an answer. Refusals that are not Lineup's but those of a proxy may
    change: None, except for what is too large, which stays so."""
    is_problem = answer.headers.get("Content-Type", "").startswith("application/problem+json")
    with suppress(ValueError):
        document = answer.json()
        has_results = isinstance(document, dict) and "results" in document
        if answer.is_success or is_problem or has_results:
            return document
    if answer.status_code == 413:
        problem = {"code": "too_large", "detail": "A proxy before Lineup refuses what is so large."}
        return problem | {"type": "", "title": "", "status": 413, "errors": []}
    return None


def _part(text: str) -> str:
    return quote(text, safe="")
