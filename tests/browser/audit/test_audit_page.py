"""The page of the audit log: live, filtered by its address, exported; in each language."""

import csv
import io
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.axe import violations
from tests.drivers.browser import BrowserDriver
from tests.support import wait_until

pytestmark = pytest.mark.slow

TEXTS = Path(__file__).parents[3] / "static" / "i18n" / "settings" / "audit"
ENTRIES = """() => [...document.querySelectorAll('.audit-entry')].map((entry) => [
  entry.dataset.action, entry.querySelector('.audit-what p').textContent.trim(),
  entry.querySelector('.audit-who').children[0].textContent.trim()])"""


@pytest.fixture
def chief_email(lineup) -> str:
    return lineup.server.create_admin("Chief", role="supervisor")


@pytest.fixture
def chief(chromium, lineup, chief_email) -> Iterator[BrowserDriver]:
    made = BrowserDriver(chromium, lineup.server, chief_email, reduced_motion="reduce")
    yield made
    made.close()
    assert made.errors == []


def shows(browser: BrowserDriver, expected) -> None:
    """Waits until the entries that the page shows are as `expected(entries)` says."""
    wait_until(lambda: expected(browser.page.evaluate(ENTRIES)), what="the entries")


def filters_in(browser: BrowserDriver) -> dict[str, list[str]]:
    return parse_qs(urlsplit(browser.page.url).query)


@pytest.mark.parametrize("locale", ["en", "vi", "ja"])
def test_a_supervisor_sees_what_is_done_and_narrows_it(chief, chief_email, lineup, locale):
    texts = json.loads((TEXTS / f"{locale}.json").read_text())
    lineup.admin(chief_email).prefer(locale=locale)
    page = chief.page
    page.goto(f"{lineup.server.url}/settings/audit")
    signed_in = texts["audit.action.signin.succeeded"]
    shows(chief, lambda found: ["signin.succeeded", f"{signed_in} {chief_email}", "Chief"] in found)

    # It appears by itself at the top, as the page is not scrolled; server and log are shared.
    desk = f"desk-{uuid.uuid4().hex[:8]}"
    lineup.server.command("create-desk", desk)
    what = f"{texts['audit.action.desk.created']} {desk}"
    shows(chief, lambda found: found[0][:2] == ["desk.created", what])

    page.locator(".audit-entry").first.locator(".audit-what .audit-name").click()
    shows(chief, lambda found: [each[1] for each in found] == [what])
    assert filters_in(chief) == {"target": [desk]}
    page.go_back()
    shows(chief, lambda found: len(found) > 1)
    assert filters_in(chief) == {} and page.input_value("[name=target]") == ""

    page.select_option("[name=action]", "signin")
    page.fill("[name=actor]", chief_email)
    page.keyboard.press("Enter")
    shows(chief, lambda found: found and {each[0] for each in found} == {"signin.succeeded"})
    assert filters_in(chief) == {"action": ["signin"], "actor": [chief_email]}
    page.reload()
    shows(chief, lambda found: found and {each[2] for each in found} == {"Chief"})
    page.fill("[name=actor]", "nobody@example.com")
    page.keyboard.press("Enter")
    shows(chief, lambda found: found == [])
    chief.wait_for(
        f"() => document.querySelector('.audit-none')?.textContent.trim()"
        f" === {json.dumps(texts['audit.none_found'])}",
        "the sentence about no entries",
    )


def test_the_log_is_exported_and_accessible_on_every_screen(chief, chief_email, lineup):
    desk = f"desk-{uuid.uuid4().hex[:8]}"
    lineup.server.command("create-desk", desk)
    page = chief.page
    page.goto(f"{lineup.server.url}/settings/audit?target={desk}")
    shows(chief, lambda found: [each[0] for each in found] == ["desk.created"])
    with page.expect_download() as waited:
        page.click("[data-export=csv]")
    saved = Path(waited.value.path()).read_text(encoding="utf-8")
    assert waited.value.suggested_filename.endswith(".csv")
    rows = list(csv.DictReader(io.StringIO(saved, newline="")))
    assert [row["target_name"] for row in rows] == [desk]
    assert "1" in page.inner_text("#note")
    page.goto(f"{lineup.server.url}/settings/audit?action=export&actor={chief_email}")
    shows(chief, lambda found: [each[0] for each in found] == ["export.made"])
    page.goto(f"{lineup.server.url}/settings/audit")
    shows(chief, lambda found: len(found) > 1)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
        assert violations(page) == []
        wide = "() => document.documentElement.scrollWidth - innerWidth"
        assert page.evaluate(wide) <= 0, f"the page is wider than {width} px"
