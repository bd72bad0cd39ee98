"""Signing in and out by the company's provider, as an admin does it in Chromium."""

import pytest

from tests.browser import axe
from tests.servers.oidc_provider import OidcProvider
from tests.servers.ports import free_port

pytestmark = pytest.mark.slow


def test_one_signs_in_at_the_provider_and_out_again(chromium, start_server, tmp_path):
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with OidcProvider(tmp_path, url) as provider:
        provider.add("mai", ["leads"], name="Mai Tran")
        start_server(
            port=port, **provider.environment(LINEUP_SIGNIN="oidc", LINEUP_OIDC_NAME="Shop")
        )
        page = chromium.new_context(locale="vi", viewport={"width": 390, "height": 700}).new_page()
        page.goto(f"{url}/login?next=/#/arrival/longest_wait")
        assert page.locator("input").count() == 0, "there is no password to type"
        assert axe.violations(page) == []
        page.get_by_role("link", name="Đăng nhập bằng Shop").click()
        page.fill("input[name=login]", "mai")
        page.fill("input[name=password]", "any")
        page.click("button[type=submit]")
        page.wait_for_selector("input[name=prompt][value=consent]", state="attached")
        page.click("button[type=submit]")
        page.wait_for_url(f"{url}/#/arrival/longest_wait")
        page.wait_for_selector("[role=listbox]")
        second = page.context.new_page()
        second.goto(url)
        second.wait_for_selector("[role=listbox]")
        # Signed out at the provider: the other page empties without anything being done in it.
        page.goto(f"{provider.issuer}/session/end")
        page.click("button[value=yes]")
        second.get_by_text("Phiên của bạn đã kết thúc").wait_for()
        assert second.locator("[role=option]").count() == 0
