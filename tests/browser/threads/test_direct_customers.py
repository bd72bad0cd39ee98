"""A customer in the chat window of a shop, and an admin, each in Chromium."""

import os
import secrets
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests

from tests.browser.axe import PROGRAM
from tests.drivers.browser import BrowserDriver
from tests.repository import ROOT
from tests.servers.demo import Demo
from tests.servers.ports import free_port
from tests.support import wait_until

DIRECT = ROOT / "examples" / "direct"
PHONE = {"viewport": {"width": 375, "height": 667}, "is_mobile": True, "has_touch": True}
#: Text and state of each message in the window; with the author if it is not the customer.
SHOWN = """() => [...document.querySelector('lineup-chat').shadowRoot.querySelectorAll('li')]
  .map((li) => [li.firstChild.textContent,
    [...li.childNodes].slice(1, -1).map((node) => node.textContent).join(''), li.dataset.state])"""
INSIDE = "() => document.querySelector('lineup-chat').shadowRoot.querySelector('%s').textContent"
AXE = """async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
  .map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))])"""


class Window:
    """A tab with the shop; nothing that its policy forbids may be tried."""

    def __init__(self, context, shop, open=True):
        self.page = context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._heard)
        self.page.goto(shop.url)
        if open:
            self.page.click("lineup-chat .open")

    def _heard(self, message) -> None:
        if "Security Policy" in message.text:
            self.errors.append(message.text)

    def says(self, body: str) -> None:
        self.page.fill("lineup-chat textarea", body)
        self.page.press("lineup-chat textarea", "Enter")

    def shown(self) -> list[str]:
        """The messages that are on their way are marked."""
        rows = self.page.evaluate(SHOWN)
        return [
            f"{who}{': ' if who else ''}{text}{' …' * bool(state)}" for who, text, state in rows
        ]

    def wait_until_shown(self, *texts: str) -> None:
        wait_until(lambda: self.shown() == list(texts), 30, f"{texts}, and not {self.shown()}")

    def text_of(self, selector: str) -> str:
        return self.page.evaluate(INSIDE % selector)


class Shop:
    """The shop's process and that of the gateway, which may be killed and started again."""

    def __init__(self, server, folder: Path):
        port, gateway_port = free_port(), free_port()
        self.url, self.gateway = f"http://localhost:{port}", f"http://127.0.0.1:{gateway_port}/"
        words = ["create-webhook", "--source", "shop", "--url", f"{self.gateway}hook"]
        self.key = server.create_key()
        self._environment = os.environ | {
            "PYTHONPATH": str(ROOT / "clients" / "python"),
            "LINEUP": server.url,
            "KEY": self.key,
            "WEBHOOK_SECRET": server.command(*words).split()[1],
            "VISITOR_SECRET": secrets.token_hex(32),
            "FILE": str(folder / "direct.sqlite"),
        }
        self._shop = self._run("shop.py", port, GATEWAY=self.gateway)
        self._gateway_port = gateway_port
        self.start()
        wait_until(lambda: is_up(self.url), 20, "the shop")

    def _run(self, name: str, port: int, **environment: str):
        given = self._environment | {"PORT": str(port)} | environment
        command = [sys.executable, str(DIRECT / name)]
        return subprocess.Popen(command, env=given, stderr=subprocess.DEVNULL)

    def start(self) -> None:
        self._process = self._run("gateway.py", self._gateway_port)
        wait_until(lambda: is_up(f"{self.gateway}chat.js"), 20, "the gateway")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)

    def close(self) -> None:
        self._shop.kill()
        self.kill()


def is_up(url: str) -> bool:
    try:
        return requests.get(url, timeout=1).ok
    except requests.RequestException:
        return False


@pytest.fixture
def server(start_server):
    return start_server(LINEUP_WEBHOOK_PRIVATE="1")


@pytest.fixture
def shop(server, tmp_path):
    made = Shop(server, tmp_path)
    yield made
    made.close()


@pytest.fixture
def context(chromium):
    return chromium.new_context(locale="en")


@pytest.fixture
def mai(server, chromium, shop):
    browser = BrowserDriver(chromium, server, server.create_admin("Mai"))
    yield browser
    assert browser.errors == []
    browser.close()


def test_a_customer_writes_on_a_page_and_an_admin_answers(shop, context, mai):
    window = Window(context, shop)
    window.says("<b>Where</b> is my parcel? https://shop.example/7.")
    said = "<b>Where</b> is my parcel? https://shop.example/7."
    window.wait_until_shown(said)
    link = window.page.locator("lineup-chat li a")
    assert link.get_attribute("href") == "https://shop.example/7"
    mai.open_first()
    mai.page.click(".act-claim")
    wait_until(lambda: window.text_of(".head span") == "Mai looks after you.", 10, "her name")
    mai.page.type("textarea", "It is in Huế", delay=20)
    wait_until(lambda: window.text_of(".note") == "Somebody is writing…", 10, "her writing")
    mai.page.keyboard.press("Control+Enter")
    window.wait_until_shown(said, "Mai: It is in Huế")
    way = "() => document.querySelector('.message:last-of-type .message-way')?.textContent"
    wait_until(lambda: "Read" in (mai.page.evaluate(way) or ""), 10, "the receipt")
    window.page.type("lineup-chat textarea", "T", delay=20)
    mai.wait_for("() => document.querySelector('.row[data-typing]') !== null")
    window.page.evaluate(PROGRAM.read_text(encoding="utf-8"))
    assert window.page.evaluate(AXE) == []
    window.page.keyboard.press("Escape")
    mai.reply("It comes tomorrow")
    wait_until(lambda: window.text_of(".open") == "Chat1", 10, "the number of unread messages")
    assert window.errors == []


@pytest.mark.slow
def test_two_tabs_and_fifty_reloads_on_a_phone_keep_the_conversation(shop, chromium, mai):
    context = chromium.new_context(locale="en", **PHONE)
    window, other = Window(context, shop), Window(context, shop)
    for number in range(3):
        (window, other)[number % 2].says(f"{number}")
        window.wait_until_shown(*map(str, range(number + 1)))
    other.wait_until_shown("0", "1", "2")
    mai.open_first()
    mai.reply("Hello")
    for each in (window, other):
        each.wait_until_shown("0", "1", "2", "Mai: Hello")
    for _ in range(50):
        window.page.reload()
        window.page.wait_for_selector("lineup-chat .open")
    window.page.click("lineup-chat .open")
    window.wait_until_shown("0", "1", "2", "Mai: Hello")
    box = window.page.locator("lineup-chat .panel").bounding_box()
    assert (box["width"], box["height"]) == (375, 667)
    window.says("3")
    other.wait_until_shown("0", "1", "2", "Mai: Hello", "3")
    assert window.errors == other.errors == []


@pytest.mark.slow
def test_what_is_written_without_a_network_arrives_once_and_in_order(shop, context, mai):
    window = Window(context, shop)
    window.says("0")
    window.wait_until_shown("0")
    context.set_offline(True)
    for number in range(1, 4):
        window.says(f"{number}")
    window.wait_until_shown("0", "1 …", "2 …", "3 …")
    wait_until(lambda: "No connection" in window.text_of(".head span"), 30, "the state")
    context.set_offline(False)
    window.wait_until_shown("0", "1", "2", "3")
    shop.kill()
    window.says("4")
    window.wait_until_shown("0", "1", "2", "3", "4 …")
    window.page.reload()
    shop.start()
    window.page.reload()
    window.page.click("lineup-chat .open")
    window.wait_until_shown("0", "1", "2", "3", "4")
    mai.open_first()
    bodies = "() => [...document.querySelectorAll('.message-body')].map((each) => each.textContent)"
    assert mai.page.evaluate(bodies) == ["0", "1", "2", "3", "4"]


@pytest.mark.slow
def test_the_window_waits_for_lineup_and_shows_what_was_edited(shop, context, server):
    bot = server.bot(shop.key)
    window = Window(context, shop)
    for body in ("0", "1"):
        window.says(body)
    window.wait_until_shown("0", "1")
    server.stop()
    window.page.reload()
    window.page.click("lineup-chat .open")
    wait_until(lambda: "No connection" in window.text_of(".head span"), 30, "the state")
    window.says("2")
    server.start()
    window.wait_until_shown("0", "1", "2")
    wait_until(lambda: window.page.locator("lineup-chat li.mine small >> text=:").count() == 3, 20)
    found = bot.get(f"{server.url}/api/v1/lists/arrival/arrival").json()["threads"][0]["thread"]
    messages = bot.get(f"{server.url}/api/v1/threads/{found}/messages").json()["messages"]
    own = {"thread": found, "occurred_at": f"{datetime.now(UTC):%FT%T}Z"}
    first, second, _ = (message["event"] for message in messages)
    edited = {"id": "e-1", "type": "message.edited", "message": first, "body": "zero"}
    deleted = {"id": "e-2", "type": "message.deleted", "message": second}
    system = {"id": "e-3", "type": "message", "role": "system", "body": "For admins"}
    events = {"events": [own | each for each in (edited, deleted, system)]}
    assert bot.post(f"{server.url}/api/v1/events", json=events).status_code == 207
    window.says("3")
    window.wait_until_shown("zero", "Message deleted", "2", "3")
    window.page.keyboard.press("Escape")
    assert window.text_of(".open") == "Chat"


@pytest.mark.slow
def test_the_page_works_while_the_gateway_is_away(shop, context):
    shop.kill()
    page = context.new_page()
    begun = time.monotonic()
    page.goto(shop.url)
    page.click("article button >> nth=1")
    page.click("article button >> nth=2")
    assert page.inner_text("#basket") == "2"
    assert page.query_selector("lineup-chat") is None
    assert time.monotonic() - begun < 10


@pytest.mark.slow
def test_a_newcomer_finds_the_shop_in_the_first_steps(chromium, tmp_path, own_redis):
    demo = Demo(tmp_path, LINEUP_REDIS_URL=own_redis.url)
    page = chromium.new_context(locale="en").new_page()
    cookies = [{"name": k, "value": v, "url": demo.url} for k, v in demo.admin.cookies.items()]
    page.context.add_cookies(cookies)
    page.goto(demo.url)
    with page.expect_popup() as opened:
        page.click(".first-card a")
    opened.value.click("lineup-chat .open")
    opened.value.fill("lineup-chat textarea", "Where is my parcel?")
    opened.value.press("lineup-chat textarea", "Enter")
    page.click(".row >> text=Where is my parcel?")
    page.fill("textarea", "It comes tomorrow.")
    page.keyboard.press("Control+Enter")
    opened.value.wait_for_selector("lineup-chat li >> text=It comes tomorrow.")
    page.reload()
    page.wait_for_selector(".row:not(.skeleton)")
    assert page.query_selector(".first-card") is None
    demo.close()
