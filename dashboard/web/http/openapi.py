"""Generates the OpenAPI document of an API from its routes and models."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core.core_schema import TupleSchema

from dashboard.web.http.queries import Query
from dashboard.web.http.routes import Route

VERSION = "1.0"
_REF = "#/components/schemas/"
_PROBLEMS = {
    400: "Unreadable: no JSON, not UTF-8, a key twice, nested too deeply, a number not finite.",
    404: "There is no such object.",
    405: "This path segment is the name of another call.",
    408: "The body took too long to arrive.",
    413: "A body of more than 1 MiB, or a batch with too many entries.",
    415: "The content is not JSON in UTF-8 without a content encoding.",
    422: "Readable but invalid; `errors` has each mistake and its place.",
    503: "The storage is away; nothing was stored. Try again after `Retry-After`.",
}
_WEBHOOK_HEADERS = {
    "webhook-id": "The event's id, the same in each attempt.",
    "webhook-timestamp": "The time of this attempt in seconds since 1970.",
    "webhook-signature": "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; one for each "
    "valid secret, separated by blanks.",
}
_ALWAYS = (401, 403, 503)
_WITH_BODY = (400, 413, 415, 422)


class Api(NamedTuple):
    """The description of an API.

    `security` is its scheme, `problems` its own texts by status, and `tags` has a description for
    the first word of each path.
    """

    title: str
    about: str
    url_prefix: str
    security: Mapping[str, str]
    problems: Mapping[int, str]
    tags: Mapping[str, str]


class Webhook(NamedTuple):
    """A request that Lineup sends, named after the type of its event."""

    name: str
    summary: str
    model: type[BaseModel]


def document(
    api: Api, routes: Sequence[Route], webhooks: Sequence[Webhook] = ()
) -> JsonSchemaValue:
    """Returns the whole document, OpenAPI 3.1. Raises ValueError for two models of one name."""
    paths: JsonSchemaValue = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(api, route)
    tags = dict.fromkeys(_tag(route) for route in routes)
    root: JsonSchemaValue = {
        "openapi": "3.1.0",
        "info": {
            "title": api.title,
            "version": VERSION,
            "description": api.about,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": api.url_prefix}],
        "security": [{"key": []}],
        "tags": [{"name": tag, "description": api.tags[tag]} for tag in tags],
        "paths": paths,
        "components": {
            "schemas": _schemas([*_models(routes), *(webhook.model for webhook in webhooks)]),
            "securitySchemes": {"key": dict(api.security)},
        },
    }
    if webhooks:
        root["tags"].append({"name": "webhooks", "description": api.tags["webhooks"]})
        root["webhooks"] = {webhook.name: {"post": _webhook(webhook)} for webhook in webhooks}
    return root


def problem_statuses(route: Route) -> list[int]:
    """Returns the statuses of the problems that a route may answer."""
    statuses = {*_ALWAYS, *route.problems}
    if route.body or route.takes_file:
        statuses.update(_WITH_BODY)
    if route.takes_file:
        statuses.add(408)
    if route.method == "DELETE":
        # It needs no body; one that is sent must be JSON.
        statuses.add(415)
    if route.query:
        statuses.add(422)
    if set(route.segments()) - set(route.path_parameters):
        # The path has the id of a row that may not exist.
        statuses.add(404)
    if any(route.parameter(name).converter.startswith("other_than") for name in route.segments()):
        statuses.add(405)
    return sorted(statuses)


def _operation(api: Api, route: Route) -> JsonSchemaValue:
    operation: JsonSchemaValue = {
        "operationId": route.operation_id,
        "tags": [_tag(route)],
        "summary": route.summary,
        "description": f"Scope `{route.scope}`. {route.description}".strip(),
        "parameters": [*_path_parameters(route), *_query_parameters(route.query)],
        "responses": _responses(api, route),
    }
    if route.body:
        content = {"schema": _any_of(route.body), "example": route.example or {}}
        operation["requestBody"] = {"required": True, "content": {"application/json": content}}
    if route.takes_file:
        content = {"schema": {"type": "string", "format": "binary"}}
        operation["requestBody"] = {
            "required": True,
            "content": {"application/octet-stream": content},
        }
    return operation


def _tag(route: Route) -> str:
    return route.path.split("/")[1]


def _webhook(webhook: Webhook) -> JsonSchemaValue:
    words = webhook.name.replace("_", ".").split(".")
    return {
        "operationId": "on" + "".join(word.capitalize() for word in words),
        "tags": ["webhooks"],
        "summary": webhook.summary,
        "description": "Signed as [Standard Webhooks](https://www.standardwebhooks.com) 1.0 say.",
        "security": [],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": description,
                "schema": {"type": "string"},
            }
            for name, description in _WEBHOOK_HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref(webhook.model)}},
        },
        "responses": {
            "2XX": {"description": "The event was accepted."},
            "410": {"description": "The receiver wants no more events: the webhook is disabled."},
        },
    }


def _path_parameters(route: Route) -> Iterator[JsonSchemaValue]:
    for name in route.segments():
        parameter = route.parameter(name)
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "schema": parameter.schema,
            "example": parameter.example,
        }


def _query_parameters(query: type[Query] | None) -> Iterator[JsonSchemaValue]:
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


def _without_null(schema: JsonSchemaValue) -> JsonSchemaValue:
    """Removes null: a query string cannot hold it, so a parameter that may be None is omitted."""
    members = {name: value for name, value in schema.items() if name not in ("title", "anyOf")}
    for option in schema.get("anyOf", ()):
        if option != {"type": "null"}:
            members |= option
    if members.get("default", "") is None:
        del members["default"]
    return members


def _responses(api: Api, route: Route) -> JsonSchemaValue:
    texts = {**_PROBLEMS, **api.problems}
    responses: JsonSchemaValue = {}
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
    """Yields each model of a body or an answer once, models of request bodies first."""
    models: dict[type[BaseModel], None] = {}
    for route in routes:
        models.update(dict.fromkeys(route.body))
    for route in routes:
        for answer in route.answers.values():
            models.update(dict.fromkeys(answer.models))
    models.update(dict.fromkeys(route.problem for route in routes))
    yield from models


class _Schemas(GenerateJsonSchema):
    """Describes a pair as a list of two: not all programs know `prefixItems`."""

    def tuple_schema(self, schema: TupleSchema) -> JsonSchemaValue:
        array = super().tuple_schema(schema)
        entries = self.get_union_of_schemas(array.pop("prefixItems"))
        return array | {"items": entries}


def _schemas(models: Iterable[type[BaseModel]]) -> JsonSchemaValue:
    _, definitions = models_json_schema(
        [(model, "validation") for model in models],
        ref_template=_REF + "{model}",
        schema_generator=_Schemas,
    )
    schemas: JsonSchemaValue = definitions["$defs"]
    # Pydantic tells models of one name apart by their modules.
    twice = [name for name in schemas if "__" in name]
    if twice:
        raise ValueError(f"two models have one name: {', '.join(twice)}")
    return {name: _without_titles(schema) for name, schema in schemas.items()}


def _without_titles(schema: JsonSchemaValue) -> JsonSchemaValue:
    """Removes the titles that pydantic makes from the names of members."""
    members = schema.get("properties", {}).values()
    for member in (schema, *members):
        member.pop("title", None)
    return schema


def _any_of(models: Sequence[type[BaseModel]]) -> JsonSchemaValue:
    return _ref(models[0]) if len(models) == 1 else {"anyOf": [_ref(model) for model in models]}


def _ref(model: type[BaseModel]) -> JsonSchemaValue:
    return {"$ref": _REF + model.__name__}
