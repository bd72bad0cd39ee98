"""A whole case: a customer waits, two admins come, and it ends well."""

import uuid

import pytest

from tests.browser.desk import Desk

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]


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


def reply(desk: Desk, body: str) -> None:
    desk.page.fill(".composer-field", body)
    desk.page.keyboard.press("Control+Enter")


def bring(desk: Desk, list: str) -> None:
    """Shows another list, with the pointer away from it."""
    desk.page.mouse.move(1000, 300)
    desk.page.evaluate("(to) => { location.hash = to; }", f"#/{list}")
    desk.wait_until_shown(list)


def test_wait_claim_answer_stale_reply_note_close_and_reopen(chromium, stage):
    """Cases E2, E13."""
    case = f"case-{uuid.uuid4()}"  # a second try finds nothing of the first
    mai = Desk(chromium, stage.server, stage.mai, "not_respond/arrival")
    ken = Desk(chromium, stage.server, stage.ken, "not_respond/arrival")
    id = stage.says(case, "My order never came", name="Alice Carter")
    for desk in (mai, ken):
        desk.wait_for(has_row(id, "My order never came"), "the new thread")

    # Both want it: one gets it, the other reads who was first.
    mai.open(id)
    ken.open(id)
    mai.page.click(".act-claim")
    ken.wait_for(toast("Mai has taken this thread"), "Ken being told of the claim")
    assert stage.acts(stage.ken).act(id, "claim").json()["code"] == "already_claimed"
    ken.wait_for("() => !document.querySelector('.thread-acts > .act-claim')", "no button to claim")

    # Ken's reply goes out; Mai wrote hers before she had seen it.
    mai.page.context.set_offline(True)
    mai.page.fill(".composer-field", "I am looking into it")
    reply(ken, "It comes on Friday")
    ken.wait_for(is_said("It comes on Friday"), "Ken's reply")
    ken.wait_for("() => !document.querySelector('.message[data-state]')", "the reply being sent")
    mai.page.keyboard.press("Control+Enter")
    mai.page.context.set_offline(False)
    mai.wait_for("() => document.querySelector('.message[data-state=moved]')", "the stop", 15)
    mai.wait_for(is_said("It comes on Friday"), "the unseen reply being shown")
    said = [message["body"] for message in stage.acts(stage.mai).messages(id)]
    assert "I am looking into it" not in said
    mai.page.click(".message[data-state=moved] .message-acts button")
    ken.wait_for(is_said("I am looking into it"), "the confirmed reply")

    # Answered, it waits no more; a note is for the team alone.
    mai.wait_for(gone(id), "the thread having left", 10)
    mai.page.locator(".composer-mode").nth(1).click()
    reply(mai, "Carrier lost it once already")
    ken.wait_for("() => document.querySelector('.message[data-kind=note]')", "the note")

    mai.page.click(".act-done")
    ken.wait_for(toast("Mai closed this thread."), "Ken being told of the end")
    mai.open(id)
    for action, told in (
        ("reopen", "Mai reopened this thread."),
        ("release", "Mai released this thread."),
        ("close", "Mai closed this thread."),
    ):
        assert stage.acts(stage.mai).act(id, action).status_code == 200
        ken.wait_for(toast(told), f"Ken being told: {told}")
    assert not mai.page.query_selector(".toast"), "of one's own doings, wherever they were done"
    bring(ken, "history/arrival")
    ken.wait_for(has_row(id), "the thread in the history")
    stage.says(case, "It came broken", name="Alice Carter")
    ken.wait_for(gone(id), "the thread having left the history", 10)
    bring(ken, "not_respond/arrival")
    ken.wait_for(has_row(id, "It came broken"), "the thread waiting again")
    for desk in (mai, ken):
        assert desk.errors == []
        desk.close()
