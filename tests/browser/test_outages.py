"""Nothing is lost and nothing doubled when the network, the page or the session goes away."""

import pytest

from tests.live_server import PASSWORD
from tests.support import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]

WAKE_SECONDS = 3


def test_a_reply_written_offline_is_sent_once_when_the_network_is_back(desk, stage):
    id = stage.says("t-3", "Are you there?")
    desk.open(id)
    desk.page.context.set_offline(True)
    desk.page.wait_for_selector(".banner")
    desk.page.fill(".composer-field", "Yes, I am")
    desk.page.keyboard.press("Control+Enter")
    desk.page.wait_for_selector(".message[data-state]")
    desk.page.context.set_offline(False)
    desk.wait_for("() => !document.querySelector('.message[data-state]')", "the reply's end", 20)
    said = [message["body"] for message in stage.acts(stage.mai).messages(id)]
    assert said.count("Yes, I am") == 1
    assert desk.page.locator(".message-body", has_text="Yes, I am").count() == 1
    desk.wait_for("() => !document.querySelector('.banner')", "the banner's end", 15)


def test_a_page_that_was_frozen_shows_the_right_list_soon_after_waking(desk, stage):
    total = desk.state()["total"]
    chrome = desk.page.context.new_cdp_session(desk.page)
    chrome.send("Page.setWebLifecycleState", {"state": "frozen"})
    ids = [stage.says(f"t-{number}", "While you slept") for number in (20, 10, 5)]
    stage.post(stage.close("t-199"))
    chrome.send("Page.setWebLifecycleState", {"state": "active"})
    newest_first = ids[::-1]
    wait_until(
        lambda: [id for _, id in desk.rows_in_view()[:3]] == newest_first,
        WAKE_SECONDS,
        "the right list",
    )
    assert desk.state()["total"] == total - 1


def test_a_session_that_ended_leaves_the_draft_for_the_next_one(desk, stage):
    id = stage.says("t-4", "Still there?")
    desk.open(id)
    desk.page.fill(".composer-field", "A long answer that nobody wants to write twice")
    words = ("set-password", "--email", stage.mai, "--password-stdin")
    stage.server.command(*words, stdin=PASSWORD + "\n")
    banner = desk.page.wait_for_selector(".banner[data-kind=error] button", timeout=20_000)
    banner.click()
    desk.page.wait_for_selector("[name=email]")
    desk.page.fill("[name=email]", stage.mai)
    desk.page.fill("[name=password]", PASSWORD)
    desk.page.keyboard.press("Enter")
    desk.page.wait_for_selector(f".composer-field[data-thread='{id}']")
    assert "nobody wants to write twice" in desk.page.input_value(".composer-field")
