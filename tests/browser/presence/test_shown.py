"""Two settings on the page: hiding that an admin writes, and when they were last here."""

import pytest

from tests.browser.threads.test_case import toast
from tests.drivers.browser import BrowserDriver
from tests.support import stays, wait_until

pytestmark = pytest.mark.slow


class Watcher:
    """Ken's socket: the modes and the state of a colleague, as he gets them."""

    def __init__(self, lineup, admin_id: int):
        self.modes: list[str] = []
        self.state: dict = {}
        self._person = str(admin_id)
        handlers = {"*": self._take}
        self._client = lineup.server.connect(lineup.server.sign_in(lineup.ken_email), handlers)
        self.state = self.call("presence:watch", {"kind": "admin", "add": [self._person]})[
            "presence"
        ][self._person]

    def call(self, name: str, data: dict) -> dict:
        answer = self._client.call(name, data, namespace="/admin", timeout=10)
        assert answer["ok"], answer
        return answer

    def disconnect(self) -> None:
        self._client.disconnect()

    def _take(self, event: str, data: dict | None = None, *_: object) -> None:
        if event == "thread:viewers":
            self.modes += [one["mode"] for one in data["viewers"] if str(one["id"]) == self._person]
        elif event == "presence:update" and data["kind"] == "admin":
            self.state = data["presence"].get(self._person, self.state)


def test_writing_and_the_last_visit_are_shown_only_to_whom_one_lets(chromium, lineup):
    email = lineup.server.create_admin("Rin")
    id = lineup.say("last-visit", "Is anybody there?")
    window = BrowserDriver(chromium, lineup.server, email)
    page = window.page
    watcher = Watcher(lineup, lineup.admin(email).id)
    watcher.call("thread:open", {"id": id})
    window.open(id)
    page.locator(".composer-field").press_sequentially("Yes, ")
    wait_until(lambda: "typing" in watcher.modes, what="Rin writing")
    page.click(".nav-settings")
    for label in ("That I am writing", "When I was last here"):
        box = page.get_by_label(label)
        box.wait_for()
        assert box.is_checked()
        box.click()
        wait_until(lambda box=box: not box.is_checked(), what=label)
    # The socket stays connected: who reads a page of settings is here, but not in the thread.
    wait_until(lambda: watcher.modes[-1] == "away", what="Rin being elsewhere")
    watcher.modes.clear()
    stays(lambda: watcher.state["status"] == "online", 2.5, "she is here")
    page.keyboard.press("Escape")
    wait_until(lambda: "editing" in watcher.modes, what="the writing being hidden")
    watcher.modes.clear()
    page.locator(".composer-field").press_sequentially("I am here. ")
    stays(lambda: "typing" not in watcher.modes, 2.5, "writing is hidden")
    page.click(".nav-settings")
    assert not page.get_by_label("When I was last here").is_checked()
    page.keyboard.press("Escape")
    a_status_that_cannot_be_set_is_not_shown_as_set(window)
    window.close()
    wait_until(lambda: watcher.state["status"] == "offline", 60, "Rin leaving")
    assert watcher.state["last_seen"] is None and watcher.state["at"] == 0
    watcher.disconnect()
    assert window.errors == []


def a_status_that_cannot_be_set_is_not_shown_as_set(window: BrowserDriver) -> None:
    page = window.page
    page.click("[popovertarget=team-panel]")
    status = page.locator("#team-panel select").first
    status.wait_for()
    page.context.set_offline(True)
    page.wait_for_selector("#banner > *")
    status.select_option("dnd")
    window.wait_for(toast("could not be set"), "the toast")
    assert status.input_value() == "auto"
    page.context.set_offline(False)
    page.wait_for_selector("#banner > *", state="detached")
    status.select_option("dnd")
    page.locator("#team-panel .person", has_text="Rin").get_by_text("Do not disturb").wait_for()
    assert status.input_value() == "dnd"
    page.keyboard.press("Escape")
