"""The line above a supervisor's list: waiting threads, the wait, admins here; equal to metrics."""

import re

import pytest
import requests

from tests.drivers.browser import BrowserDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

LINE = "() => document.querySelector('.queue-line')?.innerText ?? ''"


@pytest.fixture
def boss(chromium, lineup):
    """A supervisor's window."""
    window = BrowserDriver(
        chromium, lineup.server, lineup.server.create_admin("Boss", "supervisor")
    )
    yield window
    assert window.errors == []
    window.close()


def gauge(url: str, name: str) -> int:
    text = requests.get(f"{url}/metrics", timeout=5).text
    found = re.search(rf"^lineup_{name} ([0-9.]+)$", text, re.MULTILINE)
    assert found, name
    return int(float(found[1]))


def waiting(window: BrowserDriver) -> int:
    found = re.search(r"(\d[\d,]*) waiting", window.page.evaluate(LINE))
    return int(found[1].replace(",", "")) if found else -1


def here(window: BrowserDriver) -> int:
    found = re.search(r"(\d+) admins? here", window.page.evaluate(LINE))
    return int(found[1]) if found else -1


#: Notes at each frame what the badge, the list's head and the queue line say.
WATCH = """() => {
  window.said = new Set();
  const numbers = () => [
    document.querySelector('.nav-item[data-kind=not_respond] .nav-count').textContent,
    document.querySelector('.header-total > [aria-hidden]').textContent,
    /[\\d,]+/.exec(document.querySelector('.queue-line').innerText)[0],
  ].map((text) => text.trim()).join(' ');
  const note = () => { window.said.add(numbers()); look(); };
  const look = () => { window.watching = requestAnimationFrame(note); };
  look();
}"""


def has_one_number_at_any_painting(boss: BrowserDriver, lineup) -> None:
    """While threads come and go, and the list is held under the pointer."""
    before = waiting(boss)
    boss.page.evaluate(WATCH)
    box = boss.page.locator(".list").bounding_box()
    for at in range(6):
        boss.page.mouse.move(box["x"] + 90 + at % 2, box["y"] + 100)
        lineup.say(f"one-number-{at}", name=f"Number {at}")
    lineup.close_thread("one-number-0")
    wait_until(lambda: waiting(boss) == before + 5, what="all of them")
    said = [numbers.split(" ") for numbers in boss.page.evaluate("() => [...window.said]")]
    assert len(said) > 1
    boss.page.evaluate("() => cancelAnimationFrame(window.watching)")
    assert [numbers for numbers in said if len({*numbers}) > 1] == []


def tells_the_queue_without_a_thread(boss: BrowserDriver) -> None:
    """The empty pane counts the same threads by their waits; each line leads to them."""
    page = boss.page
    lines = page.locator(".queue-now-line")
    wait_until(lambda: lines.count() == 5, what="three ages, Mine and Mentions")
    ages = [int(lines.nth(at).locator(".queue-now-count").inner_text()) for at in range(3)]
    assert sum(ages) == waiting(boss) and ages[1:] == [0, 0], "nobody has waited for long yet"
    lines.nth(0).click()
    boss.wait_until_shown("query/longest_wait")
    assert boss.state()["total"] == waiting(boss)
    lines.nth(3).click()
    boss.wait_until_shown("mine/longest_wait")
    boss.page.click(".nav-item[data-kind=not_respond]")


def test_a_supervisor_sees_how_the_desk_is_doing(boss, browser, lineup):
    url = lineup.server.url
    wait_until(lambda: waiting(boss) >= 0, what="the line")
    before = waiting(boss)
    assert before == gauge(url, r'queue_threads\{view="not_respond"\}')
    id = lineup.say("queue-line-1", name="Queue 1")
    wait_until(lambda: waiting(boss) == before + 1, what="one more who waits")
    # The page is told a moment after the worker knows: both are asked until they say the same.
    wait_until(lambda: here(boss) == gauge(url, "admins_here"), what="who is here, as in metrics")
    lineup.mai.post(f"{url}/admin/api/threads/{id}/close", json={})
    wait_until(lambda: waiting(boss) == before, what="one less")
    assert browser.page.evaluate(LINE) == "", "an admin who is no supervisor sees none"
    boss.page.locator(".queue-line button").click()
    boss.wait_until_shown("not_respond/longest_wait")
    has_one_number_at_any_painting(boss, lineup)
    tells_the_queue_without_a_thread(boss)
    boss.page.locator(".nav-settings").click()
    boss.page.locator(".area-nav [href='/settings/health']").click()
    boss.page.locator(".settings-health", has_text="Equals the database").wait_for()
    browser.page.locator(".nav-settings").click()
    browser.page.wait_for_selector(".area-page h2")
    assert browser.page.locator("[href='/settings/health']").count() == 0
