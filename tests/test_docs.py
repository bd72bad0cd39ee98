"""docs/protocol.md names all that the code sends, takes and stores, and nothing else."""

import re

from dashboard import protocol
from scoring.keys import LOSS_EVENTS, NOTIFY_FLAGS
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
