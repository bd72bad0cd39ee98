"""Checks answers of both APIs against what their routes declare."""

import json
from typing import Any

import pydantic
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

from dashboard.web.http.openapi import problem_statuses
from dashboard.web.http.routes import Route

#: Problems that no route declares: unexpected errors, and refusals before routing.
BEFORE_ROUTES = ("internal_error", "untrusted_host")


class CheckingClient(FlaskClient):
    """Fails a test whose answer fits none of the models of its route."""

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        response = super().open(*args, **kwargs)
        try:
            adapter = self.application.url_map.bind("")
            endpoint, _ = adapter.match(response.request.path, response.request.method)
            route = getattr(self.application.view_functions[endpoint], "route", None)
        except HTTPException:
            route = None
        if route is not None:
            check_answer(route, response)
        return response


def check_answer(route: Route, response: TestResponse) -> None:
    """Raises AssertionError for a status that is not declared, or JSON that fits no model."""
    status, name = response.status_code, route.operation_id
    if response.mimetype == "application/problem+json":
        problem = route.problem.model_validate_json(response.data)
        is_declared = status in problem_statuses(route) or problem.code in BEFORE_ROUTES
        assert is_declared, f"{name} answers {status}"
        return
    if response.mimetype == "text/html":
        return
    assert status in route.answers, f"{name} answers {status}"
    if route.answers[status].is_file:
        return
    if not route.answers[status].models:
        assert response.data == b"", f"{name} answers with content"
        return
    assert response.mimetype == "application/json"
    errors = []
    for model in route.answers[status].models:
        try:
            model.model_validate_json(response.data)
            return
        except pydantic.ValidationError as error:
            errors.append(str(error))
    raise AssertionError(f"{name} answers {json.loads(response.data)}: {' '.join(errors)}")


def is_problem(answer: TestResponse, status: int, code: str) -> bool:
    """Whether an answer is this problem in all its members; raises AssertionError if not."""
    body = answer.get_json(force=True)
    assert (answer.status_code, body.get("code")) == (status, code), body
    assert answer.content_type == "application/problem+json"
    assert (body["type"], body["status"]) == (f"/problems/{code}", status)
    assert body["instance"] == answer.request.path
    assert body["title"] and body["detail"]
    return True
