"""Declares the routes of an API once: for Flask, the OpenAPI document and the tests."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from flask import Blueprint, Response, current_app, request
from pydantic import BaseModel
from werkzeug.routing import BaseConverter, IntegerConverter, Map

from dashboard.errors import Problem
from dashboard.validation.field_errors import field_error, validated
from dashboard.validation.fields import INTEGER_MAX
from dashboard.web.http.bodies import document
from dashboard.web.http.queries import Query, read_query
from dashboard.web.http.schemas import Problem as ProblemModel


class AsciiInteger(IntegerConverter):
    """A number in a path, in one spelling: Werkzeug's own takes the digits of every script."""

    regex = "[0-9]+"


class OtherThan(BaseConverter):
    """A path segment that is none of these words: each is the name of a call."""

    def __init__(self, map: Map, *words: str):
        super().__init__(map)
        self.regex = rf"(?!(?:{'|'.join(words)})$)[^/]+"


class PathParameter(NamedTuple):
    """A segment of a path: its JSON schema, an example for the docs, and Flask's converter."""

    schema: Mapping[str, Any]
    example: str | int
    converter: str = ""


#: The default for a segment that a route does not describe: the id of a row.
ROW_ID = PathParameter({"type": "integer", "minimum": 1, "maximum": INTEGER_MAX}, 7, "int")


class Documented(NamedTuple):
    """The answers of one status: their meaning, and the models of their JSON; none for no content.

    `is_file`: the answer is the content of a file instead.
    """

    description: str
    models: Sequence[type[BaseModel]] = ()
    is_file: bool = False


def done(model: type[BaseModel]) -> Mapping[int, Documented]:
    """Returns the answers of a route that answers 200 with this model."""
    return {200: Documented("Done.", (model,))}


NO_CONTENT: Mapping[int, Documented] = {204: Documented("Done.", ())}


class Route(NamedTuple):
    """One method of one path; `problems` are statuses beyond those that its inputs imply.

    `body` describes the request body in the OpenAPI document. A handler gets the body as an
    argument only if `reads_body` is set; other handlers read it themselves. `scope` is what the
    caller needs: the scope of an API key, or the role of an admin. `takes_file`: the body is the
    content of one file (application/octet-stream), which the handler reads as it arrives.
    """

    method: str
    path: str
    operation_id: str
    summary: str
    answers: Mapping[int, Documented]
    scope: str = ""
    description: str = ""
    path_parameters: Mapping[str, PathParameter] = {}
    query: type[Query] | None = None
    body: Sequence[type[BaseModel]] = ()
    example: Mapping[str, Any] | None = None
    reads_body: bool = True
    takes_file: bool = False
    batch: tuple[str, int] | None = None
    problems: Sequence[int] = ()
    #: The model of its problems, if they have additional members.
    problem: type[ProblemModel] = ProblemModel

    @property
    def rule(self) -> str:
        """The path in Flask's syntax."""
        return _SEGMENT.sub(lambda match: self._converted(match[1]), self.path)

    def parameter(self, name: str) -> PathParameter:
        return self.path_parameters.get(name, ROW_ID)

    def segments(self) -> list[str]:
        """The names of the variable segments of the path."""
        return _SEGMENT.findall(self.path)

    def _converted(self, name: str) -> str:
        return f"<{self.parameter(name).converter}:{name}>".replace("<:", "<")


_SEGMENT = re.compile(r"{(\w+)}")

Handler = TypeVar("Handler", bound=Callable[..., Any])


def route(method: str, path: str, operation_id: str, **fields: Any) -> Callable[[Handler], Handler]:
    """Marks a method as the handler of a route; the keywords are fields of `Route`.

    The handler is called with the result of `authenticate`, the path's parameters, and `query` and
    `body` if the route has these with fields.
    """

    def mark(handler: Handler) -> Handler:
        handler.route = Route(method, path, operation_id, **fields)  # type: ignore[attr-defined]
        return handler

    return mark


def routes_of(*api_classes: type) -> list[Route]:
    """Returns the routes that these classes handle, in the order of their declaration."""
    return [
        member.route
        for api_class in api_classes
        for member in vars(api_class).values()
        if hasattr(member, "route")
    ]


def add_routes(
    blueprint: Blueprint,
    apis: Iterable[Any],
    authenticate: Callable[[Route], tuple[Any, ...]],
    read_document: Callable[[], Any] = document,
) -> None:
    """Adds the routes of these objects; each call begins with `authenticate(route)`.

    `authenticate` raises Problem, or gives the first arguments of the handler. `read_document()`
    gives the JSON value of the request's body.
    """
    for api in apis:
        for name, member in vars(type(api)).items():
            declared: Route | None = getattr(member, "route", None)
            if declared is not None:
                blueprint.add_url_rule(
                    declared.rule,
                    view_func=_view(declared, getattr(api, name), authenticate, read_document),
                    methods=[declared.method],
                    endpoint=declared.operation_id,
                )


def current_route() -> Route | None:
    """Returns the route of the current request, if it is declared as one."""
    view = current_app.view_functions.get(request.endpoint or "")
    return getattr(view, "route", None)


def _view(
    declared: Route,
    handler: Callable[..., Response],
    authenticate: Callable[[Route], tuple[Any, ...]],
    read_document: Callable[[], Any],
) -> Callable[..., Response]:
    @wraps(handler)
    def view(**arguments: Any) -> Response:
        caller = authenticate(declared)
        if declared.query is not None:
            arguments["query"] = read_query(declared.query)
        if declared.body and declared.reads_body:
            body = _read_body(declared, read_document())
            if type(body).model_fields:
                arguments["body"] = body
        return handler(*caller, **arguments)

    return view


def _read_body(declared: Route, value: Any) -> BaseModel:
    """Reads the body. Raises Problem, 413 for too large a batch; and Invalid."""
    if declared.batch is not None and isinstance(value, dict):
        name, entries_max = declared.batch
        entries = value.get(name)
        if isinstance(entries, list) and len(entries) > entries_max:
            raise Problem(413, "batch_too_large", f"A batch holds at most {entries_max} {name}.")
        if isinstance(entries, list) and not entries:
            raise field_error(f"/{name}", "batch_empty", f"holds no {name.removesuffix('s')}")
    [model] = declared.body
    return validated(model, value)
