"""Reports in the page: a supervisor's questions, by pointer and by keys, on every screen."""

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from sqlalchemy import Connection, insert

from dashboard.db.models.reports import admin_times
from tests.browser.axe import violations
from tests.browser.measures import other_styles
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.support import wait_until

pytestmark = pytest.mark.slow

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
#: Last Tuesday from 14 to 15 o'clock, the hour of the longest wait.
LONGEST = 24 + 14
BUSY = f".report-hour[data-hour='{LONGEST}']"
NAMES = (
    "() => [...document.querySelectorAll('.report-rows .row-name')].map((one) => one.textContent)"
)
FOCUSED = "() => document.activeElement.dataset.hour ?? document.activeElement.localName"
OPEN = "() => Number(document.querySelector('.composer-field')?.dataset.thread ?? 0)"
WIDER = "() => document.documentElement.scrollWidth - innerWidth"


class Week:
    """Last week at a desk: nine quick answers, and one that took three hours."""

    def __init__(self, lineup: LineupDriver):
        self.lineup = lineup
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        self.monday = today - timedelta(days=today.weekday() + 7)
        self.begin = round(self.monday.timestamp() * 1000)
        self.sue_email = lineup.server.create_admin("Sue", "supervisor")
        self.sue = lineup.admin(self.sue_email)
        tuesday = self.begin + DAY
        self.slow = self.answered("slow", tuesday + 11 * HOUR + 10 * MINUTE, 190 * MINUTE)
        for number in range(9):
            at = self.begin + number % 5 * DAY + 14 * HOUR + 3 * number * MINUTE
            self.answered(f"quick-{number}", at, 2 * MINUTE)
            if number < 3:
                tags = {"type": "thread.tags", "add": ["billing"]}
                lineup.post(lineup.close_event(f"quick-{number}", at_ms=at) | tags)
        lineup.database.write(self.was_online)

    def answered(self, thread: str, at: int, took: int) -> int:
        ask = self.lineup.message_event(thread, at_ms=at)
        answer = self.lineup.message_event(thread, at_ms=at + took, role="admin")
        return self.lineup.post(ask, answer)[0]

    def was_online(self, connection: Connection) -> None:
        """Mai from 13 to 15 o'clock on Tuesday."""
        since = self.begin + DAY + 13 * HOUR
        mai = self.lineup.mai.get(f"{self.lineup.server.url}/admin/api/me").json()["id"]
        row = {"admin_id": mai, "kind": "online", "since": since, "until": since + 2 * HOUR}
        connection.execute(insert(admin_times).values(row))

    def day(self, number: int) -> str:
        return (self.monday + timedelta(days=number)).date().isoformat()

    def address(self, **more: str) -> str:
        state = {"span": "own", "from": self.day(0), "to": self.day(6), "timezone": "UTC"} | more
        query = "&".join(f"{name}={value}" for name, value in state.items())
        return f"{self.lineup.server.url}/settings/reports?{query}"

    def wait_until_counted(self) -> None:
        state = {"metric": "first_reply", "from": self.monday.isoformat().replace("+00:00", "Z")}
        url = f"{self.lineup.server.url}/admin/api/reports"
        wait_until(
            lambda: self.sue.session.get(url, params=state).json()["total"]["count"] == 10,
            what="the counting",
        )


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Week]:
    with running_lineup(tmp_path_factory.mktemp("reports")) as lineup:
        made = Week(lineup)
        made.wait_until_counted()
        yield made


@pytest.fixture
def sue(chromium: Browser, week: Week) -> Iterator[BrowserDriver]:
    made = BrowserDriver(
        chromium, week.lineup.server, week.sue_email, reduced_motion="reduce", timezone_id="UTC"
    )
    yield made
    made.close()
    assert made.errors == []


def test_a_supervisor_finds_the_longest_hour_its_threads_and_who_was_online(week, sue):
    page = sue.page
    page.locator(".nav-people").get_by_role("button", name="Reports").click()
    page.get_by_role("button", name="Dates").click()
    page.fill("[name=from]", week.day(0))
    page.fill("[name=to]", week.day(6))
    page.select_option("[name=by]", "hour")
    sue.wait_for(f"() => document.querySelector(`{BUSY}`)?.dataset.level === '5'", "the hour")
    assert page.locator("[data-level='5']").count() == 1
    assert "3 h 10 min" in (page.get_attribute(BUSY, "title") or "")

    page.click(BUSY)
    sue.wait_for(f"() => ({NAMES})().length === 3", "the threads of the hour")
    assert page.evaluate(NAMES)[0] == "Customer slow"
    link = page.url
    page.click(".report-rows .row")
    sue.wait_for(f"() => ({OPEN})() === {week.slow}", "the thread")
    page.goto(link)
    sue.wait_for(f"() => ({NAMES})()[0] === 'Customer slow'", "the same threads by their address")
    page.keyboard.press("Escape")
    sue.wait_for(f"() => ({FOCUSED})() === '{LONGEST}'", "the focus on the hour")
    page.go_back()
    sue.wait_for(f"() => ({NAMES})().length === 3", "the threads again")

    page.goto(week.address(metric="online", by="admin"))
    row = page.locator(".report-parts tbody tr").filter(has_text="Mai")
    row.wait_for()
    assert "2 h" in row.inner_text() and row.get_by_role("button").count() == 0

    page.goto(week.address(metric="answers"))
    page.wait_for_selector("button.report-big")
    with page.expect_download() as waited:
        page.get_by_role("button", name="Download CSV").click()
    text = Path(waited.value.path()).read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    begin = f"{week.day(0)}T00:00:00+00:00"
    assert (rows[0]["Metric"], rows[0]["From"], rows[0]["Count"]) == ("Answers", begin, "10")
    assert sum(int(row["Count"]) for row in rows[1:]) == 10 and len(rows) == 8
    refuses_a_plain_admin(week, page.context.browser)


def refuses_a_plain_admin(week: Week, chromium: Browser | None) -> None:
    """Mai has no link, and a page that says why."""
    assert chromium is not None
    mai = BrowserDriver(chromium, week.lineup.server, week.lineup.mai_email)
    assert mai.page.locator(".nav-people").get_by_role("button", name="Reports").count() == 0
    mai.page.goto(f"{week.lineup.server.url}/settings/profile")
    mai.page.wait_for_selector(".area-page h1")
    assert mai.page.locator("a[href='/settings/reports']").count() == 0
    answer = mai.page.goto(f"{week.lineup.server.url}/settings/reports")
    assert answer is not None and answer.status == 403
    assert "Only supervisors" in mai.page.inner_text("body")
    mai.close()


def test_reports_need_no_pointer(week, sue):
    page = sue.page
    page.goto(week.address(by="hour", shown="p99"))
    page.wait_for_selector(BUSY)
    press_until(sue, "Tab", "() => document.activeElement.name === 'metric'")
    press_until(sue, "Tab", "() => document.activeElement.matches('.report-toggle')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".report-steps .report-number")
    press_until(sue, "Tab", "() => document.activeElement.matches('.report-hour')")
    page.keyboard.press("ArrowDown")
    for _ in range(14):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(FOCUSED) == str(LONGEST)
    page.keyboard.press("Enter")
    sue.wait_for(f"() => ({NAMES})().length === 3", "the threads of the hour")
    press_until(sue, "Tab", "() => document.activeElement.matches('.report-rows')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    sue.wait_for(f"() => ({OPEN})() === {week.slow}", "the thread")


def press_until(window: BrowserDriver, key: str, expression: str) -> None:
    for _ in range(60):
        if window.page.evaluate(expression):
            return
        window.page.keyboard.press(key)
    raise AssertionError(f"{key} never led to {expression}")


def test_reports_are_accessible_on_every_screen_and_say_what_fails(week, sue):
    page = sue.page
    states = [
        {"by": "hour"},
        {"metric": "close_time", "by": "tag"},
        {"metric": "waiting", "by": "language"},
        {"rows": f"{week.begin}-{week.begin + 7 * DAY}"},
    ]
    found = {}
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        for state in states:
            page.goto(week.address(**state))
            page.wait_for_selector(".report-bigs, .report-rows .row:not(.skeleton)")
            page.mouse.move(2, 2)
            page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
            faults = [*violations(page), *other_styles(page)]
            if page.evaluate(WIDER) > 0:
                faults.append("the page scrolls sideways")
            found[f"{width} {state}"] = faults
    assert {name: said for name, said in found.items() if said} == {}

    page.goto(week.address(metric="new"))
    page.wait_for_selector("button.report-big")
    page.fill("#report-query", "tag:vip waits:foo")
    page.keyboard.press("Enter")
    page.locator("#report-query-said", has_text="foo").wait_for()
    assert page.get_attribute("#report-query", "aria-invalid") == "true"
    page.locator("button.report-big").wait_for(state="detached")
    assert page.get_by_role("button", name="Download CSV").count() == 0
    page.fill("#report-query", "")
    page.route("**/admin/api/reports?*", lambda route: route.abort())
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Try again").wait_for()
    page.unroute("**/admin/api/reports?*")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="Try again").wait_for(state="detached")


CONTROLS = """() => Object.fromEntries(
  [...document.querySelectorAll('.report-controls :is(select, .query-field)')]
    .map((field) => [field.name || 'query', field.value]))"""
BIG = "() => document.querySelector('.report-value')?.textContent"


def test_the_controls_always_are_those_of_the_address(week, sue):
    page = sue.page
    page.goto(week.address(metric="length", span="7d", query="is:open"))
    sue.wait_for(f"() => ({BIG})() === '10'", "the length of the list of the query")
    page.fill("#report-query", "")
    page.keyboard.press("Enter")
    page.locator("#report-query-said", has_text="Enter a query").wait_for()
    assert page.evaluate(CONTROLS)["view"] == "query" and page.evaluate(BIG) is None
    page.fill("#report-query", "is:waiting")
    page.keyboard.press("Enter")
    sue.wait_for(f"() => ({BIG})() === '0'", "the length of another list")
    page.select_option("[name=view]", label="All open")
    sue.wait_for(f"() => ({BIG})() === '10'", "the length of a view")
    page.select_option("[name=metric]", "waiting")
    page.locator("[name=by]").wait_for()
    shown = page.evaluate(CONTROLS)
    assert (shown["by"], shown["query"]) == ("", "") and "query" not in page.url
    page.select_option("[name=metric]", "length")
    page.select_option("[name=view]", "query")
    sue.wait_for(f"() => ({CONTROLS})().query === 'is:open'", "the query of the list")
    page.goto(week.address(**{"to": week.day(-1)}))
    page.get_by_text("the earlier one first").wait_for()
    page.fill("[name=from]", "2022-01-03")
    sue.wait_for(f"() => ({CONTROLS})().step === 'week'", "the only step")
    page.goto(week.address(to=week.day(1), step="day"))
    page.click(".report-toggle")
    assert page.inner_text(".report-steps thead th >> nth=0") == "Day"


def test_one_back_leads_to_the_same_row(week, sue):
    page = sue.page
    page.set_viewport_size({"width": 1280, "height": 400})
    page.goto(week.address(rows=f"{week.begin}-{week.begin + 7 * DAY}"))
    sue.wait_for(f"() => ({NAMES})().length === 10", "the threads")
    assert page.inner_text(".report-rows .row:first-child .row-own") == "3 h 10 min"
    page.locator(".report-rows .row").nth(8).click()
    sue.wait_for(f"() => ({OPEN})() > 0", "the thread")
    page.go_back()
    sue.wait_for(f"() => ({NAMES})().length === 10", "the threads again")
    top = "() => document.querySelector('.area-main').scrollTop"
    sue.wait_for(f"() => ({top})() > 100", "the place in the list")
    page.goto(week.address(metric="first_reply"))
    page.get_by_text("Only 10 times measured: p99 is the longest one.").wait_for()
    assert page.inner_text(".report-late").startswith("As of ")
    page.get_by_role("button", name="99 of 100 within this time").click()
    sue.wait_for(f"() => ({NAMES})().length === 1", "the thread that took longest")
    assert "3 h 10 min or more" in page.inner_text(".area-main")

    page.goto(week.address(metric="answers", by="tag"))
    names = (
        "() => [...document.querySelectorAll('.report-parts tbody th')].map((th) => th.innerText)"
    )
    sue.wait_for(f"() => ({names})().length === 2", "the parts")
    assert page.evaluate(names) == ["No tag", "billing"]
    page.get_by_role("button", name="Tag", exact=True).click()
    assert page.evaluate(names) == ["billing", "No tag"]
    assert page.get_attribute(".report-parts th:has(button) >> nth=0", "aria-sort") == "ascending"
    page.get_by_role("button", name="Answers", exact=True).click()
    assert page.evaluate(names) == ["No tag", "billing"]
    page.get_by_role("button", name="Answers", exact=True).click()
    assert page.evaluate(names) == ["billing", "No tag"]
