"""The profile page, and signing in with a second factor that was set up there."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from dashboard.db.accounts import second_factor
from tests.browser.axe import violations
from tests.drivers.browser import BrowserDriver
from tests.servers.lineup import PASSWORD
from tests.support import code_at, now_ms, wait_until

pytestmark = pytest.mark.slow

TEXTS = Path(__file__).parents[3] / "static" / "i18n" / "settings" / "profile"
CODES = "#recovery-codes code"


@pytest.fixture
def email(lineup) -> str:
    return lineup.server.create_admin("Hoa")


@pytest.fixture
def hoa(chromium, lineup, email) -> Iterator[BrowserDriver]:
    made = BrowserDriver(chromium, lineup.server, email, reduced_motion="reduce")
    yield made
    made.close()
    assert made.errors == []


def opened(hoa: BrowserDriver, lineup) -> Page:
    hoa.page.goto(f"{lineup.server.url}/settings/profile")
    hoa.page.wait_for_selector(".profile-session")
    return hoa.page


def texts_in(locale: str) -> dict[str, str]:
    return json.loads((TEXTS / f"{locale}.json").read_text(encoding="utf-8"))


def says(page: Page, card: str, text: str) -> None:
    note = page.locator(f"#{card} .settings-note")
    wait_until(lambda: note.inner_text() == text, what=text)


def set_up(page: Page) -> tuple[str, list[str]]:
    """Sets up a second factor, with its current code; returns the secret and the recovery codes."""
    page.fill("#second-factor [name=password]", PASSWORD)
    page.click("#second-factor button[type=submit]")
    page.wait_for_selector(".profile-qr")
    drawn = "() => document.querySelector('.profile-qr').naturalWidth"
    wait_until(lambda: page.evaluate(drawn) > 100, what="the QR code")
    assert violations(page) == []
    secret = page.inner_text("#second-factor .settings-secret").replace(" ", "")
    page.fill("#second-factor [name=code]", code_at(secret, now_ms()))
    page.click("#second-factor button[type=submit]")
    page.wait_for_selector(CODES)
    return secret, page.locator(CODES).all_inner_texts()


def sign_in(page: Page, url: str, email: str) -> None:
    """Takes the first step of a sign-in, after which the page asks for the second one."""
    page.context.clear_cookies()
    page.goto(f"{url}/login?next=/settings/profile")
    page.fill("#email", email)
    page.fill("#password", PASSWORD)
    page.click("button[type=submit]")
    page.wait_for_selector("#code")


def send(page: Page, code: str) -> None:
    page.fill("#code", code)
    page.click("button[type=submit]")


def test_a_second_factor_is_set_up_used_and_turned_off(hoa, lineup, email):
    page, texts, url = opened(hoa, lineup), texts_in("en"), lineup.server.url
    secret, codes = set_up(page)
    assert len(codes) == 10
    says(page, "second-factor", texts["profile.factor.confirmed"])
    page.click("#second-factor .button-accent")
    page.wait_for_selector("#second-factor [name=code]")
    assert "10 recovery codes are left." in page.inner_text("#second-factor")

    sign_in(page, url, email)
    assert violations(page) == []
    send(page, "000000")
    page.wait_for_selector("#error")
    # The code before was used; that of the next step is accepted, too.
    send(page, code_at(secret, now_ms() + second_factor.STEP_MS))
    page.wait_for_selector(".profile-session")

    sign_in(page, url, email)
    page.click(".card-more a")
    page.wait_for_selector("[name=by]", state="attached")
    send(page, codes[0].lower())
    page.wait_for_selector(".profile-session")
    assert "9 recovery codes are left." in page.inner_text("#second-factor")

    page.fill("#second-factor [name=password]", PASSWORD)
    page.fill("#second-factor [name=code]", codes[1])
    page.click("#second-factor button[value=remove]")
    page.click(".ask-yes")
    says(page, "second-factor", texts["profile.factor.removed"])
    assert violations(page) == []


@pytest.mark.parametrize("locale", ["en", "vi", "ja"])
def test_name_language_and_password_are_changed_and_other_sessions_end(
    hoa, lineup, email, chromium, locale
):
    elsewhere = BrowserDriver(chromium, lineup.server, email)
    page, texts = opened(hoa, lineup), texts_in("en")
    page.fill("#account [name=name]", "Hoa Lê")
    assert page.inner_text("#account bdi") == "Hoa Lê"
    page.select_option("#account [name=timezone]", "Asia/Tokyo")
    page.click("#account button[type=submit]")
    says(page, "account", texts["profile.saved"])
    page.click(".area-nav [href='/settings/appearance']")
    page.select_option("#set-language", locale)
    texts = texts_in(locale)
    wait_until(lambda: page.evaluate("() => document.documentElement.lang") == locale)
    page.click(".area-nav [href='/settings/profile']")
    page.locator("#sessions h2", has_text=texts["profile.sessions"]).wait_for()
    page.wait_for_selector(".profile-session")
    assert page.evaluate("() => document.activeElement.matches('.area-page h1')")
    assert page.input_value("#account [name=name]") == "Hoa Lê"
    assert page.input_value("#account [name=timezone]") == "Asia/Tokyo"

    page.fill("#password [name=current]", "wrong password")
    page.fill("#password [name=password]", "staple of a new horse")
    page.click("#password button[type=submit]")
    page.wait_for_selector("#password [data-bad]")
    page.fill("#password [name=current]", PASSWORD)
    page.click("#password button[type=submit]")
    says(page, "password", texts["profile.password.changed"])
    assert page.locator(".profile-session").count() == 1
    # The other window is told over its socket.
    gone = "() => document.querySelectorAll('.row').length === 0"
    elsewhere.wait_for(gone, "the other window to be emptied")
    elsewhere.close()
    assert elsewhere.errors == []
