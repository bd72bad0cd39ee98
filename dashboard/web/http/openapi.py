"""Generates the OpenAPI document of an API from its routes and models."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from dashboard.web.http.queries import Query
from dashboard.web.http.routes import Route

VERSION = "1.0"
_REF = "#/components/schemas/"
_PROBLEMS = {
    400: "Unreadable: no JSON, not UTF-8, a key twice, nested too deeply, a number not finite.",
    404: "There is no such thing.",
    413: "A body of more than 1 MiB, or a batch of more entries than it may have.",
    415: "Something else than JSON in UTF-8, without a content encoding.",
    422: "Understood but wrong; `errors` says what and where.",
    503: "The storage is away; nothing was stored. `Retry-After` says when to come again.",
}
_ALWAYS = (401, 403, 503)
_WITH_BODY = (400, 413, 415, 422)


class Api(NamedTuple):
    """What an API says of itself: `security` is its scheme, `problems` its own texts by status."""

    title: str
    about: str
    url_prefix: str
    security: Mapping[str, str]
    problems: Mapping[int, str]


def document(api: Api, routes: Sequence[Route]) -> dict[str, Any]:
    """The whole document, OpenAPI 3.1."""
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(api, route)
    return {
        "openapi": "3.1.0",
        "info": {"title": api.title, "version": VERSION, "description": api.about},
        "servers": [{"url": api.url_prefix}],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": _schemas(_models(routes)),
            "securitySchemes": {"key": dict(api.security)},
        },
    }


def problem_statuses(route: Route) -> list[int]:
    """The statuses of the problems that a route may answer."""
    statuses = {*_ALWAYS, *route.problems}
    if route.body or route.takes_file:
        statuses.update(_WITH_BODY)
    if route.query:
        statuses.add(422)
    if set(route.segments()) - set(route.path_parameters):
        # An id in the path, of a row that may not exist.
        statuses.add(404)
    return sorted(statuses)


def _operation(api: Api, route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.operation_id,
        "summary": route.summary,
        "description": f"Scope `{route.scope}`. {route.description}".strip(),
        "parameters": [*_path_parameters(route), *_query_parameters(route.query)],
        "responses": _responses(api, route),
    }
    if route.body:
        content = {"schema": _any_of(route.body), "example": route.example or {}}
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    if route.takes_file:
        operation["requestBody"] = {"required": True, "content": {"application/octet-stream": {}}}
    return operation


def _path_parameters(route: Route) -> Iterator[dict[str, Any]]:
    for name in route.segments():
        parameter = route.parameter(name)
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "schema": parameter.schema,
            "example": parameter.example,
        }


def _query_parameters(query: type[Query] | None) -> Iterator[dict[str, Any]]:
    if query is None:
        return
    described = query.model_json_schema()
    for name, schema in described["properties"].items():
        parameter = {
            "name": name,
            "in": "query",
            "required": name in described.get("required", ()),
            "schema": _without_null(schema),
        }
        details = parameter["schema"]
        if "description" in details:
            parameter["description"] = details.pop("description")
        if "examples" in details:
            parameter["example"] = details.pop("examples")[0]
        yield parameter


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query string cannot hold null: a parameter that may be None is left out instead."""
    found = {name: value for name, value in schema.items() if name not in ("title", "anyOf")}
    for option in schema.get("anyOf", ()):
        if option != {"type": "null"}:
            found |= option
    if found.get("default", "") is None:
        del found["default"]
    return found


def _responses(api: Api, route: Route) -> dict[str, Any]:
    texts = {**_PROBLEMS, **api.problems}
    responses: dict[str, Any] = {}
    for status, answer in route.answers.items():
        responses[str(status)] = {"description": answer.description}
        if answer.is_file:
            responses[str(status)]["content"] = {"*/*": {}}
        if answer.models:
            content = {"application/json": {"schema": _any_of(answer.models)}}
            responses[str(status)]["content"] = content
    for status in problem_statuses(route):
        described = responses.setdefault(str(status), {"description": "", "content": {}})
        described["description"] = f"{texts[status]} {described['description']}".strip()
        described["content"]["application/problem+json"] = {"schema": _ref(route.problem)}
    return dict(sorted(responses.items()))


def _models(routes: Iterable[Route]) -> Iterator[type[BaseModel]]:
    """Each model of a body or an answer, once: first what is posted."""
    models: dict[type[BaseModel], None] = {}
    for route in routes:
        models.update(dict.fromkeys(route.body))
    for route in routes:
        for answer in route.answers.values():
            models.update(dict.fromkeys(answer.models))
    models.update(dict.fromkeys(route.problem for route in routes))
    yield from models


def _schemas(models: Iterable[type[BaseModel]]) -> dict[str, Any]:
    _, made = models_json_schema(
        [(model, "validation") for model in models], ref_template=_REF + "{model}"
    )
    schemas: dict[str, Any] = made["$defs"]
    return {name: _without_titles(schema) for name, schema in schemas.items()}


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the titles that pydantic makes of the names of members."""
    members = schema.get("properties", {}).values()
    for member in (schema, *members):
        member.pop("title", None)
    return schema


def _any_of(models: Sequence[type[BaseModel]]) -> dict[str, Any]:
    return _ref(models[0]) if len(models) == 1 else {"anyOf": [_ref(model) for model in models]}


def _ref(model: type[BaseModel]) -> dict[str, Any]:
    return {"$ref": _REF + model.__name__}
