"""The browser's own reducer, run by node and driven from Python."""

import json
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class Replay:
    """One node process that keeps the orders of many lists by name; see tests/js/replay.mjs."""

    def __init__(self) -> None:
        node = shutil.which("node")
        self._turn = threading.Lock()
        assert node, "node is needed: the reducer that browsers run is tested"
        self._process = subprocess.Popen(
            [node, str(ROOT / "tests/js/replay.mjs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, op: str, list: str, **given: Any) -> dict[str, Any]:
        """What the reducer answers; fails if it does not understand."""
        assert self._process.stdin and self._process.stdout
        with self._turn:
            self._process.stdin.write(json.dumps({"op": op, "list": list, **given}) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
        assert answer["result"] != "error", answer
        return answer

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
