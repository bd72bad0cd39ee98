"""Clients generated from the OpenAPI documents by others' tools, against a real server."""

import importlib
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.drivers.lineup import LineupDriver
from tests.repository import ROOT
from tests.servers.lineup import cookie_of

pytestmark = pytest.mark.slow
BINARIES = ROOT / "node_modules/.bin"
WHOLE = {
    "name": "Mai",
    "member_status": 2,
    "locale": "vi",
    "avatar_url": "https://cdn.example/a.png",
}
SHOWN = {
    "status": "busy",
    "text": "back soon",
    "activity": "calls",
    "visibility": "contacts",
    "show_last_seen": False,
    "show_typing": False,
}
PREFERENCES = {"theme": "dark", "list_width": 333}
SORTS = {"arrival": "priority", "history": "priority"}


@pytest.fixture
def documents(lineup: LineupDriver, tmp_path: Path) -> Path:
    """A folder with `bot.json` and `dashboard.json`, as they are served."""
    served = {
        "bot": requests.get(f"{lineup.server.url}/api/v1/openapi.json", timeout=60),
        "dashboard": lineup.mai.get(f"{lineup.server.url}/admin/api/openapi.json"),
    }
    for name, answer in served.items():
        assert answer.status_code == 200
        (tmp_path / f"{name}.json").write_bytes(answer.content)
    return tmp_path


def _run(folder: Path, *words: object) -> str:
    done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _python_client(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Generates a client; returns the name of its package. Fails if a part is left out."""
    (folder / "config.yaml").write_text("post_hooks: []", encoding="utf-8")
    made = folder / f"{name}-client"
    program = Path(sys.executable).with_name("openapi-python-client")
    options = ("--config", "config.yaml", "--output-path", made)
    told = _run(folder, program, "generate", "--path", f"{name}.json", *options)
    # No generator has a type for the content of any file.
    assert told.count("WARNING") == told.count("Unsupported content_type */*"), told
    monkeypatch.syspath_prepend(made)
    return f"lineup_{name}_api_client"


def _call(package: str, path: str, client: Any, **given: Any) -> Any:
    """Calls an operation of a generated client; returns its answer's model."""
    answer = importlib.import_module(f"{package}.api.{path}").sync_detailed(client=client, **given)
    assert answer.status_code in (200, 201), answer.content
    return answer.parsed


def test_a_python_client_forgets_nothing_that_it_does_not_name(lineup, documents, monkeypatch):
    package = _python_client(documents, "bot", monkeypatch)
    models = importlib.import_module(f"{package}.models")
    url, key = lineup.server.url, lineup.server.create_key()
    client = importlib.import_module(package).AuthenticatedClient(f"{url}/api/v1", key)
    for number, stated in enumerate((WHOLE, {})):
        event = models.MessageEvent(
            id=f"py-{number}",
            occurred_at=datetime.now(UTC),
            type_="message",
            thread="t-py",
            customer=models.Customer(id="c-py", **stated),
            role=models.MessageEventRole.CLIENT,
            body="hello",
        )
        _call(package, "events.post_events", client, body=event)
    row = _call(package, "threads.get_thread", client, thread="t-py")
    assert row.customer.to_dict() == {"id": "c-py", **WHOLE}
    for change in (SHOWN, {"text": "back soon"}):
        settings = models.PresenceSettings.from_dict(change)
        shown = _call(package, "presence.put_presence", client, customer="c-py", body=settings)
    assert shown.to_dict() == SHOWN | {"until": None}
    assert _call(package, "lists.get_list", client, view="arrival", sort="arrival").total > 0


def test_a_python_client_of_the_dashboard_changes_one_preference(lineup, documents, monkeypatch):
    package = _python_client(documents, "dashboard", monkeypatch)
    url = lineup.server.url
    headers = {"Cookie": cookie_of(lineup.mai), "Origin": url}
    client = importlib.import_module(package).Client(f"{url}/admin/api", headers=headers)
    model = importlib.import_module(f"{package}.models").PreferencesRequest
    for change in (PREFERENCES | {"sorts": {"arrival": "priority"}}, {"sorts": SORTS}):
        body = model.from_dict(change)
        kept = _call(package, "me.patch_preferences", client, body=body).to_dict()
    assert PREFERENCES.items() <= kept.items() and SORTS.items() <= kept["sorts"].items()


def test_a_typescript_client_forgets_nothing_that_it_does_not_name(lineup, documents):
    for name in ("bot", "dashboard"):
        _run(documents, BINARIES / "openapi-typescript", f"{name}.json", "-o", f"{name}.d.ts")
    (documents / "node_modules").symlink_to(ROOT / "node_modules")
    (documents / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    program = ROOT / "tests/live/threads/generated_client.ts"
    (documents / "client.ts").write_bytes(program.read_bytes())
    options = {"strict": True, "target": "es2022", "module": "preserve", "types": []}
    config = {"compilerOptions": options, "files": ["client.ts"]}
    (documents / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    _run(documents, BINARIES / "tsc")
    url, key = lineup.server.url, lineup.server.create_key()
    told = _run(documents, "node", "client.js", url, key, cookie_of(lineup.mai))
    answers = json.loads(told)
    assert answers["customer"] == {"id": "c-ts", **WHOLE}
    assert answers["shown"] == SHOWN | {"until": None}
    kept = answers["preferences"]
    assert PREFERENCES.items() <= kept.items() and SORTS.items() <= kept["sorts"].items()
