"""The OpenAPI document is valid, true to the API, and readable as pages."""

import re
from html import unescape

import jsonschema
import pytest
from openapi_spec_validator import validate

from dashboard import languages
from dashboard.languages import LOCALES
from dashboard.web.bot.openapi import document
from tests.drivers.bot import message


def check(value, name: str) -> None:
    """Validates a value against a schema of the document."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": document()["components"]}
    jsonschema.Draft202012Validator(schema).validate(value)


def test_the_document_is_valid_openapi(bot):
    served = bot.http.get("/api/v1/openapi.json").json
    validate(served)
    assert served == document()


def test_every_route_of_the_bot_api_is_described(bot):
    described = {
        (method.upper(), "/api/v1" + path.replace("{", "<").replace("}", ">"))
        for path, methods in document()["paths"].items()
        for method in methods
    }
    there = {
        (method, re.sub(r"<other_than.*:", "<", rule.rule))
        for rule in bot.app.url_map.iter_rules()
        if rule.endpoint.startswith(("bot_api.", "bot_presence."))
        for method in rule.methods - {"HEAD"}
    }
    assert described == there


def test_what_is_posted_and_answered_fits_the_schemas(bot):
    event = message(customer={"id": "c", "name": "Mai", "avatar_url": None})
    check(event, "Event")
    check(bot.post(event).json, "Result")
    batch = {"events": [event, message(body="")]}
    check(batch, "Batch")
    check(bot.post(batch).json, "BatchResults")
    check(bot.get("threads/t").json, "Row")
    check(bot.get("lists/arrival/priority").json, "List")
    check(bot.get("threads/nothing").get_json(force=True), "Problem")


def test_an_answer_that_fits_no_model_of_its_route_fails_a_test(bot, monkeypatch):
    monkeypatch.setattr(
        bot.bot_presence, "look_up", lambda source, customers: {"c": {"status": "?"}}
    )
    with pytest.raises(AssertionError, match="getPresence answers"):
        bot.get("presence", customer="c")


@pytest.mark.parametrize(
    "wrong",
    [
        message(extra=1),
        message(role="boss"),
        message(id="a b"),
        message(private="yes"),
        message(customer={"id": "c", "member_status": 9}),
        {"type": "message"},
    ],
)
def test_what_the_api_refuses_the_schema_refuses(bot, wrong):
    assert bot.post(wrong).status_code == 422
    with pytest.raises(jsonschema.ValidationError):
        check(wrong, "Event")


def test_the_example_can_be_posted_as_it_stands(bot):
    post = document()["paths"]["/events"]["post"]
    example = post["requestBody"]["content"]["application/json"]["example"]
    assert bot.post(example).status_code == 201


def test_the_page_for_people_is_kept_by_nobody_and_runs_nothing_of_others(bot):
    headers = bot.http.get("/api/docs").headers
    assert headers["Cache-Control"] == "no-store"
    assert {"Accept-Language", "Cookie"} <= set(headers["Vary"].split(", "))
    assert "default-src 'self'" in headers["Content-Security-Policy"]


def test_the_pages_name_every_call_and_load_nothing_from_elsewhere(bot):
    page = unescape(bot.http.get("/api/docs").get_data(as_text=True))
    for path, methods in document()["paths"].items():
        assert f"/api/v1{path}" in page
        for call in methods.values():
            assert call["summary"] in page
    assert "curl " in page and "Authorization: Bearer $KEY" in page
    sources = [part.split('"')[0] for part in page.split('src="')[1:] + page.split('href="')[1:]]
    assert all(source.startswith(("/", "#")) for source in sources)
    assert "<script" not in page and "style=" not in page


@pytest.mark.parametrize("locale", LOCALES)
def test_the_pages_speak_the_readers_language(bot, locale):
    """Headings and calls are translated; English parts are marked as such, for screen readers."""
    answer = bot.http.get("/api/docs", headers={"Accept-Language": locale})
    page = unescape(answer.get_data(as_text=True))
    known = languages.texts(locale)
    assert f'<html lang="{locale}">' in page
    for name, text in known.items():
        if name.startswith("docs."):
            assert text in page, name
    steps = languages.page_texts(locale)
    for step in ("key", "post", "invite", "webhook", "hours"):
        assert f"<li><b>{steps[f'first.{step}']}</b><p>{steps[f'first.{step}.text']}" in page
    calls = [call for methods in document()["paths"].values() for call in methods.values()]
    for call in calls:
        assert f"docs.{call['operationId']}" in known
        assert f'<p lang="en">{call["description"].replace("`", "")}</p>' in page
    summaries = {call["summary"] for call in calls}
    assert summaries == {languages.texts("en")[f"docs.{call['operationId']}"] for call in calls}
    assert [text for text in summaries if text in page] == ([*summaries] if locale == "en" else [])
