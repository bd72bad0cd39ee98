"""The example's customer and an admin talk, each in Chromium, whatever happens in between."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from sqlalchemy import update

from dashboard.db.database import Database
from dashboard.db.models.webhooks import deliveries
from tests.drivers.browser import BrowserDriver
from tests.servers.ports import free_port
from tests.servers.webhook_gateway import WebhookGateway
from tests.support import wait_until

pytestmark = pytest.mark.slow

CHATBOT = Path(__file__).parents[3] / "examples/chatbot/chatbot.py"


class Example:
    """The chatbot's process, which may be killed and started again, and a customer's window."""

    def __init__(self, server, chromium, folder: Path):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.gateway = WebhookGateway(f"{self.url}/hook")
        self.key = server.create_key()
        words = ["create-webhook", "--source", "shop", "--url", self.gateway.url]
        secret = server.command(*words).split()[1]
        self._command = [sys.executable, str(CHATBOT), "--lineup", server.url, "--key", self.key]
        self._command += ["--secret", secret, "--port", str(self.port)]
        self._command += ["--file", str(folder / "chatbot.sqlite")]
        self.start()
        self.page = chromium.new_context().new_page()
        self.page.goto(self.url)

    def start(self) -> None:
        environment = os.environ | {"PYTHONPATH": str(CHATBOT.parents[2] / "clients/python")}
        self._process = subprocess.Popen(self._command, env=environment)
        wait_until(self._is_up, 10, "the chatbot")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)

    def close(self) -> None:
        self.page.context.close()
        self.kill()
        self.gateway.close()

    def says(self, body: str) -> None:
        self.page.fill("[name=body]", body)
        self.page.keyboard.press("Enter")

    def shown(self) -> list[str]:
        """Author and text of each message on the customer's page."""
        script = "() => [...document.querySelectorAll('#messages li')].map((li) => li.innerText)"
        return [text.replace("\n", ": ") for text in self.page.evaluate(script)]

    def wait_until_shown(self, *texts: str) -> None:
        wait_until(lambda: self.shown() == list(texts), 20, f"{texts}")

    def _is_up(self) -> bool:
        assert self._process.poll() is None
        try:
            return requests.get(self.url, timeout=1).ok
        except requests.RequestException:
            return False


@pytest.fixture
def server(start_server):
    return start_server(LINEUP_WEBHOOK_PRIVATE="1")


@pytest.fixture
def example(server, chromium, tmp_path):
    made = Example(server, chromium, tmp_path)
    yield made
    made.close()


@pytest.fixture
def mai(server, chromium, example):
    browser = BrowserDriver(chromium, server, server.create_admin("Mai"))
    yield browser
    assert browser.errors == []
    browser.close()


@pytest.fixture
def hurry(tmp_path):
    """Makes retries due now, so that the test does not wait for hours."""
    database = Database(f"sqlite:///{tmp_path / 'lineup.sqlite'}")
    yield lambda: database.write(lambda c: c.execute(update(deliveries).values(next_at=0)))
    database.close()


def way_of(browser: BrowserDriver, body: str) -> str | None:
    """Returns the state of delivery below a reply's bubble."""
    script = """(body) => [...document.querySelectorAll('.message')]
      .find((item) => item.querySelector('.message-body')?.textContent === body)
      ?.querySelector('.message-way span')?.textContent"""
    return browser.page.evaluate(script, body)


def banner(browser: BrowserDriver) -> str:
    return browser.page.evaluate("() => document.getElementById('banner').innerText")


def test_a_customer_is_answered_once_whatever_happens_to_the_chatbot(example, mai, hurry):
    example.says("When are you open?")
    bot = "Bot: We are open from 9:00 to 18:00, Monday to Saturday."
    example.wait_until_shown("You: When are you open?", bot)
    example.says("My parcel is lost")
    so_far = ["You: When are you open?", bot, "You: My parcel is lost"]
    so_far.append("Bot: I will get somebody for you.")
    example.wait_until_shown(*so_far)

    mai.open_first()
    mai.reply("I am looking for it")
    so_far.append("Mai: I am looking for it")
    example.wait_until_shown(*so_far)
    wait_until(lambda: way_of(mai, "I am looking for it") == "Delivered", 10, "the receipt")

    example.kill()
    mai.reply("It is in Huế")
    wait_until(lambda: "tried 1 time" in (way_of(mai, "It is in Huế") or ""), 10, "a failure")
    wait_until(lambda: "chatbot of shop" in banner(mai), 10, "the source being named")
    example.start()
    so_far.append("Mai: It is in Huế")
    example.wait_until_shown(*so_far)
    hurry()
    wait_until(lambda: banner(mai) == "", 10, "the end of the failure")
    wait_until(lambda: way_of(mai, "It is in Huế") == "Delivered", 10, "the receipt")

    example.gateway.failing, before = 3, len(example.gateway.answers)
    mai.reply("It comes tomorrow")
    wait_until(lambda: hurry() and example.gateway.failing == 0, 20, "three failures")
    so_far.append("Mai: It comes tomorrow")
    wait_until(lambda: hurry() and example.shown() == so_far, 20, "the answer")
    assert example.gateway.answers[before:] == [500, 500, 500, 204]
    wait_until(lambda: way_of(mai, "It comes tomorrow") == "Delivered", 10, "the receipt")
    assert example.shown() == so_far


def test_an_admin_tries_again_what_did_not_reach_the_chatbot(example, mai):
    example.says("My parcel is lost")
    mai.open_first()
    example.gateway.failing = 1
    mai.reply("I am looking for it")
    wait_until(lambda: "tried 1 time" in (way_of(mai, "I am looking for it") or ""), 10, "it")
    mai.page.click(".message-again")
    wait_until(lambda: example.shown()[-1] == "Mai: I am looking for it", 10, "the answer")
    assert example.gateway.answers == [500, 204]


def test_customer_and_team_see_each_others_presence(example, mai, server):
    example.says("My parcel is lost")
    mai.open_first()
    mai.page.click(".act-claim")
    status = "() => document.getElementById('team').textContent"
    said = "Mai is looking after you"
    wait_until(lambda: example.page.evaluate(status) == said, 20, "the team's presence")
    bot = server.bot(example.key)
    customer = example.page.evaluate("() => localStorage.getItem('conversation')")
    online = {"params": {"customer": customer}}

    def pages() -> int:
        answer = bot.get(f"{server.url}/api/v1/presence", **online).json()
        return answer["presence"][customer]["devices"].count("web")

    wait_until(lambda: pages() == 1, 10, "the customer's presence")
    other = example.page.context.new_page()
    other.goto(example.page.url)
    wait_until(lambda: pages() == 2, 10, "the other tab's presence")
    other.goto("about:blank")
    wait_until(lambda: pages() == 1, 10, "the other tab's leaving")
    example.page.goto("about:blank")
    wait_until(lambda: pages() == 0, 10, "the customer's leaving")


def test_the_customer_sees_that_an_admin_writes_a_reply_and_never_a_note(example, mai):
    """Case E11."""
    heard: list[str] = []
    pass_on = example.gateway.answer

    def listen(body: bytes, headers: dict[str, str]) -> int:
        heard.append(json.loads(body)["type"])
        return pass_on(body, headers)

    example.gateway.answer = listen
    example.says("My parcel is lost")
    mai.open_first()
    mai.page.click(".composer >> text=Note")
    mai.wait_for("() => document.querySelector('.composer[data-private]') !== null")
    mai.page.type("textarea", "A secret", delay=20)
    mai.page.keyboard.press("Control+Enter")
    mai.wait_for("() => document.querySelector('.message[data-kind=note]') !== null")
    assert heard == []
    mai.page.click(".composer >> text=Reply")
    mai.wait_for("() => document.querySelector('.composer:not([data-private])') !== null")
    mai.page.type("textarea", "I am looking", delay=20)
    shown = "() => document.getElementById('typing').textContent"
    wait_until(lambda: example.page.evaluate(shown) == "Somebody is writing…", 10, "the writing")
    assert set(heard) == {"admin.typing"}
