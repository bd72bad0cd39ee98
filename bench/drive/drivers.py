"""The drivers' processes, for use by the benches."""

import json
import subprocess
from pathlib import Path
from typing import Any

from bench.processes import BenchError, PythonProcess


class PythonDriver(PythonProcess):
    """A driver that reads lines and answers each with a line of JSON."""

    def __init__(self, module: str, settings: dict[str, Any], log: Path):
        super().__init__(module, [], log, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tell(json.dumps(settings))

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.hear()

    def hear(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.process.wait(10)
            self.check()
            raise BenchError("a driver ended")
        return json.loads(line)

    def do(self, command: str) -> Any:
        self.tell(command)
        return self.hear()


class Dashboards(PythonDriver):
    """Dashboards that are open when this object is made; `opened_ms` says how long each took."""

    def __init__(self, settings: dict[str, Any], log: Path):
        super().__init__("bench.drive.dashboards", settings, log)
        self.opened_ms: list[float] = self.hear()


class Observer(PythonDriver):
    """Looks at Redis and these lists from when this object is made (`bench.drive.observer`)."""

    def __init__(self, url: str, lists: list[str], log: Path):
        super().__init__("bench.drive.observer", {"url": url, "screens": lists}, log)
        self.hear()


class Lines(PythonDriver):
    """A network line to the server for each dashboard; `ports` are the local ends."""

    def __init__(self, line: str, url: str, dashboards: int, log: Path):
        settings = {"line": line, "url": url, "dashboards": dashboards}
        super().__init__("bench.drive.lines", settings, log)
        self.ports: list[int] = self.hear()


def post(settings: dict[str, Any], log: Path, *, refusals: bool = False) -> dict[str, Any]:
    """Posts until done. Raises BenchError if the driver fails or events are refused.

    With `refusals`, refused events are no error: the answer counts them.
    """
    driver = PythonDriver("bench.drive.post", settings, log)
    try:
        answer = driver.hear()
    finally:
        driver.stop()
    if answer["refused"] and not refusals:
        raise BenchError(f"{answer['refused']} posts were refused: {answer['refusals']}")
    if answer["left"]:
        raise BenchError(f"overloaded: {answer['left']} events had no answer a minute later")
    return answer
