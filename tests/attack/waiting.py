"""Attacks of one session, or one key, that waits for each answer on four connections.

Some leave something behind: views, replies, tags, canned replies, files. Attack a copy.
"""

import itertools
import json
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote

from tests.attack.attacks import attack
from tests.attack.target import Target

#: Connections of one caller.
CONNECTIONS = 4
#: Threads that are asked for and written to: the first ones, which a demo has, too.
_THREADS = 40
_LONG = " ".join(f"(tag:a{n} or member:{n % 6} or quiet:<{n + 1}h)" for n in range(19))[:800]
_LONG = _LONG[: _LONG.rindex(")") + 1]
#: Words of conversations; many messages contain one of them.
_WORDS = ("order", "hello", "đơn hàng", "message", "when", "the", "thanks", "news")


class Ask(NamedTuple):
    """A request below the API of an admin, or of a key; a body is JSON, or bytes of a file."""

    method: str
    path: str
    body: object = None


#: A generator of requests; it is sent the body of each answer.
Asks = Iterator[Ask]


def _keep_asking(target: Target, until: float, asks: Callable[[], Asks]) -> None:
    """Asks on four connections; each sends its next request after its answer."""
    shared, lock = asks(), threading.Lock()

    def run() -> None:
        while time.monotonic() < until:
            with suppress(OSError), target.connect() as connection:
                connection.settimeout(60)
                answers = connection.makefile("rb")
                while time.monotonic() < until:
                    with lock:
                        ask = next(shared)
                    connection.sendall(_request(target, ask))
                    if not _read(answers):
                        break

    threads = [threading.Thread(target=run, daemon=True) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _request(target: Target, ask: Ask) -> bytes:
    is_bot = ask.path.startswith("/api/")
    headers = [f"Authorization: Bearer {target.key}" if is_bot else f"Cookie: {target.cookie}"]
    body = ask.body
    if isinstance(body, bytes):
        headers.append("Content-Type: application/octet-stream")
    elif body is not None:
        body = json.dumps(body).encode()
        headers.append("Content-Type: application/json")
    return target.request(f"{ask.method} {ask.path}", tuple(headers), body or b"")


def _read(answers: object) -> bool:
    """Reads one answer; False where the connection is over."""
    length = 0
    status = answers.readline()  # type: ignore[attr-defined]
    while line := answers.readline().strip():  # type: ignore[attr-defined]
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return bool(status) and len(answers.read(length)) == length  # type: ignore[attr-defined]


def _waiting(name: str, summary: str, needs: str, asks: Callable[[], Asks]) -> None:
    attack(f"wait-{name}", summary, needs, 1.5)(
        lambda target, until: _keep_asking(target, until, asks)
    )


def _by_admin(path: str, method: str = "GET", body: object = None) -> Callable[[], Asks]:
    return lambda: itertools.repeat(Ask(method, f"/admin/api/{path}", body))


def _previews() -> Asks:
    """Asks with a different query each time, so that no cache has the answer."""
    for number in itertools.count():
        body = {"query": f"{_LONG} -tag:z{number}", "sort": "longest_wait"}
        yield Ask("POST", "/admin/api/views/preview", body)


def _views() -> Asks:
    for number in itertools.count():
        query = f"is:open tag:s{secrets.token_hex(3)} {_LONG[:400].rpartition(' (')[0]}"
        body = {"name": f"Attack {number}", "query": query, "sort": "arrival"}
        yield Ask("POST", "/admin/api/views", body)


def _views_by_number() -> Asks:
    """Changes a view to another query again and again, or deletes it."""
    for number in itertools.count():
        body = {"name": "Attack", "query": f"tag:n{number} is:open", "sort": "arrival"}
        yield Ask("PUT" if number % 2 else "DELETE", f"/admin/api/views/v{number % 300 + 1}", body)


def _searches() -> Asks:
    for number in itertools.count():
        word = quote(_WORDS[number % len(_WORDS)])
        yield Ask("GET", f"/admin/api/search?q=is:open%20-tag:z{number}%20quiet:%3C90d%20{word}")


def _replies() -> Asks:
    for number in itertools.count():
        body = {"body": "An answer " * 20, "token": secrets.token_hex(12), "confirm": True}
        body |= {"private": number % 2 == 0, "seen_message_id": None}
        yield Ask("POST", f"/admin/api/threads/{number % _THREADS + 1}/replies", body)


def _tags() -> Asks:
    for number in itertools.count():
        change = {"add" if number % 2 else "remove": [f"t{number // 2 % 5}"]}
        ids = list(range(1, 201))
        yield Ask("POST", "/admin/api/threads/bulk", {"ids": ids, "action": "tag", **change})


def _explanations() -> Asks:
    for number in itertools.count():
        path = f"threads/{number % _THREADS + 1}/explain?view=arrival&sort=arrival"
        yield Ask("GET", f"/admin/api/{path}")


def _canned() -> Asks:
    for number in itertools.count():
        body = {"shortcut": secrets.token_hex(6), "title": "x", "body": "Hello " * 300}
        yield (
            Ask("POST", "/admin/api/canned", body)
            if number % 2
            else Ask("GET", "/admin/api/canned")
        )


def _uploads() -> Asks:
    for number in itertools.count():
        path = f"threads/{number % _THREADS + 1}/files?name=a.txt"
        yield Ask("POST", f"/admin/api/{path}", b"some text, " * 20_000)


def _conversations() -> Asks:
    for number in itertools.count():
        path = f"threads/{number % _THREADS + 1}/messages?limit=100"
        yield Ask("GET", f"/admin/api/{path}")


def _sort_previews() -> Asks:
    rest = {"when": "", "by": "recent_at", "order": "newest"}
    for number in itertools.count():
        when = f"is:waiting -tag:z{number}"
        rules = [{"when": when, "by": "waiting_since", "order": "oldest"}, rest]
        yield Ask("POST", "/admin/api/sorts/preview", {"rules": rules, "view": "arrival"})


def _beats() -> Asks:
    for number in itertools.count():
        beats = [
            {"customer": f"b{number % 5}-{at}", "device": "d", "type": "web", "active": True}
            for at in range(1_000)
        ]
        yield Ask("POST", "/api/v1/presence", {"beats": beats})


def _batches() -> Asks:
    run = secrets.token_hex(4)
    for number in itertools.count():
        events = [_message(f"{run}-{number}-{at}", at) for at in range(500)]
        yield Ask("POST", "/api/v1/events", {"events": events})


def _message(id: str, thread: int) -> dict[str, object]:
    customer = {"id": f"attack-{thread}"}
    given = {"id": id, "type": "message", "thread": f"attack-{thread}", "customer": customer}
    return given | {"role": "client", "body": "x" * 200, "occurred_at": _now()}


def _storms() -> Asks:
    run = secrets.token_hex(4)
    for number in itertools.count():
        yield Ask("POST", "/api/v1/events", {"events": [*_tag_events(f"{run}-{number}")]})


def _tag_events(run: str) -> Iterator[dict[str, object]]:
    """Changes tags of the same few threads: each change moves them on many lists."""
    for at in range(400):
        given = {"id": f"{run}-{at}", "type": "thread.tags", "thread": f"attack-{at % 20}"}
        change = random.choice(("add", "remove"))
        yield given | {change: [f"t{at % 10}"], "occurred_at": _now()}


def _single_events() -> Asks:
    run = secrets.token_hex(4)
    for number in itertools.count():
        yield Ask("POST", "/api/v1/events", _message(f"{run}-{number}", number % 50))


def _looked_up() -> Asks:
    names = "&".join(f"customer=b{number % 5}-{number}" for number in range(300))
    return itertools.repeat(Ask("GET", f"/api/v1/presence?{names}"))


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _many_calls(event: str, argument: dict[str, object]) -> Callable[[Target, float], None]:
    """Calls on four sockets of one session; each calls again after its answer."""

    def run(target: Target, until: float) -> None:
        def call() -> None:
            with suppress(Exception):
                opened, number = target.socket(), 0
                while time.monotonic() < until:
                    number += 1
                    opened.send(f"42/admin,{number}{json.dumps([event, argument])}")
                    while not (got := opened.recv()).startswith(f"43/admin,{number}["):
                        if got == "2":
                            opened.send("3")

        threads = [threading.Thread(target=call, daemon=True) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return run


for _name, _summary, _needs, _asks in (
    ("previews", "previews of a query of 800 characters", "cookie", _previews),
    ("views", "views are saved without end", "cookie", _views),
    ("view-changes", "views are changed and deleted without end", "cookie", _views_by_number),
    ("searches", "searches by conditions and words", "cookie", _searches),
    (
        "completions",
        "what may be written behind tag:",
        "cookie",
        _by_admin("query/complete?text=tag:"),
    ),
    ("replies", "replies and notes", "cookie", _replies),
    ("bulk", "200 threads are tagged at once", "cookie", _tags),
    ("explain", "why a thread stands where it stands", "cookie", _explanations),
    ("canned", "canned replies are saved and listed", "cookie", _canned),
    ("uploads", "files of 200 KB", "cookie", _uploads),
    ("messages", "conversations are read", "cookie", _conversations),
    (
        "rows",
        "rows of 200 threads are read",
        "cookie",
        _by_admin(f"threads?ids={','.join(map(str, range(1, 201)))}"),
    ),
    (
        "online",
        "who was online is listed",
        "cookie",
        _by_admin("presence/online?within=7776000&limit=500"),
    ),
    ("team", "the team is listed", "cookie", _by_admin("team")),
    ("view-list", "the views are listed", "cookie", _by_admin("views")),
    ("openapi", "the description of the API is read", "cookie", _by_admin("openapi.json")),
    ("sort-previews", "sorts are previewed (a supervisor)", "cookie", _sort_previews),
    (
        "audit",
        "the audit log is exported (a supervisor)",
        "cookie",
        _by_admin("audit/export", "POST", {"format": "csv"}),
    ),
    ("beats", "1,000 heartbeats at once", "key", _beats),
    ("batches", "batches of 500 events", "key", _batches),
    ("storms", "400 changes of tags of 20 threads at once", "key", _storms),
    ("events", "single events", "key", _single_events),
    ("looked-up", "the presence of 300 customers", "key", _looked_up),
):
    _waiting(_name, _summary, _needs, _asks)

_LISTED = {"view": "arrival", "sort": "arrival"}
for _name, _summary, _event, _argument in (
    (
        "more",
        "500 rows of a list, on four sockets",
        "list:more",
        _LISTED | {"after": [0, 0], "limit": 500},
    ),
    (
        "through",
        "20,000 entries of a list, on four sockets",
        "list:more",
        _LISTED | {"after": [0, 0], "through": 2**50},
    ),
    ("opens", "a list of 500 is opened, on four sockets", "list:open", _LISTED | {"limit": 500}),
    (
        "watched",
        "200 threads are watched, on four sockets",
        "threads:watch",
        {"add": list(range(1, 201))},
    ),
):
    attack(f"wait-{_name}", _summary, "cookie", 1.5)(_many_calls(_event, _argument))
