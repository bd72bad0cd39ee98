"""The views that come with the dashboard's page."""

import re

from dashboard.web.admin import pages
from tests.dashboard.web.admin.site.boot import boot


def test_the_page_knows_the_conditions_of_each_built_in_view(mai):
    """Filters begin with them, so each is a query that an admin may ask."""
    values = boot(mai.get("/").text)
    assert set(values["view_queries"]) == set(values["views"])
    of_views = {view["id"]: view["query"] for view in mai.get("/admin/api/views").json["views"]}
    assert values["view_queries"] == of_views
    for view, query in of_views.items():
        asked = {"query": query, "sort": values["preferences"]["sorts"][view]}
        assert mai.post("/admin/api/views/preview", json=asked).status_code == 200


def test_the_page_brings_the_saved_view_that_was_open_last(mai, monkeypatch):
    """Also where more views are saved than come with the page."""
    monkeypatch.setattr(pages, "SAVED_VIEWS_MAX", 1)
    draft = {"query": "is:open", "sort": "arrival", "owner": "me"}
    ids = [mai.post("/admin/api/views", json=draft | {"name": name}).json["id"] for name in "abc"]
    mai.patch("/admin/api/me/preferences", json={"saved": {"view": ids[2]}})
    assert [view["id"] for view in boot(mai.get("/").text)["saved_views"]] == [ids[0], ids[2]]
    mai.delete(f"/admin/api/views/{ids[2]}")
    values = boot(mai.get("/").text)
    assert [view["id"] for view in values["saved_views"]] == [ids[0]]
    assert values["preferences"]["saved"] == {"view": ids[2]}, "the page says that it is gone"


def test_the_page_has_the_built_in_views_in_the_admins_order(mai):
    draft = {"name": "a", "query": "is:open", "sort": "arrival", "owner": "me"}
    saved = mai.post("/admin/api/views", json=draft).json["id"]
    order = ["history", saved, "arrival"]
    assert mai.put("/admin/api/views/order", json={"ids": order}).status_code == 200
    page = mai.get("/").text
    expected = ["not_respond", "snoozed", "mentions", "history", "arrival"]
    assert boot(page)["views"] == expected
    icons = [icon for icon in re.findall(r'href="#icon-(\w+)"', page) if icon in expected]
    assert icons == expected, "also before the scripts run"
