"""What judges share: the programs that only they need, and the versions of all programs."""

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from bench.processes import ROOT, BenchError
from tests.servers import chromium

#: `tools/setup.sh` installs `package.json` and `requirements.txt` beside this file here.
FOLDER = ROOT / "build" / "judges"
_VERSIONS = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"


def programs() -> dict[str, str]:
    """Returns the versions of Python and Node, and of the packages that serve."""
    served = python_versions("eventlet", "gevent", "wsproto")
    return {
        "Python": platform.python_version(),
        "Node": output(node(), "--version").strip().removeprefix("v"),
        **served,
    }


def python_versions(*names: str) -> dict[str, str]:
    """Returns the versions of packages of Lineup's own environment."""
    return {name: version(name) for name in names}


def own_versions(name: str) -> dict[str, str]:
    """Returns the version of a Python package that only judges need. Raises BenchError."""
    return {name: output(own_program("python"), "-c", _VERSIONS, name).strip()}


def npm_versions(*names: str, folder: Path = ROOT) -> dict[str, str]:
    """Returns the versions of installed packages of Node. Raises BenchError."""
    versions = {}
    for name in names:
        about = folder / "node_modules" / name / "package.json"
        if not about.is_file():
            raise BenchError(f"{name} is not installed: run `make judges`")
        versions[name] = json.loads(about.read_text(encoding="utf-8"))["version"]
    return versions


def chromium_path() -> str:
    """Returns the path of Chromium. Raises BenchError."""
    path = chromium.program()
    if path is None:
        raise BenchError("there is no Chromium on the PATH")
    return path


def chromium_version() -> dict[str, str]:
    return {"Chromium": output(chromium_path(), "--version").split()[1]}


def own_program(name: str) -> str:
    """Returns the path of a Python program that only judges need. Raises BenchError."""
    path = FOLDER / "python" / "bin" / name
    if not path.is_file():
        raise BenchError(f"{name} is not installed: run `make judges`")
    return str(path)


def node() -> str:
    """Returns the path of Node. Raises BenchError."""
    path = shutil.which("node")
    if path is None:
        raise BenchError("there is no node on the PATH")
    return path


def output(
    *command: object,
    given: str | None = None,
    seconds: float = 300,
    codes: Sequence[int] = (0,),
    folder: Path = ROOT,
    **environment: str,
) -> str:
    """Runs a program, and returns what it printed. Raises BenchError for other exit codes."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=folder,
        env=os.environ | environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    if done.returncode not in codes:
        said = f"{done.stdout}{done.stderr}"[-4_000:]
        raise BenchError(f"{' '.join(words)[:200]} ended with {done.returncode}: {said}")
    return done.stdout
