"""Both OpenAPI documents say what the models do."""

import ast

import pytest

from dashboard.validation.fields import Partial
from dashboard.web.bot.openapi import document
from dashboard.web.http.api_reference import names_in_bodies
from tests.repository import ROOT, nodes_of

#: Readers of which members were sent, besides `Partial.changes`, and why they need no `Partial`.
ASKS_WHAT_WAS_SENT = {
    "dashboard/web/admin/audit/requests.py": "a cursor stands alone, and no member has a default",
    "dashboard/web/admin/bulk.py": "`admin_id` may be null, and must be sent with one action",
    "dashboard/web/admin/preferences.py": "its models are partial, in all their depth",
    "dashboard/web/admin/hours/requests.py": "a calendar is stored as it was written",
    "dashboard/ingest/schema.py": "a missing body has another code than an empty one",
}


@pytest.fixture(params=["bot", "dashboard"])
def api(request):
    """One of the two documents."""
    if request.param == "bot":
        return document()
    return request.getfixturevalue("mai").get("/admin/api/openapi.json").json


def _posted(api) -> dict[str, dict]:
    """The schemas that the bodies of requests are made of."""
    return {name: api["components"]["schemas"][name] for name in names_in_bodies(api)}


def _partial_models() -> set[str]:
    models = [Partial]
    for model in models:
        models += model.__subclasses__()
    return {model.__name__ for model in models}


def test_no_member_has_a_default_where_what_is_left_out_stays(api):
    """A generated client sends the defaults of the document: they would undo what was set."""
    schemas = _posted(api)
    partial = {"Customer", "PresenceSettings"} & schemas.keys()
    assert partial <= _partial_models()
    assert _partial_models() & schemas.keys()
    for name in _partial_models() & schemas.keys():
        with_default = [m for m, text in schemas[name]["properties"].items() if "default" in text]
        assert with_default == [], name


def test_no_member_is_null_by_default(api):
    """Null takes back what was set, in many members; so a client must not send it by itself."""
    null = [
        f"{name}.{member}"
        for name, schema in _posted(api).items()
        for member, text in schema.get("properties", {}).items()
        if text.get("default", "") is None
    ]
    assert null == []


def test_only_partial_models_ask_what_was_sent():
    """Where a missing member means something else than its default, no default is published."""
    asking = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "dashboard").rglob("*.py")
        for node in nodes_of(path)
        if (isinstance(node, ast.Attribute) and node.attr == "model_fields_set")
        or (isinstance(node, ast.keyword) and node.arg == "exclude_unset")
    }
    assert asking == {*ASKS_WHAT_WAS_SENT, "dashboard/validation/fields.py"}
