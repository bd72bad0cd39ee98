"""Lays out the OpenAPI document for reading: calls with curl lines, schemas as tables."""

import json
import re
from typing import Any, NamedTuple
from urllib.parse import urlencode

#: Members of an example that must be new at each call, with the shell's text for them. The time is
#: the end of the second: a time ahead of the server's counts as that of receipt.
_SHELL = (
    (re.compile(r'("id": )"m-\d+"'), """\\1"m-'$(date +%s)'\""""),
    (re.compile(r'("occurred_at": )"[^"]+"'), """\\1"'$(date -u +%FT%T.999Z)'\""""),
)


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


def reference(api: dict[str, Any], server: str) -> Reference:
    """Returns all that the page shows, in its order; `server` is the address in examples."""
    prefix = api["servers"][0]["url"]
    calls = [
        _call(method, server, prefix + path, call)
        for path, methods in api["paths"].items()
        for method, call in methods.items()
    ]
    known = api["components"]["schemas"]
    tables = [_table(name, schema) for name, schema in known.items() if "properties" in schema]
    posted = names_in_bodies(api)
    return Reference(
        calls,
        [table for table in tables if table.name in posted],
        [table for table in tables if table.name not in posted],
    )


def names_in_bodies(api: dict[str, Any]) -> set[str]:
    """Returns the schemas that request bodies are made of."""
    calls = (call for methods in api["paths"].values() for call in methods.values())
    found: set[str] = set()
    wanted = [name for call in calls for name in _references(call.get("requestBody"))]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            wanted += _references(api["components"]["schemas"][name])
    return found


def _references(value: Any) -> list[str]:
    """Returns the names of all schemas that a part of the document refers to."""
    if isinstance(value, list):
        return [name for entry in value for name in _references(entry)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"].rpartition("/")[2]] if "$ref" in value else []
    return own + [name for entry in value.values() for name in _references(entry)]


def kind(schema: dict[str, Any]) -> str:
    """Describes a schema in a few words."""
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


def _call(method: str, server: str, path: str, call: dict[str, Any]) -> Call:
    parameters = call.get("parameters", [])
    return Call(
        anchor=call["operationId"],
        method=method.upper(),
        path=path,
        summary=call["summary"],
        description=call["description"],
        parameters=[one | {"kind": kind(one["schema"])} for one in parameters],
        curl=_curl(server, path, call),
        answers=[
            (status, answer["description"]) for status, answer in sorted(call["responses"].items())
        ],
    )


def _curl(server: str, path: str, call: dict[str, Any]) -> str:
    """Returns a command that works whenever it is typed."""
    for parameter in call.get("parameters", []):
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(parameter["example"]))
    query = urlencode(
        [
            (one["name"], one["example"])
            for one in call.get("parameters", [])
            if one["in"] == "query" and "example" in one
        ],
        doseq=True,
    )
    lines = [f"curl '{server}{path}{'?' + query if query else ''}'"]
    lines.append('-H "Authorization: Bearer $KEY"')
    if "requestBody" in call:
        example = call["requestBody"]["content"]["application/json"]["example"]
        lines.append("-H 'Content-Type: application/json'")
        document = json.dumps(example, ensure_ascii=False, indent=2)
        for pattern, replacement in _SHELL:
            document = pattern.sub(replacement, document)
        lines.append(f"-d '{document}'")
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
