"""Generates the types of both SDKs from the bot API's OpenAPI document.

python -m tools.clients
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from dashboard.web.bot.openapi import document

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / "clients" / "python" / "lineup_client" / "models.py"
SDK = ROOT / "clients" / "js"
JAVASCRIPT = SDK / "src" / "schema.d.ts"
_OPTIONS = (
    "--input-file-type=openapi",
    "--output-model-type=typing.TypedDict",
    "--target-python-version=3.11",
    "--openapi-scopes=schemas",
    "--use-schema-description",
    "--use-standard-collections",
    "--use-union-operator",
    "--collapse-root-models",
    "--disable-future-imports",
    "--disable-timestamp",
    "--formatters=builtin",
)
_HEAD = '"""The types of the bot API, made by tools/clients.py from its OpenAPI document."""'


def python_types() -> str:
    """Returns the module of the Python SDK's types: each schema as a TypedDict, and the unions of
    events by their names."""
    program = [sys.executable, "-m", "datamodel_code_generator", *_OPTIONS, "--input"]
    _, _, body = _generated(_open(document()), *program).partition("\n\n")
    return _formatted(f"{_HEAD}\n\n{body}\n\n{_unions()}", PYTHON)


def javascript_types() -> str:
    """Returns the types of the SDK for Node, as openapi-fetch takes them."""
    program = ROOT / "node_modules" / ".bin" / "openapi-typescript"
    # A member with a default may be left out of what is sent.
    return _generated(document(), program, "--default-non-nullable=false")


def javascript_declarations() -> dict[Path, str]:
    """Returns the declarations of the SDK for Node, by file: what `tsc` reads in its comments."""
    (ROOT / "build").mkdir(exist_ok=True)
    # Inside of the project, where tsc finds the packages that the SDK needs.
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        program = [ROOT / "node_modules" / ".bin" / "tsc", "--project", SDK, "--outDir", folder]
        subprocess.run(program, check=True, capture_output=True)
        return {
            SDK / "types" / path.name: path.read_text(encoding="utf-8").replace(
                '"./schema.js"', '"../src/schema.js"'
            )
            for path in sorted(Path(folder).glob("*.d.ts"))
        }


def _generated(api: Any, *program: str | Path) -> str:
    """Returns the types that a program, which takes a file and `--output` FILE, makes of an API."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "openapi.json"), Path(folder, "types")
        source.write_text(json.dumps(api), encoding="utf-8")
        subprocess.run([*program, source, "--output", made], check=True, capture_output=True)
        return made.read_text(encoding="utf-8")


def _open(node: Any) -> Any:
    """Leaves out that objects have no other members: a TypedDict cannot say it."""
    if isinstance(node, dict):
        pairs = node.items()
        return {key: _open(value) for key, value in pairs if key != "additionalProperties" or value}
    return [_open(one) for one in node] if isinstance(node, list) else node


def _unions() -> str:
    schemas = document()["components"]["schemas"]
    unions = {name: schema["oneOf"] for name, schema in schemas.items() if "oneOf" in schema}
    return "\n".join(
        f"{name} = {' | '.join(one['$ref'].rpartition('/')[2] for one in members)}"
        for name, members in unions.items()
    )


def _formatted(text: str, path: Path) -> str:
    program = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(path), "-"]
    return subprocess.run(program, input=text, capture_output=True, text=True, check=True).stdout


def main() -> None:
    PYTHON.write_text(python_types(), encoding="utf-8")
    JAVASCRIPT.write_text(javascript_types(), encoding="utf-8")
    for path, text in javascript_declarations().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
