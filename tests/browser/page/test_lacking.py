"""The page works whatever the browser lacks, refuses or answers wrongly, and names what fails."""

import os
import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.servers.chromium import ARGUMENTS, PROGRAMS, WINDOWLESS, launched, program
from tests.servers.lineup import PASSWORD
from tests.servers.ports import free_port
from tests.support import wait_until

pytestmark = pytest.mark.slow

#: Gives the page another value of a member; `REFUSES` throws as browsers do.
_SET = """
const REFUSES = () => { throw new DOMException('refused', 'SecurityError'); };
const set = (of, name, get) => Object.defineProperty(of, name, { get, configurable: true });
"""
#: Lacking part → (how it is broken, a part of the text that says so; "" if all works without it).
BROKEN = {
    "no storage": ("set(window, 'localStorage', () => null)", "keeps no data"),
    "storage refused": ("set(window, 'localStorage', REFUSES)", "keeps no data"),
    "storage full": ("Storage.prototype.setItem = REFUSES", "keeps no data"),
    "no subtle": ("set(Crypto.prototype, 'subtle', () => undefined)", "keeps no data"),
    "subtle refused": ("SubtleCrypto.prototype.importKey = async () => REFUSES()", ""),
    "no random ids": ("delete Crypto.prototype.randomUUID", ""),
    "no crypto": ("set(window, 'crypto', () => undefined)", "keeps no data"),
    "no locks": ("set(Navigator.prototype, 'locks', () => undefined)", ""),
    "locks refused": ("LockManager.prototype.request = async () => REFUSES()", ""),
    "no channel": ("delete window.BroadcastChannel", ""),
    "channel refused": ("window.BroadcastChannel = class { constructor() { REFUSES(); } }", ""),
    "no notifications": ("delete window.Notification", ""),
    "notifications refused": (
        "window.Notification = class { constructor() { REFUSES(); }"
        " static permission = 'granted'; static async requestPermission() { REFUSES(); } }",
        "",
    ),
    "no clipboard": ("set(Navigator.prototype, 'clipboard', () => undefined)", ""),
    "clipboard refused": ("Clipboard.prototype.writeText = async () => REFUSES()", ""),
    "no permissions": ("set(Navigator.prototype, 'permissions', () => undefined)", ""),
    "no sizes": (
        "delete window.ResizeObserver; delete window.IntersectionObserver;"
        " set(window, 'visualViewport', () => null)",
        "",
    ),
    "no service worker": ("set(Navigator.prototype, 'serviceWorker', () => undefined)", ""),
    "said to be offline": ("set(Navigator.prototype, 'onLine', () => false)", ""),
    "no zone": (
        "const own = Intl.DateTimeFormat.prototype.resolvedOptions;"
        " Intl.DateTimeFormat.prototype.resolvedOptions = function resolved() {"
        " return { ...own.call(this), timeZone: undefined }; };"
        " Date.prototype.getTimezoneOffset = () => 0",
        "times are in UTC",
    ),
}


def walks(browser: BrowserDriver, id: int, body: str) -> None:
    """Opens the thread, the snooze menu, the search by days and the settings; replies."""
    page = browser.page
    browser.open(id)
    page.fill(".composer-field", body)
    page.keyboard.press("Control+Enter")
    browser.wait_for(
        f"() => document.getElementById('messages').textContent.includes('{body}')"
        " && !document.querySelector('.message[data-state]')",
        "the reply being stored",
    )
    page.locator(".list").focus()
    page.keyboard.press("h")
    page.wait_for_selector("#snooze:popover-open .menu-item")
    page.keyboard.press("Escape")
    page.evaluate("() => { location.hash = '#/query/arrival?query=created:>=2020-01-01'; }")
    browser.wait_for(
        "() => window.lineup.list().state === 'live' && window.lineup.list().total > 0"
    )
    assert page.locator(".query-wrong, .banner").count() == 0
    page.locator(".nav-settings").click()
    page.locator(".area-nav [href='/settings/notifications']").click()
    page.wait_for_selector("[data-page=notifications] .switch")


@pytest.mark.parametrize("broken", BROKEN)
def test_the_page_works_without_what_the_browser_lacks_or_refuses(chromium, lineup, broken):
    script, told = BROKEN[broken]
    id = lineup.say("lacking", f"It is about: {broken}")
    browser = BrowserDriver(chromium, lineup.server, lineup.mai_email, before=_SET + script)
    if told:
        browser.page.locator(".toast", has_text=told).wait_for()
    walks(browser, id, f"I write with {broken}")
    notes = browser.page.locator(".area-page .panel-note", has_text=told or "browser")
    assert notes.count() == (1 if told else 0)
    browser.page.locator(".switch").nth(3).focus()
    browser.close()
    assert browser.errors == []


def test_the_page_works_on_plain_http_and_says_what_does_not(playwright, start_server):
    """Under a foreign host name, for which browsers refuse what needs https."""
    port = free_port()
    origins = f"http://desk.test:{port},http://127.0.0.1:{port}"
    server = start_server(port=port, LINEUP_ORIGINS=origins)
    assert any("desk.test" in line and "not https" in line for line in server.log), "at the start"
    desk = LineupDriver(server)
    id = desk.say("plain", "Is anybody there?")
    arguments = [*ARGUMENTS, "--host-resolver-rules=MAP desk.test 127.0.0.1"]
    with launched(playwright, arguments) as own:
        page = own.new_context(locale="en").new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"http://desk.test:{port}/login?next=/%23/arrival/arrival/{id}")
        page.fill("input[name=email]", desk.mai_email)
        page.fill("input[name=password]", PASSWORD)
        page.click("button[type=submit]")
        page.locator(".message", has_text="Is anybody there?").wait_for()
        assert not page.evaluate("() => isSecureContext || Boolean(crypto.subtle)")
        page.locator(".toast", has_text="without https").wait_for()
        page.fill(".composer-field", "I am.")
        page.keyboard.press("Control+Enter")
        wait_until(lambda: desk.admin(desk.mai_email).messages(id)[-1]["body"] == "I am.")
        page.fill(".composer-field", "A draft.")
        page.locator(".nav-settings").click()
        page.locator(".area-nav [href='/settings/notifications']").click()
        page.locator(".area-page .panel-note", has_text="without https").wait_for()
        assert errors == []
    desk.disconnect()


def test_on_a_machine_without_a_time_zone_times_are_in_utc(playwright, lineup):
    id = lineup.say("zoneless")
    environment = os.environ | {"TZ": "Etc/Unknown"}
    launched = playwright.chromium.launch(
        executable_path=program(WINDOWLESS + PROGRAMS), args=list(ARGUMENTS), env=environment
    )
    browser = BrowserDriver(launched, lineup.server, lineup.mai_email)
    browser.page.locator(".toast", has_text="times are in UTC").wait_for()
    walks(browser, id, "I am nowhere")
    browser.renew()
    browser.page.goto(f"{lineup.server.url}/settings/profile")
    browser.page.locator("option", has_text="(UTC)").wait_for(state="attached")
    launched.close()
    assert browser.errors == []


def test_all_times_are_those_of_the_profile_wherever_the_browser_is(chromium, lineup):
    """The choice, the row, the bar and the message name one moment by one zone."""
    ken = lineup.admin(lineup.ken_email)
    ken.prefer(timezone="Asia/Tokyo")
    id = lineup.say("zoned")
    options = {"timezone_id": "America/New_York", "locale": "en-GB"}
    browser = BrowserDriver(chromium, lineup.server, lineup.ken_email, **options)
    page = browser.page
    browser.open(id)
    page.locator(".list").focus()
    page.keyboard.press("h")
    choice = page.locator("#snooze .menu-item", has_text="Tomorrow")
    assert "9:00" in choice.inner_text(), "nine o'clock, where Ken has said that he is"
    day = choice.inner_text().partition("Tomorrow, ")[2][:3]
    choice.click()
    url = f"{lineup.server.url}/admin/api/threads?ids={id}"
    row = wait_until(lambda: ken.session.get(url).json()["rows"][0], what="the row")
    wait_until(lambda: ken.session.get(url).json()["rows"][0]["snooze"], what="its being snoozed")
    until = ken.session.get(url).json()["rows"][0]["snooze"]["until"] / 1000
    there = datetime.fromtimestamp(until, ZoneInfo("Asia/Tokyo"))
    assert (there.hour, there.minute, there.strftime("%a")) == (9, 0, day)
    page.evaluate("() => { location.hash = '#/snoozed/soonest'; }")
    page.locator(f"#row-{id}", has_text=f"{day} 09:00").wait_for()
    browser.open(id)
    page.locator("#thread-snooze", has_text=f"{day} 09:00").wait_for()
    said = datetime.fromtimestamp(row["recent_at"] / 1000, ZoneInfo("Asia/Tokyo"))
    clock = re.compile(rf"(^|\D)0?{said.hour}:{said:%M}(\D|$)")
    page.locator(".message time", has_text=clock).first.wait_for()
    browser.close()
    ken.prefer(timezone=None)
    assert browser.errors == []
