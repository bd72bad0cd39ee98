"""Both OpenAPI documents agree with the models, and linters find nothing in them."""

import ast
import json

import pytest
from pydantic import create_model
from werkzeug.exceptions import MethodNotAllowed

from dashboard.event_types import OUTGOING_TYPES, WEBHOOK_TEST, WEBHOOK_TYPES
from dashboard.validation.fields import Partial
from dashboard.web.bot.openapi import document, names_in_bodies
from dashboard.web.http import openapi
from dashboard.web.http.routes import Route, done
from tests.dashboard.web.linters import LINTERS, complaints
from tests.repository import ROOT, nodes_of

#: Modules that read which members were sent other than by `Partial.changes`, with the reason.
ASKS_WHAT_WAS_SENT = {
    "dashboard/web/admin/access/audit.py": "a cursor stands alone, and no member has a default",
    "dashboard/web/admin/bulk.py": "`admin_id` may be null, and must be sent with one action",
    "dashboard/web/admin/preferences.py": "its models are partial, in all their depth",
    "dashboard/web/admin/lists/calendars.py": "a calendar is stored as it was written",
    "dashboard/event_types.py": "a missing body has another code than an empty one",
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
    """If a missing member means something else than its default, no default is published."""
    asking = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "dashboard").rglob("*.py")
        for node in nodes_of(path)
        if (isinstance(node, ast.Attribute) and node.attr == "model_fields_set")
        or (isinstance(node, ast.keyword) and node.arg == "exclude_unset")
    }
    assert asking == {*ASKS_WHAT_WAS_SENT, "dashboard/validation/fields.py"}


@pytest.mark.parametrize("linter", LINTERS)
def test_linters_find_mistakes_and_none_in_our_documents(mai, tmp_path, linter):
    wrong = json.loads(json.dumps(document()))
    wrong["paths"]["/events"]["get"]["parameters"][1]["schema"]["type"] = "whole"
    served = mai.get("/admin/api/openapi.json").json
    for name, text in {"bot": document(), "dashboard": served, "wrong": wrong}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(text), encoding="utf-8")
    said = complaints(linter, sorted(tmp_path.glob("*.json")))
    assert {complaint.file for complaint in said} == {"wrong.json"}, said


def test_two_models_of_one_name_are_refused():
    first = create_model("Twin", name=(str, ...))
    second = create_model("Twin", count=(int, ...))
    tagged = openapi.Api("Title", "", "/", {}, {401: "", 403: ""}, {"twins": "Twins."})
    one = Route("GET", "/twins/one", "getOne", "One", done(first))
    other = Route("GET", "/twins/other", "getOther", "Other", done(second))
    with pytest.raises(ValueError, match="one name"):
        openapi.document(tagged, [one, other])


def test_every_reference_leads_to_a_schema(api):
    names = set(_references(api))
    assert names == api["components"]["schemas"].keys()


def _references(value):
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from _references(part)
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        yield value["$ref"].removeprefix("#/components/schemas/")


def test_every_path_allows_the_methods_that_are_described_and_no_others(api, dashboard):
    """No segment that somebody chooses, such as an id, is taken for the name of a call."""
    adapter = dashboard.app.url_map.bind("localhost")
    prefix = api["servers"][0]["url"]
    for path, methods in api["paths"].items():
        example = path
        for parameter in next(iter(methods.values()))["parameters"]:
            if parameter["in"] == "path":
                example = example.replace(f"{{{parameter['name']}}}", str(parameter["example"]))
        with pytest.raises(MethodNotAllowed) as refused:
            adapter.match(prefix + example, "BREW")
        allowed = {*refused.value.valid_methods} - {"HEAD", "OPTIONS"}
        assert allowed == {method.upper() for method in methods}, path


def test_every_type_of_event_that_goes_out_is_described():
    described = document()["webhooks"]
    assert described.keys() == {*WEBHOOK_TYPES, WEBHOOK_TEST.name}
    mapping = document()["components"]["schemas"]["OutgoingEvent"]["discriminator"]["mapping"]
    assert mapping.keys() == {type.name for type in OUTGOING_TYPES}
