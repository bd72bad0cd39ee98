"""The views that come with the dashboard's page."""

import re
from pathlib import Path

from dashboard.web.admin import pages, preferences
from tests.dashboard.web.admin.site.boot import boot

STATIC = Path(__file__).parents[5] / "static"


def test_the_page_knows_the_conditions_of_each_built_in_view(mai):
    """Filters begin with them, so each is a query that an admin may ask."""
    values = boot(mai.get("/").text)
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


def test_the_places_stand_on_the_page_before_its_scripts_run(mai):
    icons = re.findall(r'data-kind="(\w+)".*?href="#icon-(\w+)"', mai.get("/").text)
    assert icons == [(place, place) for place in preferences.PLACES]


def test_the_page_knows_the_same_places_as_the_server():
    table = (STATIC / "js/core/places.js").read_text(encoding="utf-8")
    rows = re.findall(r'^  (\w+): \{ view: "(\w+)", filter: (\w+) \},$', table, re.MULTILINE)
    assert [place for place, _, _ in rows] == [*preferences.PLACES]
    for place, view, filter in rows:
        known = preferences.FILTERED_PLACES.get(place, (place, "all"))
        assert (view, filter.lower()) == known


def test_the_page_opens_the_place_that_was_open_last(dashboard, mai):
    """A filter that is stored from earlier versions narrows no place."""
    dashboard.say("t-1", "first")
    chosen = {"place": "arrival", "filters": {"arrival": "mine"}, "sorts": {"mine": "priority"}}
    held = mai.patch("/admin/api/me/preferences", json=chosen).json
    head = boot(mai.get("/").text)["head"]
    assert [head[name] for name in ("view", "filter", "total")] == ["arrival", "all", 1]
    assert pages.first_list(held | {"place": "mine"}, [])[:3] == ("arrival", "priority", "mine")
    assert pages.first_list(held | {"place": None}, [])[0] == "not_respond"


def test_the_page_keeps_room_for_the_bar_of_an_admins_queues(dashboard, mai):
    """Only where the admin has a queue: the list does not move once the socket is connected."""
    assert boot(mai.get("/").text)["queues"] == []
    assert "queue-bar" not in mai.get("/").text.replace('id="queue-bar"', "")
    chief = dashboard.sign_in("Chief", "supervisor")
    modes = ["push", "pull"]
    for number, (mode, admins) in enumerate(zip(modes, ("all", ["main"]), strict=True)):
        draft = {"name": mode, "query": "is:waiting", "sort": "longest_wait", "owner": "all"}
        view = chief.post("/admin/api/views", json=draft).json["id"]
        queue = {"view": view, "mode": mode, "admins": admins}
        assert chief.post("/admin/api/queues", json=queue).status_code == 201
        page = mai.get("/").text
        assert boot(page)["queues"] == sorted(modes[: number + 1])
        assert ('class="queue-bar" data-pulls' in page) == (mode == "pull")
