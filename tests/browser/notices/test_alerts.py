"""New work is announced as each admin chose: in the title, by a sound, and by one tab only."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Page

from tests.support import wait_until

pytestmark = pytest.mark.slow

#: Stands in for the sound card, and counts the tones that are begun.
COUNT_TONES = """() => {
  window.tones = 0;
  const param = { setValueAtTime() {}, linearRampToValueAtTime() {},
    exponentialRampToValueAtTime() {} };
  const node = class { connect(to) { return to; } };
  window.AudioContext = class {
    currentTime = 0;
    resume() { return Promise.resolve(); }
  };
  window.GainNode = class extends node { gain = param; };
  window.OscillatorNode = class extends node {
    start() { window.tones += 1; }
    stop() {}
  };
}"""
#: As in a tab long in the background: no timer runs, and no frame is drawn.
THROTTLE = """() => {
  for (let id = setTimeout(() => {}); id > 0; id -= 1) { clearTimeout(id); clearInterval(id); }
  window.setTimeout = window.setInterval = window.requestAnimationFrame = () => 0;
  Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
  Object.defineProperty(document, 'hidden', { get: () => true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""
#: The id of the tab that leads, as the browser names it.
LEADER = "async () => (await navigator.locks.query()).held[0]?.clientId"
#: Events this soon after a chime get no chime of their own, in any tab.
RUSH_MS = 2_000


@pytest.fixture
def mai(lineup) -> Iterator[object]:
    """Mai, whose preferences are reset afterwards."""
    acting = lineup.admin(lineup.mai_email)
    yield acting
    acting.prefer(
        notify={"sound": False, "desktop": False, "title": True, "views": ["not_respond"]}
    )


def chimes(page: Page) -> int:
    """How often the tab has chimed; a chime is two tones."""
    return page.evaluate("() => window.tones") // 2


def listens(page: Page) -> Page:
    """Counts the tab's tones; returns once the tab knows the first totals, which may then grow."""
    page.evaluate(COUNT_TONES)
    counts = "() => /\\d/.test(document.querySelector('.nav-item .nav-count:not(:has(kbd))')"
    wait_until(lambda: page.evaluate(f"{counts}?.textContent)"), what="the numbers")
    return page


def test_the_title_counts_waiting_threads_and_a_sound_plays_in_a_visible_page(browser, lineup, mai):
    """Case F7: each admin chooses the signals, and the views that they are for."""
    mai.prefer(notify={"sound": True, "desktop": False, "title": True, "views": ["not_respond"]})
    browser.renew()
    page = listens(browser.page)
    waiting = "() => Number(/^\\((\\d+)\\)/.exec(document.title)?.[1] ?? 0)"
    browser.wait_for(waiting, "a count in the title")
    before = page.evaluate(waiting)
    name = f"title-{uuid4()}"
    id = lineup.say(name, "Hello?")
    wait_until(lambda: page.evaluate(waiting) == before + 1, what="one more in the title")
    assert page.locator("#icon").get_attribute("href").startswith("data:image/svg+xml")
    wait_until(lambda: chimes(page) == 1, what="the chime, with the window in view")

    lineup.admin(lineup.ken_email).reply(id, "Here I am")
    wait_until(lambda: page.evaluate(waiting) == before, what="the title after an answer")

    mai.prefer(notify={"sound": True, "desktop": False, "title": False, "views": ["history"]})
    browser.renew()
    page = listens(browser.page)
    assert page.evaluate(waiting) == 0
    lineup.say(name, "Still there?")
    lineup.post(lineup.close_event(name))
    wait_until(lambda: chimes(page) == 1, what="the chime of the page that was chosen")


def test_one_tab_chimes_and_when_it_goes_another_one_does(browser, lineup, mai):
    """Case F8."""
    mai.prefer(notify={"sound": True, "desktop": False, "title": True, "views": ["arrival"]})
    browser.renew()
    first = listens(browser.page)
    tabs = [first]
    for _ in range(2):
        tab = browser.page.context.new_page()
        tab.goto(f"{lineup.server.url}/#/arrival/arrival")
        tab.wait_for_selector(".row:not(.skeleton)")
        tabs.append(listens(tab))
    lineup.say(f"tabs-{uuid4()}", "Ring once")
    wait_until(lambda: [chimes(tab) for tab in tabs] == [1, 0, 0], 10, "one chime")
    others = tabs[1:]
    leader = others[0].evaluate(LEADER)
    first.goto("about:blank")
    wait_until(lambda: others[0].evaluate(LEADER) not in (None, leader), what="another leader")
    others[0].wait_for_timeout(RUSH_MS)
    lineup.say(f"tabs-{uuid4()}", "Ring once more")
    wait_until(lambda: sum(map(chimes, others)) == 1, 10, "one chime of those left")
    seen = "() => document.getElementById('list').textContent"
    for tab in others:
        wait_until(lambda tab=tab: "Ring once more" in tab.evaluate(seen), what="the row in both")
    assert sum(map(chimes, others)) == 1
    for tab in others:
        tab.close()


def test_a_tab_whose_timers_stand_still_chimes_when_the_message_comes(browser, lineup, mai):
    """Case F9: the server's message triggers the sound; nothing in the page waits for a timer."""
    mai.prefer(notify={"sound": True, "desktop": False, "title": True, "views": ["not_respond"]})
    browser.renew()
    page = listens(browser.page)
    page.evaluate(THROTTLE)
    lineup.say(f"hidden-{uuid4()}", "Wake up")
    wait_until(lambda: chimes(page) == 1, what="the chime")


def test_nothing_rings_on(browser, lineup, mai):
    """Case E8: two tones for a new thread, however long it stays, and none when it leaves."""
    mai.prefer(notify={"sound": True, "desktop": False, "title": True, "views": ["not_respond"]})
    browser.renew()
    page = listens(browser.page)
    kept = page.evaluate_handle("() => { const all = []; const put = window.setInterval;"
        " window.setInterval = (...given) => { all.push(given); return put(...given); };"
        " return all; }")  # fmt: skip
    name = f"alarm-{uuid4()}"
    lineup.say(name, "Ring")
    wait_until(lambda: chimes(page) == 1, what="the chime")
    assert page.evaluate("(all) => all.length", kept) == 0
    lineup.post(lineup.close_event(name))
    is_gone = f"() => !document.getElementById('list').textContent.includes('{name}')"
    browser.wait_for(is_gone, "the thread's leaving")
    assert chimes(page) == 1
