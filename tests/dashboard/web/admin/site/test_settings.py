"""The pages of settings: the dashboard shows them, each at its address."""

from pathlib import Path

import pytest

from dashboard.db import audit
from dashboard.event_types import WEBHOOK_TYPES
from dashboard.web.admin.pages import SETTINGS_PAGES
from tests.dashboard.web.admin.site.boot import boot

SCRIPT = Path(__file__).parents[5] / "static" / "js" / "settings" / "area.js"
OWN = [page.name for page in SETTINGS_PAGES if not page.for_supervisors]
FORMER = {
    "profile": "profile",
    "team": "accounts",
    "keys": "keys",
    "webhooks": "webhooks",
    "audit": "audit",
}


@pytest.fixture
def chief(dashboard):
    return dashboard.sign_in("Chief", "supervisor")


def test_each_page_is_the_dashboard_for_those_who_may_open_it(mai, chief):
    for page in SETTINGS_PAGES:
        answer = chief.get(f"/settings/{page.name}")
        assert answer.status_code == 200 and 'data-area="settings"' in answer.text, page.name
        expected = 403 if page.for_supervisors else 200
        assert mai.get(f"/settings/{page.name}").status_code == expected, page.name
    assert boot(mai.get("/settings").text)["settings"] == OWN
    assert boot(chief.get("/").text)["settings"] == [page.name for page in SETTINGS_PAGES]
    assert "data-area" not in chief.get("/").text
    assert mai.get("/settings/nothing").status_code == 404


def test_the_script_has_a_page_for_each_name():
    text = SCRIPT.read_text(encoding="utf-8")
    for page in SETTINGS_PAGES:
        assert f"\n  {page.name}: {{ load:" in text, page.name


@pytest.mark.parametrize(
    "address", ["/settings", "/settings/keys", "/settings/audit?actor=mai@example.com&from=a%26b"]
)
def test_a_signed_out_visitor_comes_back_to_the_page_that_was_asked_for(dashboard, chief, address):
    visitor = dashboard.client()
    sign_in = visitor.get(address)
    assert sign_in.status_code == 302
    page = visitor.get(sign_in.headers["Location"])
    assert page.status_code == 200
    # A signed-in admin is sent from the sign-in page to where it leads.
    there = chief.get(sign_in.headers["Location"])
    assert (there.status_code, there.headers["Location"]) == (303, address)


@pytest.mark.parametrize("former", FORMER)
def test_former_addresses_lead_to_the_pages(dashboard, former):
    answer = dashboard.client().get(f"/{former}?actor=a%26b")
    expected = f"/settings/{FORMER[former]}?actor=a%26b"
    assert (answer.status_code, answer.headers["Location"]) == (302, expected)


def test_the_forms_of_supervisors_offer_what_there_is(dashboard, mai, chief):
    dashboard.say("t")
    assert mai.get("/admin/api/settings/choices").status_code == 403
    answer = chief.get("/admin/api/settings/choices").json
    assert (answer["sources"], answer["desks"]) == (["shop"], ["main"])
    assert answer["roles"] == ["admin", "supervisor"]
    assert answer["scopes"] == ["events", "presence", "read", "reports"]
    assert answer["event_types"] == list(WEBHOOK_TYPES)
    assert answer["actors"] == ["chief@example.com", "mai@example.com"]
    assert answer["actions"] == audit.GROUPS and "desk" in answer["kinds"]
