"""Lays the OpenAPI document out for reading: calls with curl lines, schemas as tables."""

import json
from typing import Any, NamedTuple

#: What stands in examples; the reader's own take their places.
_SERVER = "http://localhost:5000"
_ANSWER_SCHEMAS_LAST = (
    "Result", "BatchResult", "BatchResults", "Row", "List",
    "Accepted", "State", "States", "SetPresence", "Seen", "SeenPage", "Team", "Problem",
)  # fmt: skip


class Member(NamedTuple):
    """A line of a schema's table."""

    name: str
    kind: str
    required: bool
    description: str


class Table(NamedTuple):
    """An object's schema."""

    name: str
    description: str
    members: list[Member]


class Call(NamedTuple):
    """A method of a path."""

    anchor: str
    method: str
    path: str
    summary: str
    description: str
    parameters: list[dict[str, Any]]
    curl: str
    answers: list[tuple[str, str]]


class Reference(NamedTuple):
    calls: list[Call]
    posted: list[Table]
    answered: list[Table]


def reference(api: dict[str, Any]) -> Reference:
    """All that the page shows, in its order."""
    prefix = api["servers"][0]["url"]
    calls = [
        _call(method, prefix + path, call)
        for path, methods in api["paths"].items()
        for method, call in methods.items()
    ]
    known = api["components"]["schemas"]
    objects = {name: schema for name, schema in known.items() if "properties" in schema}
    tables = {name: _table(name, schema) for name, schema in objects.items()}
    answered = [tables.pop(name) for name in _ANSWER_SCHEMAS_LAST]
    return Reference(calls, list(tables.values()), answered)


def kind(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " or ".join(kind(part) for part in schema[word])
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}{_bounds(schema, 'minItems', 'maxItems')}"
    return schema.get("type", "any") + (
        _bounds(schema, "minimum", "maximum") or _bounds(schema, "minLength", "maxLength")
    )


def _call(method: str, path: str, call: dict[str, Any]) -> Call:
    parameters = call.get("parameters", [])
    return Call(
        anchor=call["operationId"],
        method=method.upper(),
        path=path,
        summary=call["summary"],
        description=call["description"],
        parameters=[one | {"kind": kind(one["schema"])} for one in parameters],
        curl=_curl(path, call),
        answers=[
            (status, answer["description"]) for status, answer in sorted(call["responses"].items())
        ],
    )


def _curl(path: str, call: dict[str, Any]) -> str:
    for parameter in call.get("parameters", []):
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(parameter["example"]))
    query = "&".join(
        f"{one['name']}={one['example']}"
        for one in call.get("parameters", [])
        if one["in"] == "query" and "example" in one
    )
    lines = [f"curl '{_SERVER}{path}{'?' + query if query else ''}'"]
    lines.append('-H "Authorization: Bearer $KEY"')
    if "requestBody" in call:
        example = call["requestBody"]["content"]["application/json"]["example"]
        lines.append("-H 'Content-Type: application/json'")
        lines.append(f"-d '{json.dumps(example, ensure_ascii=False, indent=2)}'")
    return " \\\n  ".join(lines)


def _table(name: str, schema: dict[str, Any]) -> Table:
    required = set(schema.get("required", ()))
    members = [
        Member(member, kind(found), member in required, found.get("description", ""))
        for member, found in schema["properties"].items()
    ]
    return Table(name, schema.get("description", ""), members)


def _bounds(schema: dict[str, Any], low: str, high: str) -> str:
    if high not in schema:
        return ""
    return f" ({schema[low]} to {schema[high]})" if low in schema else f" (up to {schema[high]})"
