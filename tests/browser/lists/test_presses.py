"""The thread that a press opens, and the threads that "select all" selects."""

import pytest

from tests.browser.threads.test_case import toast
from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow

PRESSES = 12
#: The middle of the list, and the upper border of a row in view, moved by fractions of a pixel.
BORDER = """(number) => {
  const list = document.querySelector('.list').getBoundingClientRect();
  const rows = [...document.querySelectorAll('.row[id]')].map((row) => row.getBoundingClientRect())
    .filter((row) => row.top > list.top + 5 && row.bottom < list.bottom - 5);
  return [list.left + list.width / 2, rows[number % rows.length].top + (number % 3 - 1) / 3];
}"""
UNDER = "([x, y]) => Number(document.elementFromPoint(x, y).closest('.row').id.slice(4))"


@pytest.mark.parametrize("scale", [1.5, 2])
def test_a_press_on_the_border_of_two_rows_opens_the_one_under_the_pointer(chromium, lineup, scale):
    """H29: also where a pixel of the screen is no whole pixel of the page."""
    mai = BrowserDriver(chromium, lineup.server, lineup.mai_email, device_scale_factor=scale)
    mai.page.wait_for_selector(".row:not(.skeleton)")
    mai.page.evaluate("() => { document.querySelector('.list').scrollTop = 33.4; }")
    mai.wait_for("() => window.lineup.list().hold === 'live'")
    for number in range(PRESSES):
        lineup.say(f"t-{number}", "Moving")
        point = mai.page.evaluate(BORDER, number)
        mai.page.mouse.move(*point)
        mai.page.mouse.down()
        wanted = mai.page.evaluate(UNDER, point)
        mai.page.mouse.up()
        assert mai.page.evaluate("() => location.hash").endswith(f"/{wanted}"), (number, point)
    assert mai.errors == []
    mai.close()


def test_select_all_says_what_it_selected_and_offers_the_whole_list(chromium, lineup):
    """H5: then one action is done on all of it."""
    mai = BrowserDriver(chromium, lineup.server, lineup.mai_email, "arrival/priority")
    mai.page.wait_for_selector(".row:not(.skeleton)")
    total = mai.state()["total"]
    assert total > 100, "more than is loaded at first"
    mai_id = lineup.mai.get(f"{lineup.server.url}/admin/api/me").json()["id"]
    # Threads of colleagues, from other tests on this server, are not taken over.
    nobodys = lineup.in_sql("arrival", "arrival", "unassigned")
    free = nobodys + lineup.in_sql("arrival", "arrival", "mine", mai_id)
    assert len(free) > 100
    mai.page.locator(".list").focus()
    mai.page.keyboard.press("Control+a")
    count = "() => document.querySelector('.bulk-count')?.textContent"
    mai.wait_for(f"{count}.includes('of {total} selected')", "the count")
    mai.page.locator(".banner .button", has_text=f"Select all {total}").click()
    mai.wait_for(f"() => document.querySelector('.bulk-count')?.textContent === '{total} selected'")
    mai.page.locator(".list").focus()
    mai.page.locator(".list-header .button", has_text="Take").click()
    mai.wait_for(toast(f"{len(nobodys)} threads taken."), "the result", 60)
    assert sorted(lineup.in_sql("arrival", "arrival", "mine", mai_id)) == sorted(free)
    assert mai.errors == []
    mai.close()
