"""A real browser's window on Lineup, observed from inside: paints, frames, input, memory.

The first line holds the settings, answered after the page was loaded. Then each line is a command,
answered with one line of JSON: `clear`, `report` (the records and the content of the page),
`end ID` (scrolls to the end of the list, where that thread is), `top`, `act SECONDS` (works like a
user), `rows` (the threads on screen).
"""

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, ViewportSize

from bench.drive.browser import BENCH_ARGUMENTS
from bench.processes import wait_for
from tests.servers.chromium import running_chromium

NOTES = Path(__file__).with_name("notes.js")
#: Longest time that a person may wait; longer is a fault.
PATIENCE_SECONDS = 60.0
SIZE: ViewportSize = {"width": 1280, "height": 900}
#: Pause between two presses of a quick user, at least and at most.
PAUSES_SECONDS = (0.1, 0.3)
_RECORDED = """() => ({
  ...notes, firstRows: notes.firstRows, shown: document.getElementsByTagName("*").length,
  held: window.lineup.list().ids.length,
  presses: performance.interactionCount - (notes.presses ?? 0),
  scripts: Object.fromEntries(performance.getEntriesByType("resource")
    .filter(({ name, startTime }) => startTime < notes.firstRows && name.endsWith(".js"))
    .map(({ name, transferSize }) => [new URL(name).pathname, transferSize])),
})"""
_ROWS = """() => {
  const list = document.querySelector(".list").getBoundingClientRect();
  return [...document.querySelectorAll(".list .row[id]")]
    .map((row) => [row.getBoundingClientRect(), Number(row.id.slice(4))])
    .filter(([box]) => box.height && box.top >= list.top - 1 && box.bottom <= list.bottom + 1)
    .sort(([one], [other]) => one.top - other.top)
    .map(([box, id]) => [id, box.left + box.width / 2, box.top + box.height / 2]);
}"""


class Window:
    """A new, signed-in browser context with an empty cache and the first rows painted."""

    def __init__(self, browser: Browser, settings: dict[str, Any]):
        context = browser.new_context(viewport=SIZE, locale="en")
        name, _, value = settings["cookie"].partition("=")
        context.add_cookies([{"name": name, "value": value, "url": settings["url"]}])
        context.add_init_script(path=NOTES)
        self.page: Page = context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)[:200]))
        self._cdp: CDPSession = context.new_cdp_session(self.page)
        for domain in ("Network", "Performance", "HeapProfiler"):
            self._cdp.send(f"{domain}.enable")
        self._cdp.send("Network.setCacheDisabled", {"cacheDisabled": True})
        self._random = random.Random(1)
        self.page.goto(f"{settings['url']}/#/{settings['view']}/{settings['sort']}")
        self._wait("() => notes.firstRows > 0", "the first rows")

    def close(self) -> None:
        self.page.context.close()

    def do(self, command: str, *given: str) -> Any:
        return getattr(self, f"do_{command}")(*given)

    def do_clear(self) -> bool:
        self.page.evaluate("() => notes.clear()")
        return True

    def do_report(self) -> dict[str, Any]:
        """Reports the records, and the heap after a garbage collection."""
        recorded = self.page.evaluate(_RECORDED)
        self._cdp.send("HeapProfiler.collectGarbage")
        found = self._cdp.send("Performance.getMetrics")["metrics"]
        metrics = {each["name"]: each["value"] for each in found}
        # Posts are timed by the machine's monotonic clock.
        shift = (time.monotonic_ns() - time.time_ns()) / 1e6
        return recorded | {
            "heap": metrics["JSHeapUsedSize"],
            "nodes": self._cdp.send("Memory.getDOMCounters")["nodes"],
            "shift_ms": shift,
            "problems": self.problems[:3],
        }

    def do_end(self, last_id: str) -> float:
        """Scrolls to the end; returns how many ms it took until the end was painted."""
        begun = time.monotonic()
        self.page.locator(".list").focus()
        self.page.keyboard.press("End")
        self._wait(f"() => document.querySelector('#row-{last_id} .row-preview')", "the end")
        return 1000 * (time.monotonic() - begun)

    def do_top(self) -> bool:
        """Goes to the head, without any input."""
        self.page.mouse.move(SIZE["width"] - 5, SIZE["height"] - 5)
        self.page.locator(".list").focus()
        self.page.keyboard.press("Home")
        self._wait("() => document.querySelector('.list').scrollTop === 0", "the head")
        self._wait("() => window.lineup.list().hold === 'live'", "the list being live")
        return True

    def do_rows(self) -> list[int]:
        return [id for id, _, _ in self.page.evaluate(_ROWS)]

    def do_act(self, seconds: str) -> bool:
        """Opens threads, walks and scrolls the list, changes its order and types."""
        end = time.monotonic() + float(seconds)
        while time.monotonic() < end:
            self._random.choice([self._click, self._click, self._walk, self._sort, self._type])()
            time.sleep(self._random.uniform(*PAUSES_SECONDS))
        self.page.locator(".list").focus()
        self._press("s", "a")
        return True

    def _click(self) -> None:
        rows = self.page.evaluate(_ROWS)
        if rows:
            _, x, y = self._random.choice(rows)
            self.page.mouse.click(x, y)

    def _walk(self) -> None:
        self.page.locator(".list").focus()
        self._press(self._random.choice(["ArrowDown", "ArrowUp", "PageDown", "Home"]))

    def _sort(self) -> None:
        self.page.locator(".list").focus()
        self._press("s", self._random.choice("al"))

    def _type(self) -> None:
        field = self.page.locator(".composer-field")
        if field.count():
            field.focus()
            self._press(*"hello")

    def _press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def _wait(self, expression: str, what: str) -> None:
        # Does not use playwright's own waiting: it evaluates text, which the page's policy forbids.
        wait_for(
            lambda: self.page.evaluate(f"() => Boolean(({expression})())"), PATIENCE_SECONDS, what
        )


def main() -> None:
    settings = json.loads(sys.stdin.readline())
    with running_chromium(BENCH_ARGUMENTS) as browser:
        cold = []
        for _ in range(settings["loads"]):
            window = Window(browser, settings)
            cold.append(window.do_report())
            if len(cold) < settings["loads"]:
                window.close()
        print(json.dumps(cold), flush=True)
        for line in sys.stdin:
            print(json.dumps(window.do(*line.split())), flush=True)


if __name__ == "__main__":
    main()
