"""The time left until an answer is due: on rows, in the thread's head, explained, in its lines."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.browser.lists.test_views import has_no_fault
from tests.browser.measures import narrow_rows
from tests.browser.threads.test_undo import LINES
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import now_ms

pytestmark = pytest.mark.slow

MINUTE_MS = 60_000
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEK = {day: [["00:00", "24:00"]] for day in DAYS}


@contextmanager
def promised(lineup: LineupDriver, query: str, minutes: int) -> Iterator[None]:
    """Promises first answers to these threads within so many minutes, at any time of day."""
    supervisor = lineup.server.sign_in(lineup.server.create_admin("Sol", role="supervisor"))
    api = f"{lineup.server.url}/admin/api"
    calendar = {"name": "Always", "timezone": "UTC", "week": WEEK, "exceptions": []}
    always = supervisor.post(f"{api}/calendars", json=calendar).json()["calendar"]["id"]
    policy = {"name": "Half an hour", "query": query, "calendar": always}
    policy |= {"first_reply": minutes, "next_reply": None}
    answer = supervisor.post(f"{api}/policies", json=policy)
    assert answer.status_code == 201, answer.text
    try:
        yield
    finally:
        id = answer.json()["policy"]["id"]
        assert supervisor.delete(f"{api}/policies/{id}", json={}).status_code == 204
        assert supervisor.delete(f"{api}/calendars/{always}", json={}).status_code == 204


def say(lineup: LineupDriver, name: str, minutes_ago: int) -> int:
    customer = {"id": f"c-{name}", "name": name, "locale": "eo"}
    at_ms = now_ms() - minutes_ago * MINUTE_MS
    return lineup.say(name, "Saluton", at_ms=at_ms, customer=customer)


def is_told_on_rows(browser: BrowserDriver, far: int, soon: int, late: int) -> None:
    """The thread due first is on top; a page that loaded slowly shows later times."""
    page = browser.page
    page.evaluate("() => { location.hash = '#/query/next_due?query=lang%3Aeo+is%3Aopen'; }")
    in_order = f"() => window.lineup.list().painted.join() === '{late},{soon},{far}'"
    browser.wait_for(in_order, "the order")
    told = {}
    for id, level in ((far, "far"), (soon, "soon"), (late, "late")):
        due = page.locator(f"#row-{id} .row-due[data-level={level}]")
        due.wait_for()
        told[level] = due.inner_text()
        assert page.locator(f"#row-{id} .row-wait").inner_text() == "", "one time is enough"
        assert page.locator(f"#row-{id}").evaluate("(row) => row.offsetHeight") == 64
    assert re.fullmatch(r"2[567]m left", told["far"]), told
    assert re.fullmatch(r"([89]|10)m left", told["soon"]), told
    assert re.fullmatch(r"1[123]m late", told["late"]), told
    label = page.locator(f"#row-{late}").get_attribute("aria-label") or ""
    assert re.search(r"1[123]m late, due \d", label), label
    for width in (390, 820, 1280, 1680):
        page.set_viewport_size({"width": width, "height": 800})
        for list_px in (480, 560):  # and in the narrowest list
            prefer = "(px) => document.documentElement.style.setProperty('--list-px', `${px}px`)"
            page.evaluate(prefer, list_px)
            assert narrow_rows(page) == [], (width, list_px)
    page.evaluate("() => document.documentElement.style.removeProperty('--list-px')")
    page.set_viewport_size({"width": 1280, "height": 800})
    has_no_fault(browser, "due times")


def is_told_in_the_thread(browser: BrowserDriver) -> None:
    """In the thread's head, in a line of the conversation, and in the sentence that explains it."""
    page = browser.page
    head = page.inner_text("#thread-head .thread-due")
    assert re.match(r"\s*1[123]m late, due \d", head), head
    browser.wait_for(f"() => ({LINES})().length > 0", "the line")
    [line] = page.evaluate(LINES)
    assert re.fullmatch(r"Late: the first answer was due at .+ \(Half an hour\)", line), line
    browser.choose_act("Why here?")
    page.wait_for_selector(".explain-due")
    sentence = r"Due .+: first answer within 30 minutes of opening time, since .+1[123]m late"
    assert re.match(sentence, page.inner_text(".explain-due"))
    assert "Always" in page.inner_text("#explain")
    page.keyboard.press("Escape")


def test_what_is_left_until_an_answer_is_due(browser, lineup):
    page = browser.page
    with promised(lineup, "lang:eo", 30):
        far, soon, late = (say(lineup, f"due-{ago}", ago) for ago in (3, 20, 42))
        is_told_on_rows(browser, far, soon, late)
        browser.open(late)
        is_told_in_the_thread(browser)
        page.fill(".composer-field", "Saluton!")
        page.keyboard.press("Control+Enter")
        kept = "() => !document.querySelector('#thread-head .thread-due')"
        browser.wait_for(kept, "the answer keeping the promise")
        for id in (far, soon, late):
            lineup.admin(lineup.mai_email).act(id, "close")
