"""The browser's own reducer, run by node and driven from Python."""

import atexit
from functools import cache
from typing import Any

from tests.drivers.node import NodeScript


class Replay(NodeScript):
    """One node process that keeps the orders of many lists by name; see tests/js/replay.mjs."""

    def __init__(self) -> None:
        super().__init__("tests/js/replay.mjs")

    def do(self, op: str, list: str, **given: Any) -> dict[str, Any]:
        """Asks the reducer; returns its answer. Fails if the reducer does not understand."""
        answer: dict[str, Any] = self.ask({"op": op, "list": list, **given})
        assert answer["result"] != "error", answer
        return answer


@cache
def shared_replay() -> Replay:
    """Returns the one of this process, which ends with it."""
    replay = Replay()
    atexit.register(replay.close)
    return replay
