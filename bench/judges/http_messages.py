"""httplint, the linter behind REDbot, over the answers of a running Lineup."""

import base64
import http.client
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.judges.judge import MODES, Finding, Judge, Verdict
from bench.judges.surroundings import output, own_program, own_versions
from bench.processes import ROOT
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.servers.lineup import PASSWORD, cookie_of

LINTER = Path(__file__).with_name("lint_answers.py")
SECONDS = 30
HTML = {"Accept": "text/html,application/xhtml+xml"}
FORM = "application/x-www-form-urlencoded"
STATIC = ROOT / "static"


class Call(NamedTuple):
    """A request, and the status that shows that it reached what is to be judged."""

    name: str
    status: int
    path: str
    method: str = "GET"
    headers: Mapping[str, str] = {}
    body: bytes | None = None


def run(folder: Path) -> Iterator[Verdict]:
    for mode in MODES:
        (folder / mode).mkdir()
        with running_lineup(folder / mode, async_mode=mode) as lineup:
            calls = [*_calls(lineup)]
            answers = [_answer(lineup, call) for call in calls]
        said = output(own_program("python"), LINTER, given=json.dumps(answers))
        found = [
            Finding(name, call.name, summary)
            for call, notes in zip(calls, json.loads(said), strict=True)
            for name, summary in notes
        ]
        yield Verdict(mode, len(calls), found)


def _calls(lineup: LineupDriver) -> Iterator[Call]:
    admin = {"Cookie": cookie_of(lineup.mai), "Origin": lineup.server.url}
    bot = {"Authorization": str(lineup.bot.headers["Authorization"])}
    thread = lineup.say("judged")
    yield from _pages(admin)
    yield from _files(lineup, admin, thread)
    yield from _of_the_bot(lineup, bot)
    yield from _of_the_dashboard(admin, thread)
    yield from _probes()


def _pages(admin: dict[str, str]) -> Iterator[Call]:
    yield Call("page of sign-in", 200, "/login", headers=HTML)
    yield Call("redirect to sign-in", 302, "/", headers=HTML)
    yield Call("dashboard", 200, "/", headers=HTML | admin)
    yield Call("page of settings", 200, "/settings/profile", headers=HTML | admin)
    yield Call("redirect to settings", 302, "/profile", headers=HTML | admin)
    yield Call("page of an error", 404, "/nothing", headers=HTML)
    yield Call("documentation", 200, "/api/docs", headers=HTML)
    right = f"email=mai%40example.com&password={PASSWORD.replace(' ', '+')}".encode()
    form = HTML | {"Content-Type": FORM, "Origin": admin["Origin"]}
    yield Call("signed in by a form", 303, "/login", "POST", form, right)
    yield Call("refused by the form", 401, "/login", "POST", form, right + b"x")


def _files(lineup: LineupDriver, admin: dict[str, str], thread: int) -> Iterator[Call]:
    manifest = json.loads((STATIC / "build" / "manifest.json").read_bytes())["files"]
    script = f"/static/build/{manifest['js/main.js']}"
    style = f"/static/build/{manifest['css/dashboard.css']}"
    yield Call("script, compressed", 200, script, headers={"Accept-Encoding": "br, gzip"})
    yield Call("script, as it is", 200, script)
    yield Call("style, its head", 200, style, "HEAD", {"Accept-Encoding": "gzip"})
    yield Call("part of a style", 206, style, headers={"Range": "bytes=0-99"})
    etag = lineup.mai.get(lineup.server.url + script).headers["ETag"]
    unchanged = {"If-None-Match": etag, "Accept-Encoding": "gzip"}
    yield Call("script, unchanged", 304, script, headers=unchanged)
    url = f"{lineup.server.url}/admin/api/threads/{thread}/files?name=a%20note.txt"
    plain = {"Content-Type": "application/octet-stream"}
    file = lineup.mai.post(url, data=b"A note.\n" * 100, headers=plain).json()["file"]["id"]
    yield Call("file of an admin", 200, f"/admin/api/files/{file}", headers=admin)
    yield Call("file, discarded", 204, f"/admin/api/files/{file}", "DELETE", admin)


def _of_the_bot(lineup: LineupDriver, bot: dict[str, str]) -> Iterator[Call]:
    sent = {**bot, "Content-Type": "application/json"}
    event = json.dumps(lineup.message_event("judged", "Hello")).encode()
    yield Call("event, taken", 201, "/api/v1/events", "POST", sent, event)
    yield Call("event, known", 200, "/api/v1/events", "POST", sent, event)
    yield Call("event, wrong", 422, "/api/v1/events", "POST", sent, b"{}")
    yield Call("event, no JSON", 400, "/api/v1/events", "POST", sent, b"{")
    yield Call("events", 200, "/api/v1/events", headers=bot)
    yield Call("list", 200, "/api/v1/lists/arrival/arrival", headers=bot)
    yield Call("without a key", 401, "/api/v1/events")
    yield Call("method that is none", 405, "/api/v1/events", "PATCH", sent, b"{}")
    yield Call("document", 200, "/api/v1/openapi.json")


def _of_the_dashboard(admin: dict[str, str], thread: int) -> Iterator[Call]:
    yield Call("admin", 200, "/admin/api/me", headers=admin)
    yield Call("rows", 200, f"/admin/api/threads?ids={thread}", headers=admin)
    yield Call("conversation", 200, f"/admin/api/threads/{thread}/messages", headers=admin)
    yield Call("without a session", 401, "/admin/api/me")
    yield Call("not allowed", 403, "/admin/api/keys", headers=admin)
    foreign = {**admin, "Origin": "https://other.example", "Content-Type": "application/json"}
    yield Call("foreign origin", 403, f"/admin/api/threads/{thread}/close", "POST", foreign, b"{}")
    yield Call("no socket", 400, "/socket.io/?EIO=4&transport=polling", headers=admin)


def _probes() -> Iterator[Call]:
    yield Call("alive", 200, "/healthz")
    yield Call("ready", 200, "/readyz")
    yield Call("metrics", 200, "/metrics")
    yield Call("doubled slashes", 404, "//login")


def _answer(lineup: LineupDriver, call: Call) -> dict[str, Any]:
    """Sends the request; returns the answer as lint_answers.py reads it."""
    connection = http.client.HTTPConnection("127.0.0.1", lineup.server.port, timeout=SECONDS)
    connection.request(call.method, call.path, call.body, dict(call.headers))
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    assert answer.status == call.status, f"{call}: {answer.status} {content[:300]!r}"
    return {
        "method": call.method,
        "status": answer.status,
        "reason": answer.reason,
        "headers": answer.getheaders(),
        "content": base64.b64encode(content).decode(),
    }


JUDGE = Judge(
    "http",
    "httplint on the answers to requests for pages, files, both APIs, errors and redirects. Its"
    " warnings and mistakes are findings.",
    lambda: own_versions("httplint"),
    run,
)
