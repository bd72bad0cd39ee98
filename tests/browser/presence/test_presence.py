"""Presence in Chromium: admins in a thread, dots, windows that are hidden, stopped and closed."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.conftest import MODES
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.drivers.plain_chromium import PlainChromium
from tests.support import stays, wait_until

pytestmark = pytest.mark.slow

#: Seconds: a tenth of the usual lifetime, and all other times with it.
TTL = 9
HIDDEN_TTL = TTL * 120 / 90
AWAY_AFTER = TTL * 60 / 90
#: The longest time from an act in one window to its painting in another.
SEEN_WITHIN_MS = 1_000

_HERE = "() => document.querySelector('#here')?.textContent.trim().replace(/\\s+/g, ' ') ?? ''"
_LINE = "() => document.querySelector('.thread-presence')?.textContent ?? ''"
#: Notes when each text above the composer was painted, by the clock of this machine.
_NOTE_PAINTS = """() => {
  window.painted = {};
  const note = (text) => requestAnimationFrame(() => { painted[text] ??= Date.now(); });
  const line = document.getElementById('here');
  const look = () => note(line.textContent.trim().replace(/\\s+/g, ' '));
  new MutationObserver(look).observe(line, { childList: true, characterData: true, subtree: true });
}"""
_HIDE = """(state) => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


@pytest.fixture(params=MODES)
def lineup(request, start_server) -> LineupDriver:
    """A Lineup with two threads; its times are a tenth of the usual ones."""
    server = start_server(request.param, LINEUP_PRESENCE_TTL=str(TTL))
    made = LineupDriver(server)
    made.post(made.message_event("one"), made.message_event("two"))
    return made


def open_thread(browser: BrowserDriver, thread_id: int) -> None:
    page, hash = browser.page, f"#/arrival/arrival/{thread_id}"
    page.evaluate("(hash) => { location.hash = hash; }", hash)
    wait_until(lambda: page.query_selector(".message") is not None, 10, "the messages")


def thread_of(lineup: LineupDriver, name: str) -> int:
    return lineup.post(lineup.message_event(name))[0]


def here(page: Page) -> str:
    return page.evaluate(_HERE)


def dot_of(page: Page, thread_id: int) -> str:
    return page.evaluate(
        "(id) => document.querySelector(`#row-${id} .dot`)?.dataset.dot ?? ''", thread_id
    )


def painted_at(page: Page, text: str) -> int:
    """Returns when the text was first painted above the composer, in ms."""
    found = "(text) => Object.entries(painted).find(([line]) => line.includes(text))?.[1]"
    return wait_until(lambda: page.evaluate(found, text), 5, text)


def set_status(browser: BrowserDriver) -> None:
    page = browser.page
    page.click("[popovertarget=team-panel]")
    wait_until(lambda: page.query_selector("#team-panel select") is not None, 5, "the panel")
    page.select_option("#team-panel select >> nth=0", "dnd")


def test_two_admins_in_a_thread_see_each_other_and_what_they_do(chromium, lineup):
    """Cases E1, E3: within a second; one of two windows that closes leaves the other there."""
    thread = thread_of(lineup, "one")
    mai, ken = (
        BrowserDriver(chromium, lineup.server, lineup.mai_email),
        BrowserDriver(chromium, lineup.server, lineup.ken_email),
    )
    open_thread(mai, thread)
    assert here(mai.page) == ""
    mai.page.evaluate(_NOTE_PAINTS)
    came_at = ken.page.evaluate("() => Date.now()")
    open_thread(ken, thread)
    assert painted_at(mai.page, "Ken is here") - came_at < SEEN_WITHIN_MS
    wait_until(lambda: "Mai is here" in here(ken.page), 3, "Mai in Ken's window")

    wrote_at = ken.page.evaluate("() => Date.now()")
    ken.page.fill("textarea", "I will look at it")
    assert painted_at(mai.page, "Ken is writing") - wrote_at < SEEN_WITHIN_MS
    wait_until(lambda: "Ken has a draft" in here(mai.page), 8, "Ken's draft")

    second = ken.page.context.new_page()
    second.goto(f"{lineup.server.url}/#/arrival/arrival/{thread}")
    wait_until(lambda: "Mai is here" in second.evaluate(_HERE), 10, "the second window")
    second.close()
    # Longer than the grace of a closed page.
    stays(lambda: "Ken" in here(mai.page), 2.5, "Ken, in his other window")
    ken.close()
    wait_until(lambda: here(mai.page) == "", 5, "Ken leaving")
    assert mai.errors == ken.errors == []
    mai.close()


def test_a_row_of_the_list_shows_the_admins_in_its_thread(chromium, lineup):
    """Case E3: a face, and the name for screen readers."""
    thread = thread_of(lineup, "two")
    mai, ken = (
        BrowserDriver(chromium, lineup.server, lineup.mai_email),
        BrowserDriver(chromium, lineup.server, lineup.ken_email),
    )
    row = f"#row-{thread}"
    mai.page.wait_for_selector(f"{row}:not(.skeleton)")
    assert mai.page.locator(f"{row} .face").count() == 0
    open_thread(ken, thread)
    mai.page.wait_for_selector(f"{row} .face")
    assert mai.page.locator(f"{row} .face").inner_text() == "K"
    label = f"() => document.querySelector('{row}').getAttribute('aria-label')"
    wait_until(lambda: "Ken is here" in mai.page.evaluate(label), 3, "the row's label")
    ken.close()
    wait_until(lambda: mai.page.locator(f"{row} .face").count() == 0, 5, "the face's going")
    assert mai.errors == []
    mai.close()


def test_an_admin_whose_network_is_lost_disappears_and_sees_the_others_on_return(chromium, lineup):
    """Case E4: others see them leave when their lease ends; on return they see who is there now."""
    thread = thread_of(lineup, "one")
    mai, ken = (
        BrowserDriver(chromium, lineup.server, lineup.mai_email),
        BrowserDriver(chromium, lineup.server, lineup.ken_email),
    )
    open_thread(mai, thread)
    open_thread(ken, thread)
    wait_until(lambda: "Ken is here" in here(mai.page), 3, "Ken in Mai's window")
    wait_until(lambda: "Mai is here" in here(ken.page), 3, "Mai in Ken's window")
    session = ken.page.context.new_cdp_session(ken.page)
    session.send("Debugger.enable")
    session.send("Debugger.pause")
    wait_until(lambda: here(mai.page) == "", 2 * TTL, "Ken's leaving")
    mai.page.evaluate("() => { location.hash = '#/arrival/arrival'; }")
    gone = "() => document.querySelector('.composer-field') === null"
    wait_until(lambda: mai.page.evaluate(gone), 5, "no thread in Mai's window")
    session.send("Debugger.resume")
    session.send("Debugger.disable")
    wait_until(lambda: here(ken.page) == "", TTL, "Mai's leaving, in Ken's window")
    open_thread(mai, thread)
    wait_until(lambda: "Ken is here" in here(mai.page), TTL, "Ken being back")
    assert mai.errors == ken.errors == []
    mai.close()
    ken.close()


def test_a_customers_dot_and_words_follow_them_and_typing_shows(chromium, lineup):
    """R38, R47, R58, case E9: in the open thread, and in the row."""
    thread = thread_of(lineup, "one")
    browser = BrowserDriver(chromium, lineup.server, lineup.mai_email)
    open_thread(browser, thread)
    wait_until(lambda: dot_of(browser.page, thread) == "online", 5, "the green dot")
    assert "Active now" in browser.page.evaluate(_LINE)
    lineup.customer_types("one", "c-one")
    wait_until(lambda: "is writing" in here(browser.page), 3, "the typing line")
    row = f"#row-{thread}[data-typing]"
    wait_until(lambda: browser.page.query_selector(row) is not None, 3, "the row")
    lineup.customer_offline("c-one")
    wait_until(lambda: dot_of(browser.page, thread) == "lately", 3, "the yellow dot")
    assert "just now" in browser.page.evaluate(_LINE)
    wait_until(lambda: here(browser.page) == "", 8, "the end of typing")
    assert browser.errors == []
    browser.close()


def test_the_panels_show_the_team_and_the_customers_online(chromium, lineup):
    thread = thread_of(lineup, "one")
    mai, ken = (
        BrowserDriver(chromium, lineup.server, lineup.mai_email),
        BrowserDriver(chromium, lineup.server, lineup.ken_email),
    )
    open_thread(ken, thread)
    set_status(ken)
    page = mai.page
    page.click("[popovertarget=team-panel]")
    team = "() => document.querySelector('#team-panel')?.textContent ?? ''"
    wait_until(lambda: "Do not disturb" in page.evaluate(team), 5, "Ken's status")
    wait_until(lambda: "in Customer one" in page.evaluate(team), 15, "where Ken is")
    page.keyboard.press("Escape")
    page.click("[popovertarget=online-panel]")
    wait_until(lambda: page.query_selector("#online-panel button.person") is not None, 5)
    page.click("#online-panel button.person >> nth=0")
    wait_until(lambda: page.query_selector(".message") is not None, 5, "the newest thread")
    assert mai.errors == ken.errors == []
    mai.close()
    ken.close()


def test_a_supervisor_ends_all_sessions_of_an_admin(chromium, lineup):
    """T3."""
    boss_email = lineup.server.create_admin("Boss", "supervisor")
    boss, ken = (
        BrowserDriver(chromium, lineup.server, email) for email in (boss_email, lineup.ken_email)
    )
    boss.page.click("[popovertarget=team-panel]")
    button = boss.page.locator(".person", has_text="Ken").locator(".person-leave")
    wait_until(lambda: button.count() == 1, 8, "Ken, who is here")
    button.click()
    wait_until(lambda: "Press again" in button.inner_text(), 3, "the question")
    button.click()
    wait_until(lambda: button.count() == 0, 3, "Ken's leaving")
    over = "() => document.body.textContent.includes('Your session is over')"
    wait_until(lambda: ken.page.evaluate(over), 5, "the end of Ken's session")
    # The window that is signed out last does not bring him back.
    stays(lambda: button.count() == 0, 2, "Ken's absence")
    assert boss.errors == ken.errors == []
    boss.close()
    ken.close()


def team_of(browser: BrowserDriver) -> Callable[[str], bool]:
    """Opens the team panel; returns a function that tells whether Ken has this dot."""
    seen = """() => [...document.querySelectorAll('#team-panel .person')]
      .find((one) => one.textContent.includes('Ken'))?.querySelector('.dot').dataset.dot"""
    browser.page.click("[popovertarget=team-panel]")
    return lambda dot: browser.page.evaluate(seen) == dot


def test_a_tab_in_the_background_is_away_a_frozen_one_gone_and_both_come_back(
    chromium, lineup, tmp_path
):
    """R33, T1, T15, F59: as Chromium treats background tabs."""
    mai = BrowserDriver(chromium, lineup.server, lineup.mai_email)
    is_ken = team_of(mai)
    cookies = dict(lineup.server.sign_in(lineup.ken_email).cookies)
    with PlainChromium(tmp_path / "chromium") as plain:
        tab = plain.open(f"{lineup.server.url}/", cookies)
        wait_until(lambda: is_ken("online"), 15, "Ken's green dot")
        plain.open("about:blank", {})
        assert tab.evaluate("document.visibilityState") == "hidden"
        wait_until(lambda: is_ken("away"), AWAY_AFTER + 3, "away, a while after hiding")
        stays(lambda: is_ken("away"), HIDDEN_TTL + 2, "a hidden tab answers")

        tab.freeze()
        wait_until(lambda: is_ken("lately"), HIDDEN_TTL + 3, "gone, for it cannot answer")
        tab.thaw()
        tab.show()
        wait_until(lambda: is_ken("online"), 8, "back again")
    mai.close()


def test_hidden_windows_are_away_stopped_ones_gone_and_both_come_back(chromium, lineup):
    """R33, T1, T15, case E5."""
    mai, ken = (
        BrowserDriver(chromium, lineup.server, lineup.mai_email),
        BrowserDriver(chromium, lineup.server, lineup.ken_email),
    )
    is_ken = team_of(mai)
    wait_until(lambda: is_ken("online"), 8, "Ken's green dot")
    ken.page.evaluate(_HIDE, "hidden")
    wait_until(lambda: is_ken("away"), AWAY_AFTER + 3, "away, a while after hiding")
    ken.page.evaluate(_HIDE, "visible")
    wait_until(lambda: is_ken("online"), 3, "back at once")
    session = ken.page.context.new_cdp_session(ken.page)
    session.send("Debugger.enable")
    session.send("Debugger.pause")
    wait_until(lambda: is_ken("lately"), 2 * TTL, "gone, for its scripts stand still")
    session.send("Debugger.resume")
    session.send("Debugger.disable")
    wait_until(lambda: is_ken("online"), 8, "back again")
    mai.close()
    ken.close()
