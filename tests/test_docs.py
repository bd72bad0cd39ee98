"""docs/protocol.md names all that the code sends, takes and stores, and nothing else."""

import json
import re

import pytest

from dashboard import protocol, rate_limits
from dashboard.db.lists.allowances import TEMPORARY
from dashboard.db.search.words import TERMS_MAX
from dashboard.live.broadcaster import BUSY_FRAME_SECONDS, FRAME_SECONDS, PUSHING_SHARE
from dashboard.live.live_lists import LISTS_MAX
from dashboard.ordering.list_keeper import TEMPORARY_MAX
from dashboard.web.admin.pages import SETTINGS_PAGES
from dashboard.web.server.gate import SOCKET_PATH
from scoring.conditions.language.parser import LENGTH_MAX
from scoring.keys import LOSS_EVENTS, NOTIFY_FLAGS
from scoring.views import BUILT_IN_VIEWS
from tests.repository import ROOT, written_files

PROTOCOL = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
_EVENT = r"(?:list|threads?|presence|pages|order|server|session|sources|notices|queues?):[a-z]+"


def test_every_socket_event_is_described_and_exists():
    in_code = {
        name
        for path in written_files(".py")
        if ROOT / "dashboard" in path.parents
        for name in re.findall(rf'"({_EVENT})"', path.read_text(encoding="utf-8"))
    }
    assert in_code == set(re.findall(rf"`({_EVENT})(?=[ `])", PROTOCOL))


def test_the_version_of_the_protocol_is_that_of_the_code():
    assert re.findall(r'"protocol": (\d+)', PROTOCOL) == [str(protocol.PROTOCOL)]


def test_the_notifications_that_are_listened_to_are_described():
    assert f"`{NOTIFY_FLAGS}`" in PROTOCOL
    assert [event for event in LOSS_EVENTS if f"`{event}`" not in PROTOCOL] == []


@pytest.mark.parametrize(
    "text",
    [
        f"path `{SOCKET_PATH}`",
        f"{rate_limits.SOCKET_CALLS.size} a second for each socket",
        f"{rate_limits.ADMIN_CALLS.size} a second for an admin's sockets",
        f"at most one each {FRAME_SECONDS * 1_000:.0f} ms (up to {BUSY_FRAME_SECONDS * 1_000:.0f}",
        f"more than {PUSHING_SHARE * 100:.0f} % of a worker's time",
        f"{LISTS_MAX} lists of queries open",
        f"ask for {rate_limits.NEW_LISTS.size} new ones at once",
        f"{TEMPORARY_MAX:,} lists that are needed only while they are open",
        f"at most {TEMPORARY.most.conditions:,} conditions together",
        f"`q` has up to {LENGTH_MAX:,} characters",
        f"phrases the first {TERMS_MAX} count",
    ],
)
def test_limits_are_those_of_the_code(text):
    assert text in " ".join(PROTOCOL.split())


def test_the_glossary_names_the_built_in_views():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    meaning = re.search(r"^\| view \| (.*?) are built in", text, re.M)
    assert tuple(re.findall(r"`(\w+)`", meaning[1] if meaning else "")) == BUILT_IN_VIEWS


def test_the_guide_names_every_page_of_the_settings():
    names = json.loads((ROOT / "static/i18n/settings/en.json").read_text(encoding="utf-8"))
    _, _, text = (ROOT / "docs" / "desk.md").read_text(encoding="utf-8").partition("three groups:")
    groups = re.findall(r"\*\*\w+\*\* \((.*?)\)", text.partition("Some pages")[0], re.S)
    named = [name.casefold() for group in groups for name in re.split(r",\s+", group)]
    pages = [names[f"settings.{page.name}"].casefold() for page in SETTINGS_PAGES]
    assert sorted(" ".join(name.split()) for name in named) == sorted(pages)


def test_worked_examples_are_tests_of_this_repository():
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    examples = re.findall(r"^From \[([^\]]+)\]\([^)]*\):\n\n```python\n(.*?)```", text, re.M | re.S)
    assert len(examples) == 3
    for name, code in examples:
        assert code in (ROOT / name).read_text(encoding="utf-8"), f"{name} reads otherwise now"


#: First folders of the paths in code spans that must exist; others are addresses and examples.
_ROOTS = ("bench", "dashboard", "demo", "docs", "examples", "migrations", "presence", "scoring")
_ROOTS += ("static", "templates", "tests", "tools", "lua_scripts")


def test_files_that_documents_name_exist():
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in documents
        for name in re.findall(r"`([\w./*-]+)`", path.read_text(encoding="utf-8"))
        if name.partition("/")[0] in _ROOTS and "/" in name and not list(ROOT.glob(name))
    }
    assert not missing


def test_nothing_cites_a_document_that_is_not_here():
    """A rule stands in docs/requirements or docs/protocol.md, not in "the contract"."""
    citation = re.compile(
        r"\b(contract section|section \d+ of the contract|the contract's table)", re.I
    )
    citing = [
        str(path.relative_to(ROOT))
        for path in written_files(".py", ".lua", ".js", ".mjs", ".md", ".css", ".html")
        if path != ROOT / "tests" / "test_docs.py"
        and citation.search(path.read_text(encoding="utf-8"))
    ]
    assert citing == []
