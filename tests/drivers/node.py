"""A script that node runs, driven from Python: a JSON line in, a JSON line out."""

import json
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class NodeScript:
    """One node process; `ask` may be called from several threads."""

    def __init__(self, path: str) -> None:
        """`path` is that of the script, below the repository."""
        node = shutil.which("node")
        assert node, "node is needed: what browsers run is tested"
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            [node, str(ROOT / path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, question: Any) -> Any:
        """Asks the script; returns its answer."""
        assert self._process.stdin and self._process.stdout
        with self._turn:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
