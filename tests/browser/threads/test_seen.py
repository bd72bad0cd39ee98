"""The page says what was on screen when its admin closed threads (H28)."""

import uuid

import pytest

from tests.support import now_ms, wait_until

pytestmark = pytest.mark.slow

SLOW_MS = 3_000


def row(browser, id: int):
    fetched = "(id) => fetch(`/admin/api/threads?ids=${id}`).then((answer) => answer.json())"
    return browser.page.evaluate(fetched, id)["rows"][0]


def before_it_arrives(browser, path: str, work) -> list[dict]:
    """Runs `work` after the page sent a request, before the server gets it; returns bodies."""
    bodies: list[dict] = []

    def handle(route) -> None:
        bodies.append(route.request.post_data_json)
        work()
        route.continue_()

    browser.page.route(f"**{path}", handle, times=1)
    return bodies


def test_done_does_not_close_over_what_the_customer_writes_at_that_moment(browser, lineup):
    """H28: also if the chatbot's clock is 3 s slow."""
    name = f"done-{uuid.uuid4()}"
    id = lineup.say(name, at_ms=now_ms() - SLOW_MS)
    browser.renew("arrival/arrival")
    browser.open(id)
    bodies = before_it_arrives(
        browser,
        f"/threads/{id}/close",
        lambda: lineup.say(name, "wait, one more thing", at_ms=now_ms() - SLOW_MS),
    )
    seen = row(browser, id)["last_message_id"]
    browser.page.click(".act-done")
    browser.wait_for(
        "() => document.getElementById('toasts').textContent.includes('stays open')", "the notice"
    )
    assert bodies == [{"seen_message_id": seen}]
    shown = row(browser, id)
    assert (shown["open"], shown["unanswered"]) == (True, 1)
    browser.wait_for(
        "() => document.getElementById('messages').textContent.includes('one more thing')"
    )
    browser.page.click(".act-done")
    wait_until(lambda: not row(browser, id)["open"], what="the close, now that it was seen")


def test_many_threads_are_closed_by_what_their_rows_showed(browser, lineup):
    """H28."""
    names = [f"many-{uuid.uuid4()}" for _ in range(2)]
    ids = [lineup.say(name) for name in names]
    browser.renew("arrival/arrival")
    for id in ids:
        browser.page.locator(f"#row-{id}").click(modifiers=["Control"])
    seen = {str(id): row(browser, id)["last_message_id"] for id in ids}
    bodies = before_it_arrives(
        browser, "/threads/bulk", lambda: lineup.say(names[0], at_ms=now_ms() - SLOW_MS)
    )
    browser.page.locator(".list-header .button", has_text="Done").click()
    browser.page.locator(".ask-yes").click()
    browser.wait_for("() => document.getElementById('toasts').textContent !== ''", "the result")
    assert [body["seen"] for body in bodies] == [seen]
    assert [row(browser, id)["open"] for id in ids] == [True, False]
