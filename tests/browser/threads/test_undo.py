"""Nothing is done by accident: Undo, held keys, double clicks, questions; and each act is shown in
the conversation."""

import pytest

from tests.browser.threads.test_case import toast
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver, rfc3339
from tests.support import now_ms, stays, wait_until

pytestmark = pytest.mark.slow

LINES = """() => [...document.querySelectorAll('.act-line > span')]
  .map((line) => line.textContent)"""
UNDO = ".toast .button[aria-keyshortcuts=z]"
#: As from a keyboard when a key is held: one press, then its repetitions.
HELD = """(key) => {
  for (let count = 0; count < 6; count += 1) {
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {
      key, repeat: count > 0, bubbles: true, cancelable: true,
    }));
  }
}"""
#: The announcements to the screen reader, in order.
RECORD = """() => {
  window.told = [];
  new MutationObserver(() => {
    told.push(document.getElementById('announcer').textContent);
  }).observe(document.getElementById('announcer'), { childList: true });
}"""


def row(lineup: LineupDriver, id: int) -> dict:
    return lineup.mai.get(f"{lineup.server.url}/admin/api/threads?ids={id}").json()["rows"][0]


def is_open(lineup: LineupDriver, id: int) -> bool:
    return row(lineup, id)["open"]


def shows(browser: BrowserDriver, id: int) -> None:
    browser.wait_for(f"() => location.hash.split('?')[0].endsWith('/{id}')", f"thread {id}")
    browser.page.wait_for_selector(f".composer-field[data-thread='{id}']")
    browser.page.wait_for_selector(".message")


def test_done_is_undone_exactly_and_one_press_closes_one_thread(browser, lineup):
    ids = [lineup.say(f"undo-{number}", name=f"Undo {number}") for number in range(4)]
    first, second = ids[3], ids[2]
    browser.renew()
    browser.open(first)
    browser.page.locator(".list").focus()
    before = row(lineup, first)
    browser.page.evaluate(HELD, "e")
    shows(browser, second)
    browser.wait_for(toast("Closed Undo 3"), "the toast")
    assert not is_open(lineup, first)
    stays(lambda: is_open(lineup, second), 0.5, "a held key closes one thread")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("z")
    shows(browser, first)
    wait_until(lambda: is_open(lineup, first), what="the thread being open again")
    assert row(lineup, first) | {"rev": 0} == before | {"rev": 0}
    assert browser.page.locator(UNDO).count() == 0

    browser.page.locator(".act-done").dblclick()
    shows(browser, second)
    stays(lambda: is_open(lineup, second), 0.5, "a double click closes one thread")
    # A colleague works on it meanwhile: that is not overwritten.
    ken = lineup.admin(lineup.ken_email)
    assert ken.act(first, "reopen").status_code == 200
    assert ken.act(first, "close").status_code == 200
    browser.page.locator(UNDO).click()
    browser.wait_for(toast("Ken has changed this since, so it stays as it is."), "the refusal")
    assert not is_open(lineup, first)


def test_a_priority_and_a_release_are_undone(browser, lineup):
    id = lineup.say("undo-more", name="Undo more")
    browser.renew()
    browser.open(id)
    browser.choose_act("Urgent")
    browser.wait_for(toast("Priority of Undo more: Urgent"), "the toast")
    browser.page.reload()
    browser.wait_for(toast("Priority of Undo more: Urgent"), "the toast after a reload")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("z")
    wait_until(lambda: row(lineup, id)["priority"] == "normal", what="the priority from before")
    browser.page.locator(".act-claim").click()
    browser.wait_for(toast("Took Undo more"), "the toast")
    browser.page.locator(".act-claim", has_text="Give back").click()
    browser.wait_for(toast("Gave Undo more back"), "the toast")
    assert browser.page.locator(UNDO).count() == 1
    browser.page.locator(UNDO).click()
    wait_until(lambda: row(lineup, id)["assignee"], what="the assignee from before")
    browser.wait_for(toast("Before that: Took Undo more"), "the act before")
    menu = browser.page.locator("#more-menu")
    menu.evaluate("(menu) => menu.showPopover()")
    browser.open(lineup.say("undo-next", name="Undo next"))
    assert not menu.evaluate("(menu) => menu.matches(':popover-open')"), "it was for another thread"
    browser.open(id)
    # A minute later than the first act, and 55 seconds later than the second one.
    browser.page.clock.install()
    browser.page.keyboard.press("u")
    browser.page.keyboard.press("h")
    browser.wait_for(toast("Priority of Undo more: High"), "the toast")
    browser.page.clock.fast_forward(55_000)
    assert browser.page.locator(UNDO).count() == 1
    browser.page.keyboard.press("Control+z")
    wait_until(lambda: row(lineup, id)["priority"] == "normal", what="the priority from before")
    browser.page.clock.fast_forward(10_000)
    browser.page.keyboard.press("Control+z")
    browser.wait_for(toast("There is nothing to undo"), "the end of the minute")
    assert row(lineup, id)["assignee"]


def pick(browser: BrowserDriver, newest: int, count: int, renewed: bool = False) -> None:
    """Selects the first threads of the list; the newest is the first."""
    if not renewed:
        browser.renew()
    browser.wait_for(f"() => document.getElementById('row-{newest}')", "the newest thread")
    browser.page.locator(f"#row-{newest}").click(modifiers=["Control"])
    browser.page.locator(".list").focus()
    for _ in range(count - 1):
        browser.page.keyboard.press("Shift+ArrowDown")
    browser.wait_for(
        f"() => document.querySelector('.bulk-count')?.textContent === '{count} selected'"
    )


def a_colleagues_thread_is_asked_about(browser: BrowserDriver) -> None:
    browser.page.keyboard.press("e")
    browser.page.wait_for_selector("dialog[role=alertdialog]")
    question = browser.page.locator("dialog h2").inner_text()
    assert "Close Asked Kens? Ken has this thread." in question
    browser.page.keyboard.press("Escape")


def closes_the_row_of_the_keyboard(
    browser: BrowserDriver, lineup, ids: list[int], kens: int
) -> None:
    """Closes it and brings it back, while Ken's thread is open beside the list."""
    page = browser.page
    page.locator(".list").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("e")
    browser.wait_for(toast("who still waits for an answer"), "the toast")
    assert is_open(lineup, kens)
    page.keyboard.press("z")
    wait_until(lambda: is_open(lineup, ids[-1]) and is_open(lineup, ids[-2]), what="the undoing")


def test_threads_in_which_customers_wait_are_asked_about_and_undone(browser, lineup):
    kens = lineup.say("asked-kens", name="Asked Kens")
    assert lineup.admin(lineup.ken_email).act(kens, "claim").status_code == 200
    ids = [lineup.say(f"asked-{number}", name=f"Asked {number}") for number in range(2)]
    page = browser.page
    browser.renew()
    browser.open(kens)
    pick(browser, ids[-1], 2, renewed=True)
    page.keyboard.press("e")
    page.wait_for_selector("dialog[role=alertdialog]")
    assert "2 customers are still waiting" in page.locator("#ask-text").inner_text()
    page.keyboard.press("Enter")
    browser.wait_for("() => !document.querySelector('dialog[open]')", "Cancel being focused")
    assert is_open(lineup, ids[-1])
    page.locator(".list").focus()
    page.keyboard.press("e")
    page.locator(".ask-yes").click()
    browser.wait_for(toast("2 threads closed."), "the result")
    assert not is_open(lineup, ids[-1])
    # The selection is gone, and no row has the focus: a key is not for Ken's thread, which is open.
    page.keyboard.press("e")
    browser.wait_for(toast("No thread has the focus"), "nothing being done")
    page.keyboard.press("z")
    wait_until(lambda: is_open(lineup, ids[-1]) and is_open(lineup, ids[-2]), what="the undoing")
    browser.wait_for(toast("Undone: 2 threads closed."), "the result")
    assert is_open(lineup, kens)
    page.locator(".messages").click()
    a_colleagues_thread_is_asked_about(browser)
    # The button in the head is for the open thread, whatever is selected.
    pick(browser, ids[-1], 2, renewed=True)
    page.locator(".act-done").click()
    browser.wait_for(toast("Closed Asked Kens, a thread of Ken"), "the toast")
    page.locator(UNDO).click()
    browser.wait_for(toast("Undone: Closed Asked Kens"), "the undoing")
    assert is_open(lineup, kens)
    assert is_open(lineup, ids[-1])
    page.keyboard.press("Escape")
    closes_the_row_of_the_keyboard(browser, lineup, ids, kens)


#: The language of the customers of as many threads.
LANGUAGES = {1: "fo", 5: "gd", 50: "mt", 200: "cy"}
#: What is done to the threads before the act.
BEFORE = {"release": "claim", "reopen": "close", "wake": "snooze"}


def parts(ids: list[int]) -> list[list[int]]:
    return [ids[first : first + 50] for first in range(0, len(ids), 50)]


def rows(lineup: LineupDriver, ids: list[int]) -> dict[int, dict]:
    """The rows by thread, without their revisions."""
    url = f"{lineup.server.url}/admin/api/threads?ids="
    answers = [lineup.mai.get(url + ",".join(map(str, part))) for part in parts(ids)]
    found = [row for answer in answers for row in answer.json()["rows"]]
    return {row["id"]: row | {"rev": 0} for row in found}


def bulk(lineup: LineupDriver, ids: list[int], action: str) -> None:
    more = {"until": rfc3339(now_ms() + 86_400_000), "wake": "reply"} if action == "snooze" else {}
    url = f"{lineup.server.url}/admin/api/threads/bulk"
    for part in parts(ids):
        answer = lineup.mai.post(url, json={"ids": part, "action": action} | more)
        assert answer.ok, answer.text


def select(browser: BrowserDriver, count: int) -> None:
    page = browser.page
    page.locator(".list").focus()
    page.keyboard.press("Control+a")
    browser.wait_for("() => document.querySelector('.bulk-count')", "the selection")
    # Rows that are not loaded yet are offered.
    if " of " in page.locator(".bulk-count").inner_text():
        page.locator(".banner .button", has_text=f"Select all {count}").click()
    browser.wait_for(
        f"() => document.querySelector('.bulk-count')?.textContent === '{count} selected'"
    )


#: Keys of an act: the first one opens what is to be seen before the others are typed.
KEYS = {
    "snooze": ("h", "#snooze:popover-open .menu-item", ["t"]),
    "wake": ("h", "#snooze:popover-open .menu-item", ["w"]),
    "assign": ("a", "#hand-over:popover-open .hand-option", [*"ken", "Enter"]),
    "tag": ("l", "#tags:popover-open input", [*"march", "Enter", "Control+Enter"]),
}
MENU = {"release": "Give back", "reopen": "Reopen", "priority": "Low"}


def begins(browser: BrowserDriver, act: str) -> None:
    """Presses what does the act on what is selected, up to a question."""
    page = browser.page
    page.locator(".list").focus()
    if act == "close":
        page.keyboard.press("e")
    elif act == "claim":
        page.locator("#list-header .button", has_text="Take").click()
    elif act in MENU:
        page.locator("[popovertarget=bulk-menu]").click()
        page.locator("#bulk-menu .menu-item", has_text=MENU[act]).click()
    else:
        first, shown, rest = KEYS[act]
        page.keyboard.press(first)
        page.wait_for_selector(shown)
        for key in rest:
            page.keyboard.press(key)


def does(browser: BrowserDriver, act: str, count: int) -> None:
    """Does the act, and answers the question; Esc answers no."""
    page = browser.page
    begins(browser, act)
    if act != "close" and (count <= 20 or act == "claim"):
        return
    page.wait_for_selector("dialog[role=alertdialog]")
    page.keyboard.press("Escape")
    browser.wait_for("() => !document.querySelector('dialog[open]')", "the question being gone")
    assert page.locator(UNDO).count() == 0
    begins(browser, act)
    page.wait_for_selector("dialog[role=alertdialog]")
    assert f"{count} thread" in page.locator("dialog h2").inner_text()
    page.locator(".ask-yes").click()


@pytest.fixture(scope="module")
def many(lineup) -> dict[int, list[int]]:
    """Threads by their number; Ken is there to be given them."""
    assert lineup.ken_email
    return {
        count: [
            lineup.say(
                f"many-{count}-{number}", customer={"id": f"{code}-{number}", "locale": code}
            )
            for number in range(count)
        ]
        for count, code in LANGUAGES.items()
    }


@pytest.mark.parametrize("count", LANGUAGES)
@pytest.mark.parametrize(
    "act",
    ["close", "reopen", "claim", "release", "assign", "priority", "tag", "snooze", "wake"],
)
def test_an_act_on_many_threads_is_undone_after_55_seconds(browser, lineup, many, act, count):
    page, ids = browser.page, many[count]
    if act in BEFORE:
        bulk(lineup, ids, BEFORE[act])
    before = rows(lineup, ids)
    browser.renew()
    page.evaluate(f"() => {{ location.hash = '#/query/arrival?query=lang:{LANGUAGES[count]}'; }}")
    browser.wait_for(f"() => document.getElementById('row-{ids[-1]}')", "the threads")
    select(browser, count)
    page.clock.install()
    does(browser, act, count)
    page.wait_for_selector(UNDO)
    after = rows(lineup, ids)
    assert all(after[id] != before[id] for id in ids)
    kens = ids[0] if count == 50 else None
    if kens:
        lineup.admin(lineup.ken_email).put(f"threads/{kens}/priority", {"priority": "urgent"})
    page.clock.fast_forward(55_000)
    page.locator(".list").focus()
    page.keyboard.press("z")
    browser.wait_for("() => /ndone/.test(document.getElementById('toasts').textContent)", "the end")
    told = page.locator("#toasts").inner_text()
    changed = {kens: before[kens] | {"priority": "urgent"}} if kens else {}
    assert rows(lineup, ids) == before | changed
    if kens and act == "priority":
        assert "49 undone. 1 of 50 was changed by Ken and stays." in told
    if kens:
        lineup.mai.put(
            f"{lineup.server.url}/admin/api/threads/{kens}/priority", json={"priority": "normal"}
        )
    if act in BEFORE:
        bulk(lineup, ids, {"claim": "release", "close": "reopen", "snooze": "wake"}[BEFORE[act]])


def test_what_was_done_stands_in_the_conversation_and_is_told(browser, lineup):
    id = lineup.say("told", name="Told")
    page, ken = browser.page, lineup.admin(lineup.ken_email)
    browser.renew()
    browser.open(id)
    page.evaluate(RECORD)
    lineup.say("told", "first", name="Told")
    lineup.say("told", "second", name="Told")
    browser.wait_for("() => told.some((text) => text.includes('Told: second'))", "the announcement")
    for action in ("claim", "release"):
        assert ken.act(id, action).status_code == 200
    page.locator(".act-done").click()
    browser.wait_for(toast("Closed Told"), "the toast")
    browser.open(id)
    expected = ["Ken took the thread", "Ken gave the thread back", "You closed the thread"]
    browser.wait_for(f"() => JSON.stringify(({LINES})()) === '{_json(expected)}'", "the lines")
    assert "leaves it closed" in page.locator(".thread-closed").inner_text()
    lineup.say("told", "one more thing", name="Told")
    expected.append("Reopened by the customer’s message")
    browser.wait_for(f"() => JSON.stringify(({LINES})()) === '{_json(expected)}'", "live lines")
    browser.wait_for("() => !document.querySelector('.thread-closed')", "the thread being open")
    browser.renew()
    browser.open(id)
    assert page.evaluate(LINES) == expected, "and for who comes later"
    order = page.evaluate(
        "() => [...document.querySelectorAll('.messages-list > :not(.day)')].map((line) => "
        "line.querySelector('.message-body, span').textContent)"
    )
    assert order[-3:] == ["You closed the thread", "one more thing", expected[-1]]
    page.evaluate(RECORD)
    page.fill(".composer-field", "Here I am")
    page.keyboard.press("Control+Enter")
    browser.wait_for("() => told.some((text) => text.includes('Sent'))", "the announcement")


def _json(lines: list[str]) -> str:
    return "[" + ",".join(f'"{line}"' for line in lines) + "]"
