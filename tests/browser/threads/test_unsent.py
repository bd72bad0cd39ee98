"""Unsent texts of an admin are shown, kept, and sent when that is possible again."""

import uuid

import pytest

from tests.browser.threads.test_case import has_row, toast
from tests.support import wait_until

pytestmark = pytest.mark.slow

FIELD = ".composer-field"
MARK = "(id) => document.querySelector(`#row-${id} .row-own`)?.textContent ?? ''"
NAV = "() => document.querySelector('.nav-item[data-kind=unsent]:not([data-none])')?.textContent"
NO_NAV = "() => document.querySelector('.nav-item[data-kind=unsent][data-none]') !== null"
#: Where each visible part stands once nothing moves, but those of the conversation: a new message
#: moves them.
STANDS = """async () => {
  await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})));
  return ['.nav button', '.pane-list > *', '.list-header :not(.live-mark)', '#list .row',
  '#list .row-preview', '.pane-thread > *', '.thread-head *', '#composer *'].flatMap((name) =>
  [...document.querySelectorAll(name)].map((part, at) => [`${name} ${at}`, part]))
  .filter(([, part]) => part.offsetHeight)
  .map(([name, part]) => {
    const { left, top, bottom } = part.getBoundingClientRect();
    return [name, [part.id || part.className, left, top, bottom].join(' ')];
  });
}"""
TITLE = "() => document.title"


def new_thread(browser, lineup) -> int:
    """A waiting thread whose row is in view."""
    id = lineup.say(f"unsent-{uuid.uuid4()}", "Are you there?")
    browser.wait_for(has_row(id), "its row")
    return id


def bodies(lineup, id: int) -> list[str]:
    return [message["body"] for message in lineup.admin(lineup.mai_email).messages(id)]


def write_and_go_on(browser, id: int, other: int, text: str) -> None:
    """Sends a reply and opens the next thread at once."""
    browser.open(id)
    browser.page.fill(FIELD, text)
    browser.page.keyboard.press("Control+Enter")
    address = f"#/arrival/arrival/{other}"
    browser.page.evaluate("(to) => { location.hash = to; }", address)
    browser.page.wait_for_selector(f"{FIELD}[data-thread='{other}']")


def moved(page, stood: dict[str, str]) -> list[tuple[str, str]]:
    """The parts that stand elsewhere now, with where they stood."""
    stand = page.evaluate(STANDS)
    return [(at, stood[name]) for name, at in stand if stood.get(name, at) != at]


def asks_before_it_closes(page) -> None:
    asked = []

    def stay(dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", stay)
    page.close(run_before_unload=True)
    # Wait inside the page: waiting outside of it would not notice the dialog.
    wait_until(lambda: page.wait_for_timeout(50) or asked, what="the question")
    assert asked == ["beforeunload"]


def test_a_reply_that_is_not_sent_is_shown_everywhere_until_it_is(browser, lineup):
    """Case E15: on its row, in the left column, in the title, in a list; closing the tab asks."""
    browser.renew()
    page = browser.page
    id, other = new_thread(browser, lineup), new_thread(browser, lineup)
    browser.open(other)
    page.context.set_offline(True)
    page.wait_for_selector("#banner > *")
    stood = dict(page.evaluate(STANDS))
    write = f"() => {{ location.hash = '#/arrival/arrival/{id}'; }}"
    page.evaluate(write)
    page.wait_for_selector(f"{FIELD}[data-thread='{id}']")
    page.fill(FIELD, "Written offline")
    page.keyboard.press("Control+Enter")
    page.evaluate(f"() => {{ location.hash = '#/arrival/arrival/{other}'; }}")
    wait_until(lambda: page.evaluate(MARK, id) == "Not sent", what="the mark on the row")
    assert "Not sent" in page.locator(f"#row-{id}").get_attribute("aria-label")
    assert "1" in browser.wait_for(NAV, "the left column")
    assert moved(page, stood) == [], "when the first unsent reply comes"
    assert "1 not sent" in page.evaluate(TITLE)
    asks_before_it_closes(page)
    page.click(".nav-item[data-kind=unsent]")
    page.wait_for_selector(f".unsent-item[data-thread='{id}']")
    assert "Written offline" in page.locator(".unsent-item").inner_text()
    page.keyboard.press("Escape")
    page.context.set_offline(False)
    wait_until(lambda: bodies(lineup, id).count("Written offline") == 1, what="the sending")
    browser.wait_for(NO_NAV, "the end in the left column")
    wait_until(lambda: page.evaluate(MARK, id) == "", what="the end of the mark")
    assert "not sent" not in page.evaluate(TITLE)


def test_a_reply_that_the_server_held_is_told_of_in_the_next_thread(browser, lineup):
    browser.renew()
    page = browser.page
    id, other = new_thread(browser, lineup), new_thread(browser, lineup)

    def overtake(route) -> None:
        lineup.admin(lineup.ken_email).reply(id, "I have it")
        route.continue_()

    page.route(f"**/threads/{id}/replies", overtake, times=1)
    write_and_go_on(browser, id, other, "Me too")
    browser.wait_for(toast("was not sent"), "the notice")
    wait_until(lambda: page.evaluate(MARK, id) == "Not sent", what="the mark on the row")
    assert "Me too" not in bodies(lineup, id)
    page.locator(".toast .button").first.click()
    page.wait_for_selector(".message[data-state=moved]")
    page.locator(FIELD).focus()
    page.keyboard.press("Control+Enter")
    wait_until(lambda: bodies(lineup, id).count("Me too") == 1, what="one more press sending it")


def test_a_reply_survives_its_tab_and_is_tried_again_while_the_socket_lives(browser, lineup):
    """Case E15."""
    browser.renew()
    page = browser.page
    id, other = new_thread(browser, lineup), new_thread(browser, lineup)
    page.route("**/replies", lambda route: route.abort())
    write_and_go_on(browser, id, other, "Once only")
    wait_until(lambda: page.evaluate(MARK, id) == "Not sent", what="the mark on the row")
    page.unroute("**/replies")
    wait_until(lambda: bodies(lineup, id).count("Once only") == 1, 20, "the sending by itself")
    browser.wait_for(toast("Nobody has the thread of"), "the offer to take it")
    assert lineup.admin(lineup.mai_email).act(id, "claim").ok
    browser.wait_for(f"() => !({toast('Nobody has the thread of')})()", "its end")

    page.context.route("**/replies", lambda route: route.abort())
    write_and_go_on(browser, other, id, "After the tab")
    wait_until(lambda: page.evaluate(MARK, other) == "Not sent", what="the mark on the row")
    kept = page.evaluate("() => Object.entries(localStorage).join()")
    assert "outbox" in kept and "After the tab" not in kept, "it is kept, and sealed"
    tab = page.context.new_page()
    page.close()
    page.context.unroute("**/replies")
    tab.goto(f"{lineup.server.url}/#/arrival/arrival")
    wait_until(lambda: bodies(lineup, other).count("After the tab") == 1, 20, "the sending")
    wait_until(lambda: tab.evaluate(NO_NAV), what="nothing more to send")
    assert bodies(lineup, id).count("Once only") == 1


def test_drafts_are_marked_on_their_rows_and_stand_in_a_list(browser, lineup):
    browser.renew()
    page = browser.page
    id, other = new_thread(browser, lineup), new_thread(browser, lineup)
    browser.open(id)
    stood = dict(page.evaluate(STANDS))
    page.fill(FIELD, "A beginning")
    wait_until(lambda: page.evaluate(MARK, id) == "Draft", what="the mark on the row")
    page.wait_for_selector(".nav-item[data-kind=draft]:not([data-none])")
    assert moved(page, stood) == [], "when the first draft begins"
    browser.open(other)
    assert page.evaluate(MARK, other) == ""
    page.locator(".nav-item[data-kind=draft]").click()
    page.locator(f".unsent-item[data-thread='{id}'] .unsent-open").click()
    page.wait_for_selector(f"{FIELD}[data-thread='{id}']")
    assert page.input_value(FIELD) == "A beginning"

    # A text that one window sends is no draft in another one.
    tab = page.context.new_page()
    tab.goto(f"{lineup.server.url}/#/arrival/arrival/{id}")
    tab.wait_for_selector(f"{FIELD}[data-thread='{id}']")
    wait_until(lambda: tab.input_value(FIELD) == "A beginning", what="the draft in both")
    page.locator(FIELD).focus()
    page.keyboard.press("Control+Enter")
    wait_until(lambda: bodies(lineup, id).count("A beginning") == 1, what="the reply")
    wait_until(lambda: tab.input_value(FIELD) == "", what="the draft's end in the other window")
    wait_until(lambda: page.evaluate(MARK, id) == "", what="the end of the mark")
    tab.close()


def test_what_is_written_without_a_network_arrives_in_order_from_two_windows(browser, lineup):
    """Case E18: six replies, two of them by another window; one window is reloaded meanwhile."""
    browser.renew()
    page = browser.page
    id = new_thread(browser, lineup)
    browser.open(id)
    tab = second_window(browser, lineup, id)
    page.context.route("**/replies", lambda route: route.abort())
    texts = [f"{number} of six" for number in range(6)]
    for window, text in zip((page, page, tab, page, tab, page), texts, strict=True):
        send(window, text)
    tab.on("dialog", lambda dialog: dialog.accept())
    tab.reload()
    tab.wait_for_selector(f"{FIELD}[data-thread='{id}']")
    wait_until(lambda: tab.locator(".message[data-state=queued]").count() == 5, what="all six")
    page.context.unroute("**/replies")
    wait_until(lambda: len(bodies(lineup, id)) == 7, 40, "the sending")
    assert bodies(lineup, id)[1:] == texts
    for window in (page, tab):
        unsent = window.locator(".message[data-state]")
        wait_until(lambda unsent=unsent: unsent.count() == 0, what="the end")
        assert [text for text in shown(window) if "of six" in text] == texts
    tab.close()


def test_six_replies_one_right_after_the_other_arrive_in_order(browser, lineup):
    """Case E18, also where the first ones take longer than the later ones."""
    browser.renew()
    page = browser.page
    id = new_thread(browser, lineup)
    browser.open(id)
    page.evaluate(
        """() => {
          const { fetch } = window;
          let left = 6;
          window.fetch = async (path, ...more) => {
            if (!String(path).endsWith("/replies")) return fetch(path, ...more);
            await new Promise((resolve) => { setTimeout(resolve, 60 * (left -= 1)); });
            return fetch(path, ...more);
          };
        }"""
    )
    texts = [f"{number} quickly" for number in range(6)]
    for text in texts:
        send(page, text)
    wait_until(lambda: len(bodies(lineup, id)) == 7, 40, "the sending")
    assert bodies(lineup, id)[1:] == texts


def test_what_is_typed_in_one_window_is_not_touched_by_another_one(browser, lineup):
    """Case E19: a long text is typed while a short one is written and sent in another window."""
    browser.renew()
    page = browser.page
    id = new_thread(browser, lineup)
    browser.open(id)
    tab = second_window(browser, lineup, id)
    long, short = "This is a long answer that I type in one window", "A short one"
    half = len(long) // 2
    page.locator(FIELD).press_sequentially(long[:half], delay=20)
    page.wait_for_timeout(500)
    assert tab.input_value(FIELD) == ""
    assert long[:half].strip() in tab.locator(".composer-other").inner_text()
    tab.locator(FIELD).press_sequentially(short, delay=20)
    page.locator(FIELD).press_sequentially(long[half:-5], delay=20)
    tab.keyboard.press("Control+Enter")
    page.locator(FIELD).press_sequentially(long[-5:], delay=20)
    wait_until(lambda: short in bodies(lineup, id), what="the short reply")
    assert page.input_value(FIELD) == long
    send(tab, "Another beginning", key=None)
    wait_until(lambda: page.locator(".composer-other").count() == 1, what="the other draft")

    for window in (page, tab):
        window.reload()
        window.wait_for_selector(f"{FIELD}[data-thread='{id}']")
    tab.close()
    send_both(page, long, "Another beginning")
    wait_until(lambda: len(bodies(lineup, id)) == 4, what="both replies")
    assert sorted(bodies(lineup, id)[1:]) == sorted([long, short, "Another beginning"])


def second_window(browser, lineup, id: int):
    tab = browser.page.context.new_page()
    tab.goto(f"{lineup.server.url}/#/arrival/arrival/{id}")
    tab.wait_for_selector(f"{FIELD}[data-thread='{id}']")
    tab.wait_for_selector(".message")
    return tab


def send_both(window, *texts: str) -> None:
    """Sends the draft that is shown, and the other one."""
    left = set(texts)
    while left:
        wait_until(lambda: window.input_value(FIELD) in left, what="a draft")
        left.remove(window.input_value(FIELD))
        window.locator(FIELD).focus()
        window.keyboard.press("Control+Enter")
        if left:
            window.click(".composer-other .button")
    wait_until(lambda: window.locator(".composer-other").count() == 0, what="no more drafts")


def send(window, text: str, key: str | None = "Control+Enter") -> None:
    window.fill(FIELD, text)
    if key:
        window.keyboard.press(key)


def shown(window) -> list[str]:
    bodies = window.locator(".message-body")
    return [text.strip() for text in bodies.all_text_contents()]
