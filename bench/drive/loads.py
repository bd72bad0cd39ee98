"""A process that loads the page on slow networks, twice each, and notes when rows were seen.

Reads its settings as a line of JSON; answers with a line: a list of loads for each network.
"""

import json
import sys
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

from bench.drive.browser import ARGUMENTS as BENCH_ARGUMENTS
from bench.drive.window import NOTES, PATIENCE_SECONDS, SIZE
from tests.servers.chromium import running_chromium
from tests.support import wait_until

_RECORDED = """() => {
  const files = performance.getEntriesByType("resource")
    .filter(({ startTime }) => startTime < notes.firstRows);
  const page = performance.getEntriesByType("navigation")[0];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return {
    first_rows_ms: notes.firstRows,
    skeleton_ms: paint.startTime,
    requests: files.length + 1,
    bytes: files.reduce((sum, { transferSize }) => sum + transferSize, page.transferSize),
  };
}"""


def opened(browser: Browser, settings: dict[str, Any], network: dict[str, float]) -> dict[str, Any]:
    """Returns {"cold": …, "again": …}: a first visit and a reload, both as `_RECORDED` has them."""
    context = browser.new_context(viewport=SIZE, locale="en")
    name, _, value = settings["cookie"].partition("=")
    context.add_cookies([{"name": name, "value": value, "url": settings["url"]}])
    context.add_init_script(path=NOTES)
    page = context.new_page()
    _slow_down(context.new_cdp_session(page), network)
    try:
        page.goto(f"{settings['url']}/#/{settings['view']}/{settings['sort']}")
        cold = _recorded(page)
        page.reload()
        return {"cold": cold, "again": _recorded(page)}
    finally:
        context.close()


def _slow_down(session: CDPSession, network: dict[str, float]) -> None:
    session.send("Network.enable")
    bytes_a_second = network["mbit"] * 1e6 / 8
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": network["latency_ms"],
            "downloadThroughput": bytes_a_second,
            "uploadThroughput": bytes_a_second,
        },
    )
    session.send("Emulation.setCPUThrottlingRate", {"rate": network["slower"]})


def _recorded(page: Page) -> dict[str, Any]:
    wait_until(
        lambda: page.evaluate("() => window.notes?.firstRows > 0"), PATIENCE_SECONDS, "first rows"
    )
    return page.evaluate(_RECORDED)


def main() -> None:
    settings = json.loads(sys.stdin.readline())
    with running_chromium(BENCH_ARGUMENTS) as browser:
        opened(browser, settings, {"latency_ms": 0, "mbit": 1000, "slower": 1})
        found = [
            [opened(browser, settings, network) for _ in range(settings["loads"])]
            for network in settings["networks"]
        ]
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
