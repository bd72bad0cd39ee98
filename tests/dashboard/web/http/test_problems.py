"""Every error is a problem, or a page where a person asks for one."""

import io
import json
import logging
from pathlib import Path

import pytest
from flask import Flask, abort, redirect, request

from dashboard.errors import Problem
from dashboard.logs import JsonFormatter
from dashboard.web.http import problems

ROOT = Path(__file__).parents[4]


@pytest.fixture
def app() -> Flask:
    app = Flask("lineup", root_path=str(ROOT), template_folder="templates")
    problems.install(app)
    app.jinja_env.globals["asset"] = str  # the pages' files do not matter here

    @app.get("/boom")
    def boom():
        raise RuntimeError("SELECT secret FROM vault")

    @app.get("/problem")
    def problem():
        raise Problem(429, "rate_limited", "Too fast.", headers={"Retry-After": "7"})

    @app.get("/moved")
    def moved():
        return redirect("/problem", 308)

    @app.post("/form")
    def form():
        request.max_form_memory_size = 10
        return request.form["missing"]

    @app.get("/teapot")
    def teapot():
        abort(418)

    return app


@pytest.fixture
def http(app):
    return app.test_client()


def test_a_problem_is_answered_with_its_headers(http):
    answer = http.get("/problem")
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "7"
    assert json.loads(answer.data) == {
        "type": "/problems/rate_limited",
        "title": "Too Many Requests",
        "status": 429,
        "code": "rate_limited",
        "detail": "Too fast.",
        "instance": "/problem",
        "errors": [],
    }


def test_an_unknown_address_is_not_found(http):
    assert json.loads(http.get("/nothing").data)["code"] == "not_found"


def test_options_is_a_method_like_others(http):
    answer = http.options("/problem")
    assert (answer.status_code, json.loads(answer.data)["code"]) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "GET, HEAD"


def test_an_unexpected_error_is_answered_without_its_cause_and_logged_with_it(http, caplog):
    answer = http.get("/boom")
    assert (answer.status_code, json.loads(answer.data)["code"]) == (500, "internal_error")
    assert b"SELECT" not in answer.data and b"Traceback" not in answer.data
    assert "SELECT secret" in caplog.text


def test_refusals_of_the_framework_are_answered_as_problems(http):
    for path, status in (("/teapot", 418), ("/form", 400)):
        answer = http.open(path, method="POST" if path == "/form" else "GET")
        body = json.loads(answer.data)
        assert (answer.status_code, body["status"]) == (status, status)
        assert "missing" not in body["detail"]


def test_a_redirect_is_no_error(http):
    assert http.get("/moved").status_code == 308


@pytest.mark.parametrize(
    ("accept", "is_page"),
    [
        (None, False),
        ("*/*", False),
        ("application/json", False),
        ("application/problem+json, text/html;q=0.5", False),
        ("text/html", True),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", True),
        ("nonsense", False),
    ],
)
def test_a_page_is_answered_where_html_is_preferred(http, accept, is_page):
    headers = {} if accept is None else {"Accept": accept}
    answer = http.get("/<script>alert(1)</script>", headers=headers)
    assert answer.status_code == 404
    assert (answer.mimetype == "text/html") is is_page
    assert "Accept" in answer.headers["Vary"].split(", ")
    if is_page:
        assert b"<script>alert" not in answer.data


def test_an_instance_is_cut(http):
    body = json.loads(http.get("/" + "x" * 5_000).data)
    assert len(body["instance"]) == 100


def test_a_log_line_is_one_line_of_plain_json(http):
    """Bad input 50: no text of a sender can forge a line or move the terminal's cursor."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("test of lines")
    logger.addHandler(handler)
    logger.propagate = False
    hostile = "a\n[ERROR] forged\x1b[2J\x7f\x9b\u2028\ud800"
    logger.warning("name %s", hostile)
    try:
        raise RuntimeError(hostile)
    except RuntimeError:
        logger.exception("failed")
    lines = stream.getvalue().split("\n")
    assert len(lines) == 3 and lines[2] == ""
    assert all(" " <= character <= "~" for line in lines for character in line)
    assert json.loads(lines[0])["message"] == f"name {hostile}"
    assert "RuntimeError" in json.loads(lines[1])["trace"]
