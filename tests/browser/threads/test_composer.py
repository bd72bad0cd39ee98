"""No reply goes out twice or by mistake, and the keys say what they send."""

import uuid

import pytest

from tests.drivers.colleague import ColleagueDriver
from tests.support import stays, wait_until

pytestmark = pytest.mark.slow

#: A short message that was readable for so long counts as read.
READ_MS = 3_000
FIELD = ".composer-field"
HELD = "() => document.querySelector('.composer-held')?.textContent ?? ''"
NO_HOLD = "() => !document.querySelector('.composer-held')"
FOCUS = "(has) => { document.hasFocus = () => has; }"


def is_said(text: str) -> str:
    return f"() => document.querySelector('.messages-list')?.textContent.includes({text!r})"


class Thread:
    """A thread of its own, open in Mai's window."""

    def __init__(self, browser, lineup):
        self.name = f"composer-{uuid.uuid4()}"
        self.browser, self.page, self.lineup = browser, browser.page, lineup
        self.mai = lineup.admin(lineup.mai_email)
        self.id = lineup.say(self.name, "Where is my order?")
        browser.renew()
        browser.open(self.id)

    def bodies(self) -> list[str]:
        return [one["body"] for one in self.mai.messages(self.id)]

    def write(self, text: str) -> None:
        self.page.fill(FIELD, text)

    def ken_answers(self, text: str) -> None:
        self.lineup.admin(self.lineup.ken_email).reply(self.id, text)
        self.browser.wait_for(is_said(text), "Ken's reply")

    def customer_writes(self, text: str) -> None:
        self.lineup.say(self.name, text)
        self.browser.wait_for(is_said(text), "the customer's message")

    def send(self) -> None:
        self.page.keyboard.press("Control+Enter")

    def is_held(self, text: str, reason: str) -> None:
        """The reply stays where it is, and the page says why."""
        # The reason given at the last press stays until this press is answered.
        wait_until(lambda: reason in self.page.evaluate(HELD), what=f"the hold: {reason}")
        stays(lambda: text not in self.bodies(), 0.3, "the reply is not sent")
        assert self.page.input_value(FIELD) == text

    def is_sent(self, text: str) -> None:
        wait_until(lambda: self.bodies().count(text) == 1, what=f"{text!r} being sent")
        assert self.page.input_value(FIELD) == ""


@pytest.fixture
def thread(browser, lineup) -> Thread:
    return Thread(browser, lineup)


def test_a_reply_is_held_for_what_came_since_its_draft_began_and_was_not_read(thread):
    """Case E14: until it was on screen for long enough, in a window with the focus."""
    # Without the focus nothing counts as read, however long the machine takes.
    thread.page.evaluate(FOCUS, False)
    thread.write("It was sent on Monday")
    thread.ken_answers("It comes on Friday")
    thread.send()
    thread.is_held("It was sent on Monday", "1 message came")
    thread.send()
    thread.is_sent("It was sent on Monday")

    thread.write("Anything else?")
    thread.customer_writes("Thank you")
    thread.send()
    thread.is_held("Anything else?", "1 message came")
    thread.customer_writes("One more thing")
    thread.send()
    thread.is_held("Anything else?", "2 messages came")
    thread.page.evaluate(FOCUS, True)
    thread.page.wait_for_timeout(READ_MS)
    thread.browser.wait_for(NO_HOLD, "both being read")
    thread.send()
    thread.is_sent("Anything else?")


def test_what_came_while_nobody_looked_holds_a_reply_whose_draft_is_older(thread):
    """Case E14: in a window without the focus, or in a thread that was not open."""
    thread.write("Have a nice day")
    thread.page.evaluate(FOCUS, False)
    thread.customer_writes("Wait!")
    thread.page.wait_for_timeout(READ_MS + 1_000)
    thread.send()
    thread.is_held("Have a nice day", "1 message came")
    thread.page.evaluate(FOCUS, True)
    thread.page.wait_for_timeout(READ_MS)
    thread.browser.wait_for(NO_HOLD, "it being read")
    thread.send()
    thread.is_sent("Have a nice day")

    # A draft that is taken up again goes on from where it began; a note holds nothing.
    thread.write("Shall I look it up?")
    other = thread.lineup.ids["t-9"]
    thread.browser.open(other)
    thread.page.evaluate(FOCUS, False)
    thread.lineup.admin(thread.lineup.ken_email).reply(thread.id, "I looked it up")
    thread.browser.open(thread.id)
    thread.browser.wait_for(is_said("I looked it up"), "Ken's reply")
    thread.page.locator(FIELD).focus()
    thread.send()
    thread.is_held("Shall I look it up?", "1 message came")
    thread.page.locator(".composer-mode").nth(1).click()
    thread.send()
    thread.is_sent("Shall I look it up?")


WRITES = (
    "(name) => document.querySelector('.here-text')?.textContent.includes(`${name} is writing`)"
)


def no_other_draft_holds(thread, lineup) -> None:
    linh = lineup.colleague("Linh")
    for field in ("note", "reply"):
        linh.types(thread.id, field)
        thread.browser.wait_for("() => document.querySelector('.here-text')?.textContent", "Linh")
        thread.write(f"Not held by a {field}")
        thread.send()
        thread.is_sent(f"Not held by a {field}")
        linh.stops(thread.id)
        thread.browser.wait_for(f"() => !({WRITES})('Linh')", "Linh reading")


def test_a_reply_is_held_while_the_colleague_writes_who_has_the_thread(thread, lineup):
    """Case E14: one more press sends it. Anybody else's draft holds nothing, nor does a note."""
    no_other_draft_holds(thread, lineup)
    ken = ColleagueDriver(lineup.server, lineup.server.sign_in(lineup.ken_email))
    ken.types(thread.id)
    thread.browser.wait_for(f"() => ({WRITES})('Ken')", "Ken writing")
    thread.write("Both of us")
    assert lineup.admin(lineup.ken_email).act(thread.id, "claim").status_code == 200
    # Who has the thread is shown at once, while drafts stand here and there.
    thread.browser.wait_for(
        "() => document.querySelector('.thread-facts').textContent.includes('with Ken')"
    )
    thread.page.keyboard.down("Control")
    for _ in range(3):  # held down: the repeated ones are no presses
        thread.page.keyboard.down("Enter")
    thread.page.keyboard.up("Enter")
    thread.page.keyboard.up("Control")
    thread.is_held("Both of us", "Ken is writing")
    assert "Send anyway" in thread.page.locator(".composer-send").inner_text()
    ken.stops(thread.id)
    thread.browser.wait_for(NO_HOLD, "the end of the hold")
    ken.types(thread.id)
    thread.browser.wait_for(f"() => ({WRITES})('Ken')", "Ken writing again")
    thread.page.click(".composer-send")
    thread.is_held("Both of us", "Ken is writing")
    thread.page.click(".composer-send")
    thread.is_sent("Both of us")
    ken.disconnect()
    of_two_answers_at_once_the_first_wins(Thread(thread.browser, lineup), lineup)
    of_two_who_take_a_thread_at_once_one_is_told_once(thread, lineup)


def of_two_answers_at_once_the_first_wins(thread, lineup):
    """The second one stays as it was written, in a window that has not heard of the first."""
    thread.write("My answer")
    thread.page.context.set_offline(True)
    thread.send()
    lineup.admin(lineup.ken_email).reply(thread.id, "Ken was first")
    thread.page.context.set_offline(False)
    held = "document.querySelector('.message[data-state=moved]')?.textContent"
    thread.browser.wait_for(f"() => {held}?.includes('My answer')", "the second one being held")
    thread.browser.wait_for(is_said("Ken was first"), "the first one")
    assert thread.bodies()[-1] == "Ken was first"
    assert thread.page.locator(".toast").count() == 0, "it is said beside the message"


def of_two_who_take_a_thread_at_once_one_is_told_once(thread, lineup):
    """One is refused, and hears of the other's act, too."""
    id = lineup.say(f"{thread.name}-taken", name="Taken")
    thread.browser.open(id)
    thread.page.route("**/claim", lambda route: (ken_takes(lineup, id), route.continue_()))
    thread.page.locator(".act-claim").click()
    thread.browser.wait_for(
        "() => document.querySelector('.toast')?.textContent.includes('Ken has taken')"
    )
    thread.browser.wait_for(
        "() => document.querySelector('.act-line')?.textContent.includes('Ken took')"
    )
    assert thread.page.locator(".toast").count() == 1
    thread.page.unroute("**/claim")


def ken_takes(lineup, id: int) -> None:
    assert lineup.admin(lineup.ken_email).act(id, "claim").status_code == 200


def test_r_replies_n_notes_and_the_button_says_which(thread, lineup):
    """Case E16: neither text becomes the other kind by a key."""
    page, button = thread.page, thread.page.locator(".composer-send")
    kind = "() => document.querySelector('.composer').hasAttribute('data-private')"
    page.locator(".messages").focus()
    page.keyboard.press("n")
    thread.browser.wait_for(kind, "a note")
    assert "Add note" in button.inner_text()
    page.keyboard.type("Only for us")
    page.locator(".messages").focus()
    page.keyboard.press("r")
    thread.browser.wait_for(f"() => !({kind})()", "a reply")
    assert "Send reply" in button.inner_text()
    assert page.input_value(FIELD) == ""
    page.keyboard.type("For you")
    thread.send()
    thread.is_sent("For you")
    page.locator(".messages").focus()
    page.keyboard.press("n")
    thread.browser.wait_for(kind, "the note again")
    assert page.input_value(FIELD) == "Only for us"
    thread.send()
    thread.is_sent("Only for us")
    page.locator(".messages").focus()
    page.keyboard.press("r")
    thread.browser.wait_for(f"() => !({kind})()", "a reply after the note")
    sent = lineup.admin(lineup.mai_email).messages(thread.id)[-2:]
    assert [(one["body"], one["private"]) for one in sent] == [
        ("For you", False),
        ("Only for us", True),
    ]


def stays_where_one_goes_on_writing(thread, row: str, opened: str) -> None:
    """An admin who writes again before the thread is done stays in it."""
    page, browser = thread.page, thread.browser
    browser.open(thread.id)
    held = []
    page.route("**/replies", lambda route: held.append(route))
    page.fill(FIELD, "Done with it")
    page.keyboard.press("Control+Shift+Enter")
    page.keyboard.type("No, wait")
    wait_until(lambda: browser.state() and held, what="the request")
    held[0].continue_()
    page.unroute("**/replies")
    wait_until(lambda: not page.evaluate(row)["rows"][0]["open"], what="the close")
    browser.wait_for("() => document.querySelector('.thread-closed')", "the page knowing it")
    assert page.evaluate(opened) == thread.id
    assert page.input_value(FIELD) == "No, wait"
    page.fill(FIELD, "")
    page.locator(".act-done", has_text="Reopen").click()
    wait_until(lambda: page.evaluate(row)["rows"][0]["open"], what="the thread being open again")


def a_note_closes_nothing_over_a_message_that_was_not_seen(thread, row: str) -> None:
    """The customer writes while the note of "note and done" is on its way. (H28)"""
    page, browser, held = thread.page, thread.browser, []
    browser.open(thread.id)
    page.locator(".messages").focus()
    page.keyboard.press("n")
    page.route("**/replies", lambda route: held.append(route))
    page.fill(FIELD, "The depot knows")
    page.keyboard.press("Control+Shift+Enter")
    wait_until(lambda: browser.state() and held, what="the request")
    thread.lineup.say(thread.name, "It has come!")
    held[0].continue_()
    page.unroute("**/replies")
    page.wait_for_selector(".toast:has-text('stays open')")
    shown = page.evaluate(row)["rows"][0]
    assert shown["open"] and shown["waiting_since"]
    page.locator(".messages").focus()
    page.keyboard.press("r")


def test_keys_take_prioritise_filter_and_send_with_what_follows(thread, lineup):
    page, browser = thread.page, thread.browser
    row = f"(id) => fetch('/admin/api/threads?ids={thread.id}').then((answer) => answer.json())"
    page.locator(".messages").focus()
    page.keyboard.press("t")
    wait_until(lambda: page.evaluate(row)["rows"][0]["assignee"], what="the thread being taken")
    for key in ("u", "h"):
        page.keyboard.press(key)
    wait_until(lambda: page.evaluate(row)["rows"][0]["priority"] == "high", what="the priority")
    for key in ("f", "m"):
        page.keyboard.press(key)
    wait_until(lambda: browser.state()["filter"] == "mine", what="the threads of mine")
    for key in ("f", "a"):
        page.keyboard.press(key)
    wait_until(lambda: browser.state()["filter"] == "all", what="all open threads")

    opened = "() => Number(location.hash.split('/').at(-1))"
    browser.open(thread.id)
    page.fill(FIELD, "On its way")
    page.keyboard.press("Control+Alt+Enter")
    thread.is_sent("On its way")
    wait_until(lambda: page.evaluate(opened) != thread.id, what="the next thread")
    assert page.evaluate(row)["rows"][0]["open"]

    stays_where_one_goes_on_writing(thread, row, opened)
    a_note_closes_nothing_over_a_message_that_was_not_seen(thread, row)
    browser.open(thread.id)
    page.fill(FIELD, "Bye")
    page.keyboard.press("Control+k")
    page.keyboard.type("send and done")
    page.wait_for_selector(".palette-entry")
    page.keyboard.press("Enter")
    thread.is_sent("Bye")
    wait_until(lambda: not page.evaluate(row)["rows"][0]["open"], what="the close")
    wait_until(lambda: page.evaluate(opened) != thread.id, what="the thread after it")


def test_canned_replies_are_offered_by_a_button_with_names_filled_in(browser, lineup):
    browser.open(lineup.shown)
    browser.page.fill(FIELD, "Hello and/or ")
    browser.page.click(".composer-canned")
    browser.wait_for("() => document.querySelectorAll('.canned-choice').length >= 2", "all")
    assert "山田 太郎" in browser.page.locator(".canned-choice").first.inner_text()
    browser.page.keyboard.press("Escape")
    browser.wait_for("() => !document.querySelector('.canned')", "its end")
    browser.page.click(".composer-canned")
    browser.page.locator(".canned-choice", has_text="/hello").click()
    said = "Hello and/or こんにちは、山田 太郎 様。Mai です。"
    assert browser.page.input_value(FIELD) == said
