"""A supervisor hands over all threads of a colleague from the panel of the team."""

import pytest

from tests.browser.threads.test_case import toast
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

MEMBERS = """() => [...document.querySelectorAll('#team-panel .person')]
  .find((one) => one.querySelector('.person-name').textContent === 'Away')
  ?.querySelector('button.person-thread')?.textContent"""


def test_all_threads_of_an_absent_colleague_are_handed_over_and_back(
    chromium, lineup: LineupDriver
):
    server = lineup.server
    away = server.create_admin("Away")
    ids = [lineup.say(f"away-{number}", name=f"Away {number}") for number in range(3)]
    for id in ids:
        assert lineup.admin(away).act(id, "claim").status_code == 200
    lineup.ken_email  # noqa: B018 - who gets them is there
    boss = BrowserDriver(chromium, server, server.create_admin("Chief", "supervisor"))

    def assignees() -> set[str | None]:
        url = f"{server.url}/admin/api/threads?ids={','.join(map(str, ids))}"
        rows = lineup.mai.get(url).json()["rows"]
        return {row["assignee"] and row["assignee"]["name"] for row in rows}

    boss.page.locator("[popovertarget=team-panel]").click()
    boss.wait_for(f"() => ({MEMBERS})() === 'Hand over all threads'", "the button")
    person = boss.page.locator("#team-panel .person", has_text="Away").first
    person.locator("button.person-thread", has_text="Hand over all").click()
    boss.wait_for("() => document.querySelectorAll('.hand-all .hand-option').length > 2", "whom")
    assert "3 open threads" in boss.page.locator(".hand-all > p").first.text_content()
    # One is taken while the dialog is open.
    assert lineup.admin(away).act(ids[0], "release").status_code == 200
    boss.page.locator(".hand-all .hand-option", has_text="Ken").first.click()
    boss.page.locator(".hand-all [type=submit]").click()
    boss.wait_for(toast("2 handed to Ken. 1 was taken meanwhile."), "what came of it")
    assert assignees() == {None, "Ken"}
    boss.page.locator(".list").focus()
    boss.page.keyboard.press("z")
    wait_until(lambda: assignees() == {None, "Away"}, what="both being given back")
    assert boss.errors == []
    boss.close()
