"""Pictures of customers come from allowed hosts; a picture that does not load is hidden."""

import base64

import pytest

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver

pytestmark = pytest.mark.slow

ALLOWED, OTHER = "https://cdn.shop.example", "https://other.example"
FACES = {"face": f"{ALLOWED}/face.gif", "lost": f"{ALLOWED}/gone.gif", "spy": f"{OTHER}/a.gif"}
PIXEL = base64.b64decode("R0lGODlhAQABAIAAAP8AAP8AACwAAAAAAQABAAACAkQBADs=")
SEEN = """(selector) => [...document.querySelectorAll(selector)]
  .map((one) => [one.getAttribute('src'), one.complete && one.naturalWidth > 0,
    one.checkVisibility(), one.referrerPolicy])"""
#: Whether a picture is kept from being loaded.
STOPPED = """(src) => new Promise((resolve) => {
  const image = new Image();
  image.onerror = () => resolve(true);
  image.onload = () => resolve(false);
  image.src = src;
})"""


def desk_with_pictures(server) -> tuple[LineupDriver, dict[str, int]]:
    """Three customers with pictures: one is missing, and one is on a host that is not allowed."""
    lineup = LineupDriver(server)
    files = [
        {"url": f"{host}/{name}.gif", "type": "image/gif", "name": name}
        for host, name in ((ALLOWED, "box"), (ALLOWED, "gone"), (OTHER, "spy"))
    ]
    ids = {
        name: lineup.say(
            name, "Look", customer={"id": name, "name": name, "avatar_url": url}, attachments=files
        )
        for name, url in FACES.items()
    }
    return lineup, ids


def test_pictures_come_from_allowed_hosts_alone(chromium, start_server):
    lineup, ids = desk_with_pictures(start_server(LINEUP_PICTURE_HOSTS="cdn.shop.example"))
    browser = BrowserDriver(chromium, lineup.server, lineup.mai_email)
    page, asked = browser.page, []

    def answer(route) -> None:
        asked.append((route.request.url, route.request.headers.get("referer")))
        if "gone" in route.request.url:
            route.fulfill(status=404)
        else:
            route.fulfill(content_type="image/gif", body=PIXEL)

    page.route(lambda url: "localhost" not in url and "127.0.0.1" not in url, answer)
    browser.renew()
    browser.open(ids["face"])
    shown = f"({SEEN})('.avatar-picture')"
    browser.wait_for(f"() => {shown}.filter(([, loaded]) => loaded).length === 2", "the faces")
    # Once in its row, once over the conversation.
    for id, wanted in (("face", [[FACES["face"], True, True, "no-referrer"]]), ("spy", [])):
        assert page.evaluate(SEEN, f"#row-{ids[id]} .avatar-picture") == wanted
    failed = f"#row-{ids['lost']} .avatar-picture"
    browser.wait_for(f"() => document.querySelector('{failed}').hidden", "the failure")
    assert page.locator(f"#row-{ids['lost']} .avatar-letter").inner_text() == "L"

    page.locator(".message-file").last.scroll_into_view_if_needed()
    browser.wait_for(f"() => ({SEEN})('.message-picture').some(([, loaded]) => loaded)", "the box")
    browser.wait_for(
        "() => document.querySelector(\".message-picture[alt='gone']\").hidden", "no broken picture"
    )
    assert page.locator(".message-picture").count() == 2
    assert page.locator(".message-file").count() == 3
    assert all(url.startswith(ALLOWED) and referrer is None for url, referrer in asked), asked
    # The page's policy stops pictures that reach it in another way.
    assert page.evaluate(STOPPED, f"{OTHER}/b.gif")
    assert not page.evaluate(STOPPED, f"{ALLOWED}/b.gif")
    assert browser.errors == []
