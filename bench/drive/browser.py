"""Real browsers that show a side's page, and note when a thread came to the head of the screen.

The first line of input holds the settings. Then each `report` is answered with the painted rows.
"""

import json
import sys
import time
from typing import Any

from playwright.sync_api import Browser, Page

from tests.servers.chromium import ARGUMENTS, running_chromium

#: A frame's callback runs before its paint; a message posted there arrives after it. The page's own
#: callbacks run after ours in the same frame, so their changes are looked at again. Notes when a
#: row came to be among the first ones, or got another text there, in ms since 1970.
_NOTE = """
(find) => {
  const painted = window.painted = {};
  const channel = new MessageChannel();
  let before = new Map(), found = null, inFrame = false;
  channel.port1.onmessage = () => {
    inFrame = false;
    const at = performance.timeOrigin + performance.now();
    for (const [id, text] of found) {
      if (before.get(id) !== text) (painted[id] ??= []).push(at);
    }
    before = found;
  };
  const look = new Function(`return (${find})`)();
  const frame = () => {
    found = look();
    inFrame = true;
    channel.port2.postMessage(null);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new MutationObserver(() => { if (inFrame) found = look(); })
    .observe(document, { subtree: true, childList: true, attributeFilter: ["id", "data-id"] });
}
"""
#: Finds the rows on screen: thread → its text, or its place if the text does not tell its state.
_FIND = {
    "lineup": """() => new Map([...document.querySelectorAll(".list .row[id]")]
        .map((row) => [row.id.slice(4), row.querySelector(".row-preview").textContent]))""",
    "recipe": """() => {
        const first = document.getElementById("list").firstElementChild;
        return new Map(first ? [[first.dataset.id.slice(2), "first"]] : []);
    }""",
}
_READY = {"lineup": ".list .row .row-preview", "recipe": "#list .row"}


#: Arguments left out, so that Chromium runs as for a user: with a GPU process and QUIC.
_WITHOUT = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync")
BENCH_ARGUMENTS = (
    *(each for each in ARGUMENTS if each not in _WITHOUT),
    "--enable-precise-memory-info",
)


def open_page(browser: Browser, settings: dict[str, Any]) -> Page:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    kind = settings["kind"]
    if kind == "lineup":
        name, _, value = settings["cookie"].partition("=")
        context.add_cookies([{"name": name, "value": value, "url": settings["url"]}])
        path = f"/#/{settings['view']}/{settings['sort']}"
    else:
        path = f"/?list=list:{settings['view']}:{settings['sort']}"
    page = context.new_page()
    page.goto(settings["url"] + path)
    page.wait_for_selector(_READY[kind], timeout=60_000, state="attached")
    return page


def main() -> None:
    settings = json.loads(sys.stdin.readline())
    problems: list[str] = []
    with running_chromium(BENCH_ARGUMENTS) as browser:
        pages, opened = [], []
        for _ in range(settings["browsers"]):
            begun = time.monotonic()
            page = open_page(browser, settings)
            page.on("pageerror", lambda error: problems.append(str(error)[:200]))
            opened.append(1000 * (time.monotonic() - begun))
            page.evaluate(_NOTE, _FIND[settings["kind"]])
            pages.append(page)
        print(json.dumps(opened), flush=True)
        # The pages run by themselves; their notes are collected at the end.
        for line in sys.stdin:
            if line.strip() != "report":
                break
            found = [
                page.evaluate("() => ({painted, heap: performance.memory?.usedJSHeapSize ?? 0})")
                for page in pages
            ]
            # Posts are timed by the machine's monotonic clock.
            shift = (time.monotonic_ns() - time.time_ns()) / 1e6
            report = {"pages": found, "problems": problems[:3], "shift_ms": shift}
            print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()
