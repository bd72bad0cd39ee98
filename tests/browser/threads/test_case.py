"""A whole case: a customer waits, two admins come, and it ends well."""

import uuid

import pytest

from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow


def row_text(id: int) -> str:
    return f"() => document.getElementById('row-{id}')?.textContent ?? ''"


def has_row(id: int, text: str = "") -> str:
    return f"() => ({row_text(id)})().includes({text!r}) && !!document.getElementById('row-{id}')"


def gone(id: int) -> str:
    return f"() => !document.getElementById('row-{id}')"


def is_said(text: str) -> str:
    return f"() => document.getElementById('messages').textContent.includes({text!r})"


def toast(text: str) -> str:
    return f"() => document.getElementById('toasts').textContent.includes({text!r})"


def reply(browser: BrowserDriver, body: str) -> None:
    browser.page.fill(".composer-field", body)
    browser.page.keyboard.press("Control+Enter")


def bring(browser: BrowserDriver, list: str) -> None:
    """Shows another list, with the pointer away from it."""
    browser.page.mouse.move(1000, 300)
    browser.page.evaluate("(to) => { location.hash = to; }", f"#/{list}")
    browser.wait_until_shown(list)


def both_try_to_claim(lineup, mai, ken, id: int) -> None:
    """Mai claims the thread; Ken sees it and can no longer claim it."""
    mai.open(id)
    ken.open(id)
    mai.page.click(".act-claim")
    ken.wait_for(toast("Mai has taken this thread"), "the notice of the claim")
    assert lineup.admin(lineup.ken_email).act(id, "claim").json()["code"] == "already_claimed"
    ken.wait_for(
        "() => document.querySelector('.thread-acts > .act-claim[inert]')", "no button to claim"
    )


def reply_to_a_conversation_that_moved_on(lineup, mai, ken, id: int) -> None:
    """Mai's reply, written before she saw Ken's, is stopped until she confirms it."""
    mai.page.context.set_offline(True)
    mai.page.fill(".composer-field", "I am looking into it")
    reply(ken, "It comes on Friday")
    ken.wait_for(is_said("It comes on Friday"), "Ken's reply")
    ken.wait_for("() => !document.querySelector('.message[data-state]')", "the reply being sent")
    mai.page.keyboard.press("Control+Enter")
    mai.page.context.set_offline(False)
    mai.wait_for("() => document.querySelector('.message[data-state=moved]')", "the stop", 15)
    mai.wait_for(is_said("It comes on Friday"), "the unseen reply being shown")
    bodies = [message["body"] for message in lineup.admin(lineup.mai_email).messages(id)]
    assert "I am looking into it" not in bodies
    mai.page.click(".message[data-state=moved] .message-acts button")
    ken.wait_for(is_said("I am looking into it"), "the confirmed reply")


def close_reopen_and_release(lineup, mai, ken, id: int) -> None:
    """Ken gets a notice of each of Mai's actions, Mai none."""
    mai.page.click(".act-done")
    ken.wait_for(toast("Mai closed this thread."), "the notice of the close")
    mai.open(id)
    for action, notice in (
        ("reopen", "Mai reopened this thread."),
        ("release", "Mai gave this thread back."),
        ("close", "Mai closed this thread."),
    ):
        assert lineup.admin(lineup.mai_email).act(id, action).status_code == 200
        ken.wait_for(toast(notice), f"the notice: {notice}")
    toasts = mai.page.locator(".toast").all_inner_texts()
    assert not [text for text in toasts if "Mai" in text], "a notice of one's own action"


def test_wait_claim_answer_stale_reply_note_close_and_reopen(chromium, lineup):
    """Cases E2, E13."""
    case = f"case-{uuid.uuid4()}"
    mai = BrowserDriver(chromium, lineup.server, lineup.mai_email, "not_respond/arrival")
    ken = BrowserDriver(chromium, lineup.server, lineup.ken_email, "not_respond/arrival")
    id = lineup.say(case, "My order never came", name="Alice Carter")
    for browser in (mai, ken):
        browser.wait_for(has_row(id, "My order never came"), "the new thread")
    both_try_to_claim(lineup, mai, ken, id)
    reply_to_a_conversation_that_moved_on(lineup, mai, ken, id)

    # Answered, it no longer waits; a note is seen by the team alone.
    mai.wait_for(gone(id), "the thread having left", 10)
    mai.page.locator(".composer-mode").nth(1).click()
    reply(mai, "Carrier lost it once already")
    ken.wait_for("() => document.querySelector('.message[data-kind=note]')", "the note")
    close_reopen_and_release(lineup, mai, ken, id)

    bring(ken, "history/arrival")
    ken.wait_for(has_row(id), "the thread in the history")
    lineup.say(case, "It came broken", name="Alice Carter")
    ken.wait_for(gone(id), "the thread having left the history", 10)
    bring(ken, "not_respond/arrival")
    ken.wait_for(has_row(id, "It came broken"), "the thread waiting again")
    for browser in (mai, ken):
        assert browser.errors == []
        browser.close()
