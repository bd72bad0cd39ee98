"""The layout that CONTRIBUTING.md describes holds, and so does the gate of docs/testing.md."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from click.testing import CliRunner

from dashboard.cli.main import cli
from tests.repository import ROOT, every_test, files_of_the_project, nodes_of

PACKAGES = ("lua_scripts", "scoring", "presence", "dashboard", "demo")

#: The packages from low to high; see "Import direction" in docs/architecture.md. A package imports
#: its own modules and those of lower layers; packages of one layer do not import each other.
LAYERS = (
    {"lua_scripts", "scoring.conditions"},
    {"scoring", "presence"},
    {"dashboard"},
    {"dashboard.validation"},
    {"dashboard.event_types"},
    {"dashboard.db"},
    {"dashboard.files", "dashboard.oidc", "dashboard.ordering", "dashboard.webhooks"},
    {"dashboard.ingest"},
    {"dashboard.transfer"},
    {"dashboard.transport", "demo"},
    {"dashboard.live"},
    {"dashboard.presence"},
    {"dashboard.web.http"},
    {"dashboard.web.server"},
    {"dashboard.core_services"},
    {"dashboard.services"},
    {"dashboard.web.bot", "dashboard.web.admin"},
    {"dashboard.web", "dashboard.background"},
    {"dashboard.cli"},
    {"app"},
)
#: A folder holds at most so many files, `__init__.py` and `__main__.py` not counted.
FILES_MAX = 25
#: Each change of the schema adds a file there, and none is ever changed or removed.
GROWING = Path("migrations/versions")
DOCS = ROOT / "docs"
SETTINGS = ROOT / "dashboard/settings.py"


def python_files() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def package_of(module: str) -> str | None:
    """Returns the layered package of a module name; None for a module that is not ours."""
    parts = module.split(".")
    if parts[0] not in (*PACKAGES, "app"):
        return None
    names = [".".join(parts[:count]) for count in (3, 2, 1)]
    return next(name for name in names if any(name in layer for layer in LAYERS))


def layer_of(package: str) -> int:
    return next(at for at, layer in enumerate(LAYERS) if package in layer)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports_of(path: Path) -> tuple[tuple[str, int, bool], ...]:
    """(module, line, whether it is a statement inside a function) of every import in a file.

    A module that `import_module` imports when it is needed counts as any other.
    """
    inside = {
        id(node)
        for function in nodes_of(path)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    found: list[tuple[str, int, bool]] = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            assert isinstance(node.args[0], ast.Constant), f"{path}:{node.lineno} hides an import"
            names = [node.args[0].value]
        else:
            continue
        found += ((name, node.lineno, id(node) in inside) for name in names)
    return tuple(found)


@pytest.mark.parametrize("path", python_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    package = package_of(module_of(path))
    for module, line, inside in imports_of(path):
        assert not inside, f"{path}:{line} imports inside a function"
        target = package_of(module)
        is_lower = target is None or layer_of(target) < layer_of(package)
        assert target == package or is_lower, f"{path}:{line} {package} imports {module}"


def test_no_modules_import_each_other_in_a_circle():
    modules = {module_of(path): path for path in python_files()}
    graph = {
        name: {
            target
            for module, _, _ in imports_of(path)
            for target in (module, module.rpartition(".")[0])
            if target in modules and target != name
        }
        for name, path in modules.items()
    }
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"a circle of imports: {error.args[1]}")


def test_no_folder_is_wider_than_a_screen():
    counts = Counter(
        path.relative_to(ROOT).parent
        for path in files_of_the_project()
        if path.name not in ("__init__.py", "__main__.py")
    )
    del counts[GROWING]
    wide = {str(folder): count for folder, count in counts.items() if count > FILES_MAX}
    assert wide == {}


def test_scoring_and_presence_know_no_web_and_no_sql():
    for path in python_files():
        if path.relative_to(ROOT).parts[0] in ("scoring", "presence"):
            for module, line, _ in imports_of(path):
                assert module.split(".")[0] not in ("flask", "sqlalchemy"), f"{path}:{line}"


def test_every_module_says_what_it_is():
    for path in python_files():
        module = nodes_of(path)[0]
        assert isinstance(module, ast.Module) and ast.get_docstring(module), path


def test_every_lua_script_says_what_it_takes():
    for path in (*(ROOT / "scoring").rglob("*.lua"), *(ROOT / "presence").rglob("*.lua")):
        assert path.read_text(encoding="utf-8").startswith("-- "), path


def settings_in_code() -> set[str]:
    return set(re.findall(r"LINEUP_[A-Z_]+", SETTINGS.read_text()))


def test_every_setting_stands_in_its_page_and_the_other_way_round():
    assert settings_in_code() == set(
        re.findall(r"LINEUP_[A-Z_]+", (DOCS / "settings.md").read_text())
    )


def test_every_command_stands_in_its_page_and_the_other_way_round():
    assert set(cli.commands) == {
        *re.findall(r"`app\.py ([a-z-]+)", (DOCS / "commands.md").read_text())
    }


def test_every_command_has_help_with_an_example_of_itself():
    for name, command in cli.commands.items():
        help = CliRunner().invoke(command, ["--help"]).output
        assert f"example: python app.py {name}" in help


def test_every_make_target_in_the_readme_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)", (ROOT / "README.md").read_text())) <= targets


def test_make_clean_keeps_the_database():
    (removed,) = re.findall(r"^clean:\n\trm -rf (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert "node_modules" in removed.split() and "instance" not in removed.split()


#: The packages that may use names which Engine.IO, Socket.IO, eventlet, gevent and redis-py do not
#: document; tests/dashboard/{transport,web/server}/test_library_contract.py names each of them.
FENCED = ("dashboard/transport/", "dashboard/web/server/")
#: A client of Socket.IO, which uses documented names alone.
SOCKET_IO_CLIENT = "demo/clients.py"
#: Underscored names that their libraries document: those of named tuples and of SQLAlchemy's rows,
#: and the end of a process.
DOCUMENTED = {"_asdict", "_exit", "_fields", "_make", "_mapping", "_replace"}
#: Attributes without an underscore that are internal nevertheless.
INTERNALS = {"eio", "eio_sid_from_sid", "trigger_callback"}


def undocumented_names(path: Path) -> Iterator[tuple[int, str]]:
    """(line, name) of every private name that a file takes from something else than itself."""
    for node in nodes_of(path):
        if isinstance(node, ast.Attribute):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            is_private = node.attr.startswith("_") and not node.attr.startswith("__")
            if (is_private and not is_own and node.attr not in DOCUMENTED) or (
                node.attr in INTERNALS
            ):
                yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (
                (node.lineno, alias.name)
                for alias in node.names
                if alias.name.startswith("_") and not alias.name.startswith("__")
            )


def test_undocumented_names_of_libraries_are_used_behind_the_fences_alone():
    paths = [*python_files(), ROOT / "app.py", *sorted((ROOT / "bench").rglob("*.py"))]
    used = {path.relative_to(ROOT).as_posix(): [*undocumented_names(path)] for path in paths}
    found = {name: names for name, names in used.items() if names}
    assert {name for name in found if not name.startswith(FENCED)} == set(), found
    assert found, "the fences hold nothing: this test looks for the wrong names"


def test_socket_io_is_imported_in_transport_and_green_threads_where_they_are_patched():
    for path in python_files():
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(FENCED) and name != SOCKET_IO_CLIENT:
            for module, line, _ in imports_of(path):
                libraries = {"engineio", "socketio", "flask_socketio", "eventlet", "gevent"}
                assert module.split(".")[0] not in libraries, f"{name}:{line}"


#: Folder → the least number of tests in the gate, and the most slow ones, both as functions. Raise
#: the second number only with the reason in the commit why the gate cannot have the test.
TESTS_OF = {
    "tests/bench": (40, 2),
    "tests/browser": (2, 185),
    "tests/dashboard": (1000, 44),
    "tests/demo": (69, 0),
    "tests/deploy": (25, 1),
    "tests/live": (80, 134),
    "tests/presence": (165, 10),
    "tests/scoring": (185, 3),
    "tests/tools": (2, 3),
}
#: Folders of mostly slow tests, with gate tests of the same rules.
TWINS_OF = {
    "tests/browser/accounts": (
        "tests/dashboard/web/admin/accounts",
        "tests/dashboard/web/admin/test_keys.py",
    ),
    "tests/browser/audit": ("tests/js/settings", "tests/dashboard/web/admin/audit"),
    "tests/browser/files": ("tests/js/core/uploads.test.mjs", "tests/dashboard/files"),
    "tests/browser/lists": ("tests/browser/test_walk.py", "tests/js/core/list"),
    "tests/browser/notices": ("tests/js/core/notice.test.mjs",),
    "tests/browser/page": ("tests/browser/test_walk.py", "tests/js/ui", "tests/js/net"),
    "tests/browser/presence": ("tests/js/core/presence.test.mjs",),
    "tests/browser/queues": ("tests/js/core/queues.test.mjs", "tests/js/ui/queues.test.mjs"),
    "tests/browser/reports": ("tests/js/core/reports",),
    "tests/browser/threads": ("tests/browser/test_walk.py", "tests/js/core/thread"),
    "tests/live/cluster": ("tests/scoring/cluster", "tests/dashboard/live/cluster"),
    "tests/live/connectors": ("tests/demo/test_example_chatbot.py", "tests/js/clients"),
    "tests/live/faults": ("tests/dashboard/live/test_invariant.py", "tests/dashboard/ordering"),
    "tests/live/load": ("tests/dashboard/web/server", "tests/dashboard/transport"),
    "tests/live/oidc": ("tests/dashboard/web/admin/sign_in/oidc",),
    "tests/live/presence": ("tests/presence", "tests/dashboard/presence"),
    "tests/live/threads": ("tests/live/test_walk.py", "tests/dashboard/webhooks"),
}


def test_the_gate_has_most_tests_and_slow_ones_stay_few():
    counts: dict[str, Counter[bool]] = {}
    for path, _, is_slow in every_test():
        folder = "/".join(path.relative_to(ROOT).parts[:2])
        counts.setdefault(folder, Counter())[is_slow] += 1
    files_of_the_root = {folder for folder in counts if folder.endswith(".py")}
    assert not [folder for folder in files_of_the_root if counts[folder][True]]
    assert counts.keys() - files_of_the_root == TESTS_OF.keys()
    for folder, (in_gate_min, slow_max) in TESTS_OF.items():
        assert counts[folder][False] >= in_gate_min, f"{folder} lost tests of the gate"
        assert counts[folder][True] <= slow_max, f"{folder} has more slow tests"


def test_what_is_mostly_slow_has_twins_in_the_gate():
    slow, quick = Counter[str](), Counter[str]()
    for path, _, is_slow in every_test():
        (slow if is_slow else quick).update(map(str, (path, *path.parents)))
    mostly_slow = {
        path.relative_to(ROOT).as_posix()
        for kind in ("live", "browser")
        for path in (ROOT / "tests" / kind).iterdir()
        if slow[str(path)] > quick[str(path)]
    }
    assert mostly_slow <= TWINS_OF.keys()
    for twins in TWINS_OF.values():
        for twin in (ROOT / each for each in twins):
            has_tests = quick[str(twin)] or [*twin.rglob("*.test.mjs")]
            assert has_tests or (twin.name.endswith(".test.mjs") and twin.is_file()), twin


def test_the_gate_does_not_wait_for_time_to_pass():
    for path, function, is_slow in every_test():
        for node in () if is_slow else ast.walk(function):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func).rpartition(".")[2]
                assert called not in ("sleep", "stays"), f"{path}:{node.lineno}"


def test_no_test_is_run_again_beside_others_and_none_has_a_port_of_its_own():
    fixed_port = re.compile(r"(free_port|create_server|bind)\(.*[1-9]\d{3}|--port[= ]\d")
    for path in sorted((ROOT / "tests").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "mark." + "flaky" not in text and "re" + "runs" not in text, path
        if path.name != "test_layout.py":
            assert not fixed_port.search(text), path
    assert "rerun" not in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")


#: Names that the product defines and does not use itself, and their purpose.
USED_ELSEWHERE = {
    "canonical": "tests compare queries by it",
    "downgrade": "tests bring a database back to an earlier revision by it",
    "is_ours": "tests ask by it who ends the embedded server",
    "outgoing_threads": "a table of which SQL alone knows",
}
#: Modules that are chosen at run time.
CHOSEN = (
    "dashboard.db.postgres",
    "dashboard.web.server.eventlet_server",
    "dashboard.web.server.gevent_server",
)
#: Methods and attributes of these names are called by libraries.
CALLED_BY_LIBRARIES = re.compile(
    "__.*|do_.*|on_.*|test_.*|log_message|list_commands|format_commands|process_bind_param|process_result_value"
    "|get_master_address|_handle_client_error|send_error|readable|readinto"
)


def test_everything_that_the_product_defines_is_used_in_it():
    """A test alone is no reason to keep a definition."""
    files = [*python_files(), ROOT / "app.py", *(ROOT / "bench").rglob("*.py")]
    files += [*(ROOT / "migrations").glob("*.py"), *(ROOT / "tools").rglob("*.py")]
    read: set[str] = set()
    imported: set[tuple[str, str]] = set()
    for path in files:
        names, modules = _uses(path)
        read |= names
        imported |= modules
    left = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in python_files()
        for name, is_of_module in _definitions(path)
        if not CALLED_BY_LIBRARIES.fullmatch(name) and name not in USED_ELSEWHERE
        if name not in read
        or (
            (is_of_module and (module := module_of(path)) not in CHOSEN)
            and (module, name) not in imported
        )
    ]
    assert left == []


def _uses(path: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """The names of attributes that a file reads, and (module, name) of those of modules."""
    read: set[str] = set()
    imported: set[tuple[str, str]] = set()
    aliases: dict[str, str] = {}
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                imported.add((node.module, alias.name))
                aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Assign) and (modules := _imported_by(node.value)):
            aliases.update((ast.unparse(target), modules[0]) for target in node.targets)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            imported.add((module_of(path), node.id))
            read.add(node.id)
        elif isinstance(node, ast.arg) and node.annotation:
            names = re.findall(r"\w+", ast.unparse(node.annotation))
            imported.update((module_of(path), name) for name in names)
    for node in nodes_of(path):
        if isinstance(node, ast.Attribute):
            read.add(node.attr)
            imported.add((aliases.get(ast.unparse(node.value), ""), node.attr))
            imported.update((module, node.attr) for module in _imported_by(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            read.update(re.findall(r"\w+", node.value))
    return read, imported


def _imported_by(expression: ast.expr) -> list[str]:
    """The modules that an expression imports when they are needed."""
    return [
        node.args[0].value
        for node in ast.walk(expression)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    ]


def _definitions(path: Path) -> Iterator[tuple[str, bool]]:
    """(name, whether it is the module's) of functions, classes, constants and methods.

    Those with a decorator are registered by it.
    """
    module = nodes_of(path)[0]
    assert isinstance(module, ast.Module)
    for node in module.body:
        yield from ((name, True) for name in _defined(node))
        if isinstance(node, ast.ClassDef):
            yield from ((name, False) for part in node.body for name in _methods(part))


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [] if node.decorator_list and isinstance(node, ast.FunctionDef) else [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _methods(node: ast.stmt) -> list[str]:
    decorators = ast.unparse(node).split("def ")[0] if isinstance(node, ast.FunctionDef) else ""
    is_registered = "@" in decorators and "property" not in decorators
    is_method = isinstance(node, ast.FunctionDef) and not is_registered
    return [node.name] if is_method and isinstance(node, ast.FunctionDef) else []
