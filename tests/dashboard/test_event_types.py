"""The table of event types agrees with its models, the documents and the page's texts."""

import json

import pytest

from dashboard.event_types import (
    ACT_TYPES,
    EVENT_TYPES,
    NAMED_TYPES,
    WEBHOOK_TEST,
    WEBHOOK_TYPES,
)
from tests.repository import ROOT

PROTOCOL = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("type", EVENT_TYPES.values(), ids=lambda type: type.name)
def test_a_stored_event_names_its_type(type):
    for model in filter(None, (type.model, type.stored_model)):
        assert model.model_json_schema()["properties"]["type"]["const"] == type.name


@pytest.mark.parametrize("name", [*WEBHOOK_TYPES, WEBHOOK_TEST.name])
def test_the_protocol_describes_each_event_for_chatbots(name):
    assert f"`{name}`" in PROTOCOL


def test_the_types_that_must_be_named_are_those_of_presence():
    """Documents and the page call them `presence.*`."""
    assert {name for name in WEBHOOK_TYPES if name.startswith("presence.")} == NAMED_TYPES


@pytest.mark.parametrize(
    "path", sorted((ROOT / "static/i18n").glob("*.json")), ids=lambda p: p.name
)
def test_the_page_has_words_for_each_act(path):
    texts = json.loads(path.read_text(encoding="utf-8"))
    for name in ACT_TYPES:
        line = f"did.line.{name.removeprefix('thread.').removesuffix('_changed')}"
        assert any(key.startswith(line) for key in texts), name
