"""A list as it was at a moment: its rows, its address, its slider; and the changes of a thread."""

import json
import re
from typing import NamedTuple

import pytest
from sqlalchemy import update

from dashboard.db.models.accounts import admins
from tests.browser.axe import violations
from tests.browser.page.test_accessible import PHONE
from tests.drivers.admin import AdminDriver
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver, rfc3339
from tests.support import now_ms, wait_until

pytestmark = pytest.mark.slow

HOUR_MS = 3_600_000
LIST = "query/longest_wait?query=tag%3Aas-it-was+is%3Aopen"
#: The rows of the past: ids, and what is told of each; of the live list the same.
PAST = """() => [...document.querySelectorAll('#past-list .row[id]')]
  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map((row) => [Number(row.dataset.thread), row.querySelector('.row-preview').textContent,
    row.querySelector('.row-count').textContent])"""
LIVE = """() => [...document.querySelectorAll('#list .row[id]')]
  .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map((row) => [Number(row.id.slice(4)), row.querySelector('.row-preview').textContent,
    row.querySelector('.row-count').textContent])"""
SPOKEN = "() => document.querySelector('.past-slider').getAttribute('aria-valuetext')"


class Shown(NamedTuple):
    """What a dashboard showed at a moment."""

    at: int
    rows: list[list]


def shown_now(browser: BrowserDriver, *wanted: int) -> Shown:
    wait_until(lambda: browser.state()["painted"] == [*wanted], what=f"{wanted} in the list")
    ids = json.dumps(wanted)
    is_it = f"JSON.stringify(rows.map(([id]) => id)) === JSON.stringify({ids})"
    rows = browser.wait_for(f"() => {{ const rows = ({LIVE})(); return {is_it} && rows; }}", ids)
    return Shown(now_ms(), rows)


def shows(browser: BrowserDriver, shown: Shown) -> None:
    rows = json.dumps(shown.rows)
    browser.wait_for(f"() => JSON.stringify(({PAST})()) === JSON.stringify({rows})", rows)


def address(shown: Shown) -> str:
    return f"#/{LIST}&at={moment(shown.at)}"


def moment(at_ms: int) -> str:
    return rfc3339(at_ms).replace("+00:00", "Z")


def tag(admin: AdminDriver, thread_id: int) -> None:
    admin.put(f"threads/{thread_id}/tags", {"add": ["as-it-was"], "remove": []})


def moments(browser: BrowserDriver, lineup: LineupDriver) -> tuple[list[Shown], list[int]]:
    """Three moments of the list with changes between them, and the threads on it."""
    mai = lineup.admin(lineup.mai_email)
    ids = [lineup.say(f"past-{number}", f"Question {number}") for number in range(3)]
    for id in ids:
        tag(mai, id)
    browser.page.evaluate("(to) => { location.hash = to; }", f"#/{LIST}")
    first, _, third = ids
    shown = [shown_now(browser, *ids)]
    lineup.say("past-0", "Still waiting")
    lineup.close_thread("past-1")
    shown.append(shown_now(browser, first, third))
    # Begun before all others, but reported only now.
    late = lineup.say("past-late", "From before", at_ms=now_ms() - HOUR_MS)
    tag(mai, late)
    shown.append(shown_now(browser, late, first, third))
    assert mai.act(late, "claim").status_code == 200
    return shown, [*ids, late]


def test_a_list_is_shown_as_it_was(browser, lineup):
    page = browser.page
    # The slider would begin where the installation did.
    earlier = update(admins).values(created_at=admins.c.created_at - 2 * HOUR_MS)
    lineup.database.write(lambda connection: connection.execute(earlier))
    (before, between, after), ids = moments(browser, lineup)
    page.click(".sort-button")
    page.locator("#sort-menu .menu-item", has_text="As it was").click()
    browser.wait_for(f"() => ({PAST})().length > 1", "rows of a moment ago")
    browser.wait_for("() => document.activeElement.matches('.past-slider')", "the slider's focus")
    for shown in (before, between, after, before):
        page.evaluate("(to) => { location.hash = to; }", address(shown))
        shows(browser, shown)
    assert page.inner_text(".past-title").startswith("As it was on ")
    assert page.inner_text(".past-total") == "3 threads"

    assert page.input_value(".past-span") == "hour"
    page.select_option(".past-span", "week")
    browser.wait_for("() => location.hash.endsWith('&span=week')", "the span in the address")
    page.reload()
    shows(browser, before)
    assert page.input_value(".past-span") == "week"
    moves_by_keys(browser, lineup, before, ids[0])
    explains(browser, before, ids)
    tells_of_changes(browser, ids[-1], between)
    is_accessible(browser)
    begins_at_the_top(browser, lineup)
    may_be_left_at_once(browser, before)


def moves_by_keys(
    browser: BrowserDriver, lineup: LineupDriver, before: Shown, first_id: int
) -> None:
    """Nothing moves but by the keys; the change after is gone to at its moment."""
    page = browser.page
    page.select_option(".past-span", "hour")
    browser.wait_for("() => document.querySelector('.past-marks path').getAttribute('d')", "marks")
    page.locator(".past-slider").focus()
    start = int(page.input_value(".past-slider"))
    for key, back in (("PageDown", 10), ("ArrowLeft", 11), ("PageUp", 1), ("ArrowRight", 0)):
        page.keyboard.press(key)
        is_there = f"() => document.querySelector('.past-slider').value === '{start - back}'"
        browser.wait_for(is_there, f"the slider {back} steps back")
    page.keyboard.press("Home")
    browser.wait_for("() => document.querySelector('.past-slider').value === '0'", "its beginning")
    path = f"{lineup.server.url}/admin/api/threads/{first_id}/history"
    changes = lineup.mai.get(path).json()["changes"]
    came = next(change["at"] for change in changes if "tags" in change["changed"])
    for at, said in ((came - 24 * HOUR_MS, "The past is known from"), (came - 1, "Nothing was on")):
        page.evaluate("(to) => { location.hash = to; }", address(Shown(at, [])))
        title = "document.querySelector('#past .empty-title')?.textContent"
        browser.wait_for(f"() => {title}?.startsWith('{said}')", said)
    browser.wait_for(f"() => ({SPOKEN})().includes('0 threads')", "the total of that moment")
    page.click(".past-next")
    is_there = f"() => decodeURIComponent(location.hash).includes('&at={moment(came)}')"
    browser.wait_for(is_there, "the moment of the first change")
    browser.wait_for(f"() => ({PAST})().length === 1", "the list with its first thread")
    assert re.search(r"\d\d?:\d\d:\d\d.*, \d threads?", page.evaluate(SPOKEN))
    page.evaluate("(to) => { location.hash = to; }", address(before))
    shows(browser, before)


def explains(browser: BrowserDriver, before: Shown, ids: list[int]) -> None:
    page = browser.page
    page.locator("#past-list").focus()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("w")
    browser.wait_for("() => document.querySelector('.explain-title')?.textContent", "why")
    assert page.inner_text(".explain-title") == "Place 2 of 3"
    assert "As it was on" in page.inner_text("#explain")
    page.keyboard.press("Escape")
    page.locator("#past-list").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(f".composer-field[data-thread='{ids[1]}']")
    assert f"/{ids[1]}?" in page.url and "at=" in page.url
    shows(browser, before)


def tells_of_changes(browser: BrowserDriver, late: int, between: Shown) -> None:
    page = browser.page
    to = address(between).replace("longest_wait?", f"longest_wait/{late}?")
    page.evaluate("(to) => { location.hash = to; }", to)
    page.wait_for_selector(f".composer-field[data-thread='{late}']")
    browser.choose_act("Changes")
    page.wait_for_selector(".change-late")
    taken, tagged, first = (page.locator(".change").nth(at) for at in (0, 1, -1))
    assert "Assigned to Unassigned → to Mai" in " ".join(taken.inner_text().split())
    assert "Message from the customer reported late" in first.inner_text()
    assert "as-it-was" in tagged.inner_text()
    first.locator(".change-then").click()
    says_of_thread(browser, "The open thread was not on this list then")
    assert "not on this list" in page.evaluate(SPOKEN)
    tagged.locator(".change-then").click()
    browser.wait_for(f"() => ({PAST})().some(([id]) => id === {late})", "the list then")
    says_of_thread(browser, "The open thread: place 1 of 3")
    closes_the_innermost_first(browser)
    then = Shown(0, page.evaluate(PAST))
    for leave in (lambda: page.click(".past-now"), lambda: page.keyboard.press("Escape")):
        leave()
        browser.wait_for("() => document.getElementById('past').hidden", "the live list")
        page.go_back()
        browser.wait_for("() => !document.getElementById('past').hidden", "the past again")
        shows(browser, then)
        page.locator("#past-list").focus()


def says_of_thread(browser: BrowserDriver, text: str) -> None:
    said = "document.querySelector('.past-thread')?.textContent"
    browser.wait_for(f"() => {said} === '{text}'", text)


def closes_the_innermost_first(browser: BrowserDriver) -> None:
    """Esc beside the changes of the thread, on the slider, leaves the past open."""
    page = browser.page
    browser.wait_for("() => document.activeElement.matches('.past-slider')", "the slider's focus")
    page.keyboard.press("Escape")
    browser.wait_for("() => document.getElementById('changes').hidden", "the conversation")
    assert page.is_visible(".composer-field") and page.is_visible("#past")


def begins_at_the_top(browser: BrowserDriver, lineup: LineupDriver) -> None:
    """Also with an open thread far below."""
    page, ids = browser.page, lineup.in_sql("arrival", "arrival")
    for rank in (60, len(ids) - 1):
        to = address(Shown(now_ms(), [])).replace(LIST, f"arrival/arrival/{ids[rank]}")
        page.evaluate("(to) => { location.hash = to; }", to.replace("&at", "?at"))
        says_of_thread(browser, f"The open thread: place {rank + 1} of {len(ids)}")
        assert browser.wait_for(PAST)[0][0] == ids[0]


def is_accessible(browser: BrowserDriver) -> None:
    page = browser.page
    page.emulate_media(reduced_motion="reduce")
    browser.choose_act("Changes")
    page.wait_for_selector(".change")
    for width, height in ((PHONE["width"], PHONE["height"]), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        for panel in ("list", "thread"):
            page.evaluate("(to) => { document.getElementById('app').dataset.panel = to; }", panel)
            page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
            assert violations(page) == [], f"{panel} at {width}"


def may_be_left_at_once(browser: BrowserDriver, before: Shown) -> None:
    """The answers come later, and change nothing."""
    leave = """([past, live]) => {
      location.hash = past;
      setTimeout(() => { location.hash = live; });
    }"""
    with browser.page.expect_response("**/admin/api/history/marks?*"):
        browser.page.evaluate(leave, [address(before), f"#/{LIST}"])
    browser.wait_for("() => document.getElementById('past').hidden", "the live list")
