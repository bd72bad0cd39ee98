"""Answers every error as RFC 9457 problem JSON, or as a page if the client prefers HTML."""

import json
import logging

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from dashboard import languages
from dashboard.errors import InternalError, Problem
from dashboard.logs import RefusedAccess
from dashboard.web.http import audit

log = logging.getLogger(__name__)

_MEDIA_TYPE = "application/problem+json"
_INSTANCE_MAX = 100
#: Code and text for errors raised by Flask; the exception's own text is never sent.
_KNOWN = {
    400: ("bad_request", "The request cannot be read."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not allow that method."),
    413: ("payload_too_large", "The body may have up to 1 MiB."),
    414: ("url_too_long", "The URL is too long."),
    415: ("unsupported_media_type", "Send JSON: Content-Type: application/json."),
    416: ("range_not_satisfiable", "The file does not have this range of bytes."),
    431: ("headers_too_large", "The headers of the request are too large."),
}


def install(app: Flask) -> None:
    """Turns every error of the application into a problem. Call it before adding routes."""
    # Without a route for it, OPTIONS is answered 405.
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    refused = RefusedAccess()

    def declared(problem: Problem) -> Response:
        audit.note(refused, problem, _route())
        return problem_response(problem)

    app.register_error_handler(Problem, declared)
    app.register_error_handler(HTTPException, _from_framework)
    app.register_error_handler(Exception, _unexpected)


def json_problem(problem: Problem, path: str | None = None) -> Response:
    """Returns the problem as JSON, also outside of a request; `path` is the called path."""
    response = Response(
        json.dumps(problem.body(path)), problem.status, problem.headers, content_type=_MEDIA_TYPE
    )
    response.headers["Cache-Control"] = "no-store"
    return response


def problem_response(problem: Problem) -> Response:
    """Returns the problem as JSON or as a page; logs problems of status 500 and above."""
    if problem.status >= 500:
        log.warning("%s %s: %s", request.method, _route(), problem)
    response = json_problem(problem, request.path[:_INSTANCE_MAX])
    if prefers_page():
        response.data = _page(problem)
        response.mimetype = "text/html"
        response.vary.update(("Accept-Language", "Cookie"))
    response.vary.add("Accept")
    return response


def _page(problem: Problem) -> str:
    locale = languages.preferred_locale()
    texts = languages.texts(locale)
    status = problem.status
    return render_template(
        "cards/error.html",
        locale=locale,
        status=status,
        title=texts.get(f"page.{status}", texts["page.other"]),
        detail=languages.refusal(locale, f"page.{status}.text", f"error.{problem.code}"),
        back=texts["page.back"],
    )


def _from_framework(error: HTTPException) -> Response | HTTPException:
    if error.code is None or error.code < 400:
        # This is a redirect, not an error.
        return error
    code, detail = _KNOWN.get(error.code, ("error", "The request cannot be answered."))
    headers = {name: value for name, value in error.get_headers() if name != "Content-Type"}
    if isinstance(error, MethodNotAllowed):
        # The methods are a set, and its order differs between processes.
        headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    return problem_response(Problem(error.code, code, detail, headers=headers))


def _unexpected(error: Exception) -> Response:
    log.error("%s %s failed", request.method, _route(), exc_info=error)
    return problem_response(InternalError())


def _route() -> str:
    """Returns the route of the request, not its path, which may name a person."""
    return request.url_rule.rule if request.url_rule is not None else request.path[:_INSTANCE_MAX]


def prefers_page() -> bool:
    """Whether the request asks for a page rather than JSON."""
    offered = (_MEDIA_TYPE, "application/json", "text/html")
    return request.accept_mimetypes.best_match(offered, _MEDIA_TYPE) == "text/html"
