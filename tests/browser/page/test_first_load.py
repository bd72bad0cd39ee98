"""The page before its scripts run, and before its socket is connected."""

import pytest
from playwright.sync_api import Browser, Route

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow


def window(chromium: Browser, lineup: LineupDriver, **options):
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="en", **options)
    cookies = lineup.server.sign_in(lineup.ken_email).cookies.items()
    context.add_cookies([{"name": k, "value": v, "url": lineup.server.url} for k, v in cookies])
    return context.new_page()


def test_the_first_rows_need_no_socket_no_later_styles_and_few_requests(
    chromium: Browser, lineup: LineupDriver
):
    page = window(chromium, lineup)
    page.route_web_socket("**/socket.io/**", lambda socket: None)
    held: list[Route] = []
    page.route("**/css/later*.css", lambda route: held.append(route))
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(lineup.server.url, wait_until="commit")
    page.wait_for_selector(".row:not(.skeleton)")
    wait_until(lambda: held, what="the request for the later styles")
    held[0].continue_()
    page.wait_for_function("() => document.styleSheets[1]?.media.mediaText === 'all'")
    shown = page.evaluate("() => [...document.querySelectorAll('.row[id]')].map((row) => row.id)")
    state = page.evaluate("() => window.lineup.list()")
    wanted = [f"row-{id}" for id in lineup.in_sql(state["view"], state["sort"])]
    assert state["state"] != "live"
    assert len(shown) >= 8 and set(shown) <= set(wanted[:40])
    assert len(requests) <= 12, requests
    assert errors == []


def test_without_its_scripts_the_page_has_words_and_the_shape_of_rows(
    chromium: Browser, lineup: LineupDriver
):
    page = window(chromium, lineup, java_script_enabled=False)
    page.goto(lineup.server.url)
    assert page.locator(".nav").get_by_text("Not responded").is_visible()
    rows = page.locator(".list-skeleton .row")
    boxes = [rows.nth(at).bounding_box() for at in range(3)]
    assert [box["height"] for box in boxes if box] == [64, 64, 64]
    assert boxes[1]["y"] - boxes[0]["y"] == 64
    page.goto(f"{lineup.server.url}/settings/profile")
    for part, width in ((".area-nav", 220), (".area-page", 960)):
        box = page.locator(f".area-skeleton {part}").bounding_box()
        assert box and box["width"] == width and box["height"] > 280
    with_scripts = window(chromium, lineup)
    with_scripts.goto(f"{lineup.server.url}/settings/profile")
    with_scripts.wait_for_selector(".area-page h1")
    assert with_scripts.locator(".area-skeleton").count() == 0


def test_the_list_that_came_with_the_page_is_caught_up(chromium: Browser, lineup: LineupDriver):
    lineup.say("t-7", "while the page was on its way")
    made = BrowserDriver(chromium, lineup.server, lineup.ken_email)
    made.wait_until_equal(lineup.database)
    lineup.say("t-9", "after it")
    made.wait_until_equal(lineup.database)
    wait_until(lambda: made.rows_in_view()[0][1] == lineup.ids["t-9"], 15, "the newest on top")
    assert made.errors == []
    made.close()
