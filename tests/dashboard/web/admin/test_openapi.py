"""The OpenAPI document of the dashboard's API is valid, whole, and true to the answers."""

import json
from typing import Any

import pytest
from openapi_spec_validator import validate

from dashboard.db.accounts.canned_replies import Canned
from tests.dashboard.web.answers import is_problem

API = "/admin/api"


def test_the_document_is_valid_and_for_admins_only(dashboard, mai):
    served = mai.get(f"{API}/openapi.json").json
    validate(served)
    assert dashboard.client().get(f"{API}/openapi.json").status_code == 401


def test_every_route_of_the_dashboards_api_is_described(dashboard, mai):
    served = mai.get(f"{API}/openapi.json").json
    described = {
        (method.upper(), API + path)
        for path, methods in served["paths"].items()
        for method in methods
    }
    declared = {
        (view.route.method, API + view.route.path)
        for rule in dashboard.app.url_map.iter_rules()
        if rule.rule.startswith(API) and rule.rule != f"{API}/openapi.json"
        for view in [dashboard.app.view_functions[rule.endpoint]]
    }
    assert described == declared
    assert len(declared) == 110


def test_an_answer_that_fits_no_model_of_its_route_fails_a_test(dashboard, mai, monkeypatch):
    wrong: Any = "1"
    listing = "dashboard.web.admin.canned.canned_replies.listing"
    monkeypatch.setattr(listing, lambda connection: [Canned(wrong, "a", "A", 1)])
    with pytest.raises(AssertionError, match="getCanned answers"):
        mai.get(f"{API}/canned")


def test_every_deletion_refuses_a_body_that_is_no_json(dashboard, mai):
    chief = dashboard.sign_in("Chief", "supervisor")
    paths = mai.get(f"{API}/openapi.json").json["paths"]
    deletions = {path: methods["delete"] for path, methods in paths.items() if "delete" in methods}
    assert len(deletions) == 12
    for path, deletion in deletions.items():
        ids = {given["name"]: given["example"] for given in deletion["parameters"]}
        answer = chief.delete(API + path.format(**ids), data=b"x", content_type="text/plain")
        assert is_problem(answer, 415, "unsupported_media_type"), path


def test_problems_with_members_of_their_own_are_described(mai):
    schemas = mai.get(f"{API}/openapi.json").json["components"]["schemas"]
    assert {"unseen", "assignee", "assigned_at"} <= set(schemas["ActionProblem"]["properties"])
    assert "unseen" not in schemas["Problem"]["properties"]


def test_each_time_zone_says_what_counts_without_it(mai):
    served = mai.get(f"{API}/openapi.json").json
    own, kept = "default: the profile's, else UTC", "default: the present one"
    for method, path, default in (
        ("post", "/views", own),
        ("post", "/views/preview", own),
        ("put", "/views/{view_id}", kept),
        ("post", "/sorts", own),
        ("post", "/sorts/preview", own),
        ("put", "/sorts/{name}", kept),
        ("put", "/profile", "Null: the browser's time zone"),
    ):
        content = served["paths"][path][method]["requestBody"]["content"]["application/json"]
        name = content["schema"]["$ref"].rpartition("/")[2]
        described = json.dumps(served["components"]["schemas"][name]["properties"]["timezone"])
        assert default in described, path
    [searched] = [
        parameter
        for parameter in served["paths"]["/search"]["get"]["parameters"]
        if parameter["name"] == "timezone"
    ]
    assert own in searched["description"]


@pytest.mark.parametrize(
    ("path", "method", "name"),
    [
        ("/query/complete", "get", "text"),
        ("/search", "get", "q"),
        ("/threads/{thread_id}/matches", "get", "q"),
        ("/threads/{thread_id}/files", "post", "name"),
    ],
)
def test_the_longest_text_of_a_query_is_published(dashboard, mai, path, method, name):
    served = mai.get(f"{API}/openapi.json").json
    [schema] = [
        parameter["schema"]
        for parameter in served["paths"][path][method]["parameters"]
        if parameter["name"] == name
    ]
    url = API + path.replace("{thread_id}", str(dashboard.say("long")))
    for more, is_refused in ((0, False), (1, True)):
        text = {name: "x" * (schema["maxLength"] + more)}
        given = {"data": b"x", "content_type": "application/octet-stream"} if name == "name" else {}
        answer = mai.open(url, method=method.upper(), query_string=text, **given)
        code = (answer.json.get("errors") or [{}])[0].get("code")
        assert (code == "too_long") == is_refused, answer.text
