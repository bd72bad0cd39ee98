"""Archived threads follow a live list in the same scroll; each thread is in one of the two."""

from itertools import pairwise
from typing import NamedTuple

import pytest

from scoring.views import DAY_MS
from tests.browser.axe import violations
from tests.browser.conftest import ServerMaker
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import now_ms, wait_until

pytestmark = pytest.mark.slow

#: Threads that were closed long ago and lately, the newest first.
OLD, LATE = 120, 12
#: Rows by which the list is scrolled; more rows than this are in view.
STEP = 5
SEAM = "() => document.querySelector('.list-seam:not([hidden])')?.textContent"


class History(NamedTuple):
    """A Lineup with closed threads alone; the ids of those closed lately, and long ago."""

    lineup: LineupDriver
    late: list[int]
    old: list[int]


@pytest.fixture
def history(start_server: ServerMaker) -> History:
    lineup, now = LineupDriver(start_server()), now_ms()
    days = [1 + number for number in range(LATE)], [100 + number for number in range(OLD)]
    late, old = ([closed(lineup, f"t-{ago}", now - ago * DAY_MS) for ago in each] for each in days)
    return History(lineup, late, old)


def closed(lineup: LineupDriver, name: str, at_ms: int) -> int:
    message = lineup.message_event(name, at_ms=at_ms - 1_000)
    return lineup.post(message, lineup.close_event(name, at_ms))[0]


def shown(browser: BrowserDriver, index: int, seen: dict[int, int]) -> set[int]:
    """Scrolls to a row, past the line if the row is archived. Returns the places in view, from 1,
    and adds them to `seen` (place to id)."""
    browser.page.evaluate(
        "(px) => { document.querySelector('.list').scrollTop = px; }",
        64 * (index + (index >= LATE)),
    )
    rows = dict(browser.rows_in_view())
    assert all(seen.get(at, id) == id for at, id in rows.items())
    seen |= rows
    return {*rows}


def test_the_archive_follows_in_the_same_scroll(chromium, history):
    lineup, expected = history.lineup, history.late + history.old
    browser = BrowserDriver(
        chromium, lineup.server, lineup.mai_email, "history/arrival", reduced_motion="reduce"
    )
    browser.page.wait_for_selector(".row:not(.skeleton)")
    assert browser.page.locator(".header-total").inner_text().startswith(str(LATE))
    top = browser.rows_in_view()
    assert [id for _, id in top] == expected[: len(top)]
    seen: dict[int, int] = {}
    for index in range(0, len(expected), STEP):
        places = {*range(index + 1, min(index + STEP, len(expected)) + 1)}
        wait_until(lambda at=index, of=places: of <= shown(browser, at, seen), what="the rows")
    assert [seen[at] for at in sorted(seen)] == expected
    assert sorted(seen) == list(range(1, len(expected) + 1))
    # By keys back over the line.
    browser.page.evaluate("(px) => { document.querySelector('.list').scrollTop = px }", 64 * 8)
    browser.wait_for(SEAM, "the line")
    assert browser.page.evaluate(SEAM) == "Closed more than 90 days ago"
    first_old = browser.page.locator(f"#row-{expected[LATE]}")
    assert first_old.get_attribute("aria-description") == "Closed more than 90 days ago"
    first_old.click()
    browser.page.wait_for_selector(f".composer-field[data-thread='{expected[LATE]}']")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("ArrowUp")
    active = "document.querySelector('.list').getAttribute('aria-activedescendant')"
    browser.wait_for(f"() => {active} === 'row-{expected[LATE - 1]}'", "the last live one")
    browser.page.keyboard.press("ArrowDown")
    browser.wait_for(f"() => {active} === 'row-{expected[LATE]}'", "the first archived one")
    assert browser.errors == []
    assert violations(browser.page) == []
    browser.close()


def test_what_is_archived_or_opened_meanwhile_is_in_one_of_both(chromium, history):
    lineup, _, old = history
    edge = closed(lineup, "edge", now_ms() - 90 * DAY_MS + 20_000)
    browser = BrowserDriver(
        chromium, lineup.server, lineup.mai_email, "history/arrival", reduced_motion="reduce"
    )
    wait_until(lambda: edge in browser.state()["painted"], what="it is live")
    browser.page.evaluate("() => { document.querySelector('.list').scrollTop = 64 * 7; }")
    wait_until(lambda: old[0] in browser.state()["painted"], what="the archive")

    def follow_each_other() -> bool:
        painted = browser.state()["painted"]
        assert painted.count(edge) <= 1
        at = painted.index(edge) if edge in painted else -1
        return at == LATE and painted[at + 1] == old[0] and browser.state()["total"] == LATE

    wait_until(follow_each_other, 60, "the thread between the live ones and the older ones")
    lineup.say("t-101", "I am back")
    wait_until(lambda: old[1] not in browser.state()["painted"], 60, "it is on another list")
    painted = browser.state()["painted"]
    assert painted[LATE : LATE + 3] == [edge, old[0], old[2]]
    assert all(one != other for one, other in pairwise(sorted(painted)))
    browser.close()
