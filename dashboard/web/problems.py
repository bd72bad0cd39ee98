"""Answers every error as RFC 9457 says, or as a page where a person asks for one."""

import json
import logging

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException

from dashboard.errors import Problem

log = logging.getLogger(__name__)

_MEDIA_TYPE = "application/problem+json"
_INSTANCE_MAX = 100
#: What our code says of errors that the framework raises; never the exception's own words.
_KNOWN = {
    400: ("bad_request", "The request cannot be read."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take that method."),
    413: ("payload_too_large", "The body may have up to 1 MiB."),
    414: ("url_too_long", "The URL is too long."),
    415: ("unsupported_media_type", "Send JSON: Content-Type: application/json."),
    431: ("headers_too_large", "The headers of the request are too large."),
}


def install(app: Flask) -> None:
    """Every error of the application becomes a problem. Call it before there are any routes."""
    # OPTIONS is a method like others: not taken where nobody said so.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.register_error_handler(Problem, answer)
    app.register_error_handler(HTTPException, _from_framework)
    app.register_error_handler(Exception, _unforeseen)


def answer(problem: Problem) -> Response:
    """The response that tells a problem."""
    if problem.status >= 500:
        log.warning("%s %s: %s", request.method, request.path, problem)
    body = problem.body(request.path[:_INSTANCE_MAX])
    if _prefers_page():
        page = render_template(
            "error.html", status=problem.status, title=body["title"], detail=problem.detail
        )
        response = Response(page, problem.status, mimetype="text/html")
    else:
        response = Response(json.dumps(body), problem.status, content_type=_MEDIA_TYPE)
    response.headers.update(problem.headers)
    response.headers["Cache-Control"] = "no-store"
    response.vary.add("Accept")
    return response


def _from_framework(error: HTTPException) -> Response | HTTPException:
    if error.code is None or error.code < 400:
        # A redirect, not an error.
        return error
    code, detail = _KNOWN.get(error.code, ("error", "The request cannot be answered."))
    headers = {name: value for name, value in error.get_headers() if name != "Content-Type"}
    return answer(Problem(error.code, code, detail, headers=headers))


def _unforeseen(error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return answer(Problem(500, "internal_error", "Something went wrong here; it was noted."))


def _prefers_page() -> bool:
    offered = (_MEDIA_TYPE, "application/json", "text/html")
    return request.accept_mimetypes.best_match(offered, _MEDIA_TYPE) == "text/html"
