"""The connector of Botpress, with the real SDK and client, before a real Lineup."""

import json
import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
import requests

from tests.live.connectors.botpress_cloud import BotpressCloud
from tests.repository import ROOT
from tests.servers.ports import free_port
from tests.support import wait_until

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "examples" / "connectors" / "botpress"
PROGRAMS = ("integration.js", "start.js", "integration.definition.ts", "package.json", ".npmrc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Returns the example's folder with the packages that its README names."""
    root = tmp_path_factory.mktemp("botpress")
    made = root / "examples" / "connectors" / "botpress"
    made.mkdir(parents=True)
    for name in PROGRAMS:
        shutil.copy(EXAMPLE / name, made)
    js = ROOT / "clients" / "js"
    (root / "clients" / "js").mkdir(parents=True)
    shutil.copy(js / "package.json", root / "clients" / "js")
    shutil.copytree(js / "src", root / "clients" / "js" / "src")
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=made, check=True)
    return made


class Bot:
    """The integration's process, in a Botpress with a customer."""

    def __init__(self, server, folder: Path, journal: Path):
        self.cloud = BotpressCloud()
        self._server = server
        key = server.create_key()
        self._api = server.bot(key)
        words = ["create-webhook", "--source", "shop", "--url", f"{self.cloud.url}/webhook"]
        self._environment = os.environ | {
            "BP_API_URL": self.cloud.url,
            "LINEUP_URL": server.url,
            "LINEUP_KEY": key,
            "LINEUP_SECRET": server.command(*words).split()[1],
            "LINEUP_FILE": str(journal / "botpress.jsonl"),
            "PORT": str(free_port()),
        }
        self.cloud.integration = f"http://127.0.0.1:{self._environment['PORT']}"
        self._folder = folder
        self.start()
        self.user = self.cloud.act("createUser", name="Lan", email="lan@example.com")["userId"]

    def start(self) -> None:
        command, out = ["node", "start.js"], subprocess.DEVNULL
        self._process = subprocess.Popen(
            command, cwd=self._folder, env=self._environment, stdout=out
        )
        wait_until(self._is_up, what="the integration")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)

    def close(self) -> None:
        self.kill()
        self.cloud.close()

    def starts(self) -> str:
        """Hands over; returns the id of the conversation."""
        source = {"type": "user", "userId": self.user}
        history = [
            {"source": source, "type": "text", "payload": {"text": "My parcel is lost"}},
            {"source": {"type": "bot"}, "type": "text", "payload": {"text": "One moment"}},
        ]
        given = {"userId": self.user, "title": "Lost", "messageHistory": history}
        return self.cloud.act("startHitl", **given)["conversationId"]

    def says(self, conversation: str, text: str) -> None:
        answer = self.cloud.say(conversation, {"text": text, "userId": self.user})
        assert answer.status_code == 200, answer.text

    def thread(self, number: int = 1) -> dict:
        return self._api.get(f"{self._server.url}/api/v1/threads/{self.user}.{number}").json()

    def stored(self, number: int = 1) -> list[tuple[str, str]]:
        """Returns role and text of what Lineup has."""
        path = f"/api/v1/threads/{self.user}.{number}/messages?limit=500"
        messages = self._api.get(self._server.url + path).json().get("messages", [])
        return [(message["role"], message["body"]) for message in messages]

    def answers(self, conversation: str) -> list[str]:
        """Returns what the team has said in Botpress."""
        messages = self.cloud.stored["messages"].values()
        theirs = [one for one in messages if one["conversationId"] == conversation]
        return [one["payload"]["text"] for one in theirs if "userId" in one]

    def events(self) -> list[str]:
        return [event["type"] for event in self.cloud.stored["events"].values()]

    def wait_until_stored(self, *messages: tuple[str, str], number: int = 1) -> None:
        wait_until(lambda: self.stored(number) == [*messages], 60, f"{messages}")

    def _is_up(self) -> bool:
        with suppress(requests.RequestException):
            return requests.get(f"{self.cloud.integration}/health", timeout=2).ok
        return False


@pytest.fixture
def bot(server, folder, tmp_path):
    made = Bot(server, folder, tmp_path)
    yield made
    made.close()


HISTORY = (("system", "Lost"), ("client", "My parcel is lost"), ("bot", "One moment"))


def test_a_hand_off_is_a_thread_until_the_team_closes_it(bot, mai):
    conversation = bot.starts()
    assert bot.starts() == conversation, "handed over twice is once"
    bot.wait_until_stored(*HISTORY)
    row = wait_until(lambda: bot.thread()["waiting_since"] and bot.thread())
    assert row["customer"]["name"] == "Lan"
    bot.says(conversation, "It had a clock in it")
    bot.cloud.say(conversation, {"imageUrl": "https://shop.example/clock.png"}, "image")
    said = [("client", "It had a clock in it"), ("bot", "https://shop.example/clock.png")]
    bot.wait_until_stored(*HISTORY, *said)

    mai.act(row["id"], "claim")
    wait_until(lambda: bot.events() == ["hitlAssigned"], what="the assignment")
    mai.reply(row["id"], "I am looking for it")
    wait_until(lambda: bot.answers(conversation) == ["I am looking for it"], what="the answer")
    [event] = bot.cloud.stored["events"].values()
    assert bot.cloud.stored["users"][event["payload"]["userId"]]["name"] == "Mai"

    def is_delivered() -> bool:
        delivery = mai.messages(row["id"])[-1]["delivery"]
        return delivery is not None and delivery["state"] == "delivered"

    wait_until(is_delivered, what="the receipt")
    mai.act(row["id"], "close")
    wait_until(lambda: bot.events() == ["hitlAssigned", "hitlStopped"], what="the end")

    other = bot.starts()
    assert other != conversation
    bot.wait_until_stored(*HISTORY, number=2)
    assert bot.thread(1)["open"] is False


def test_a_release_stops_it_unless_it_waits_for_a_colleague(bot, mai, server):
    server.create_desk("billing")
    conversation = bot.starts()
    id = wait_until(lambda: bot.thread().get("id"), what="the thread")
    act = mai.act(id, "claim").json()["act"]
    mai.post("threads/undo", {"acts": [act]})
    mai.act(id, "claim")
    mai.post(f"threads/{id}/assign", {"admin_id": None, "desk": "billing"})
    mai.reply(id, "A colleague will help")
    wait_until(lambda: bot.answers(conversation), what="the answer")
    assert "hitlStopped" not in bot.events()
    mai.act(id, "claim")
    mai.act(id, "release")
    wait_until(lambda: bot.events()[-1] == "hitlStopped", what="the end")
    wait_until(lambda: not bot.thread()["open"], what="the end in Lineup")


def test_the_bot_takes_it_back(bot, mai):
    conversation = bot.starts()
    wait_until(lambda: bot.thread().get("open"), what="the thread")
    for _ in range(2):
        bot.cloud.act("stopHitl", conversationId=conversation)
    wait_until(lambda: not bot.thread()["open"], what="the end")
    mai.reply(bot.thread()["id"], "Was it found?")
    wait_until(lambda: bot.answers(conversation) == ["Was it found?"], what="the answer")
    assert bot.events() == [], "Botpress has ended it itself"
    assert bot.starts() != conversation


def test_nothing_is_lost_or_said_twice_when_either_side_ends_meanwhile(bot, mai, server):
    conversation = bot.starts()
    id = wait_until(lambda: bot.thread().get("id"), what="the thread")
    server.kill()
    bot.says(conversation, "It had a clock in it")
    bot.kill()
    bot.start()
    server.start()
    bot.wait_until_stored(*HISTORY, ("client", "It had a clock in it"))

    bot.kill()
    mai.reply(id, "I am looking for it")
    wait_until(lambda: bot.cloud.webhooks[-1:] == [502], what="a webhook")
    server.kill()
    bot.start()
    server.start()
    wait_until(lambda: bot.answers(conversation) == ["I am looking for it"], what="the answer")

    # Botpress has stored the message, and the integration does not hear of it.
    bot.cloud.failing = 1
    mai.reply(id, "Found")
    mai.act(id, "close")
    wait_until(lambda: 503 in bot.cloud.webhooks, what="a refusal")
    wait_until(lambda: bot.events() == ["hitlStopped"], what="the end")
    assert bot.answers(conversation) == ["I am looking for it", "Found"]


def test_a_forged_webhook_is_refused_and_another_chatbots_thread_ignored(bot, mai, server):
    forged = {"webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
    assert bot.cloud.pass_on("{}", forged) == 401
    event = {"id": "x", "type": "message", "thread": "other", "customer": {"id": "c-9"}}
    event |= {"role": "client", "body": "Hi", "occurred_at": "2026-01-01T00:00:00Z"}
    posted = server.bot(server.create_key()).post(f"{server.url}/api/v1/events", json=event)
    mai.reply(posted.json()["thread_id"], "Hello")
    wait_until(lambda: bot.cloud.webhooks[-1:] == [204], what="the webhook")
    assert not bot.cloud.stored["messages"] and not bot.cloud.stored["conversations"]


def test_the_definition_names_what_is_implemented(folder):
    """The folder bp_modules is what `bp add hitl` makes."""
    shutil.copy(folder / "integration.definition.ts", folder / "definition.mjs")
    (folder / "bp_modules" / "hitl").mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).with_name("hitl.mjs"), folder / "bp_modules" / "hitl" / "index.mjs")
    text = (folder / "definition.mjs").read_text(encoding="utf-8")
    (folder / "definition.mjs").write_text(text.replace("/hitl", "/hitl/index.mjs"))
    program = """
      const { default: definition } = await import("./definition.mjs");
      const { default: integration } = await import("./integration.js");
      const names = ({ actions, channels }) =>
        [actions, channels.hitl.messages].map((one) => Object.keys(one).sort());
      console.log(JSON.stringify([definition, integration].map(names)));
      process.exit(0);
    """
    run = ["node", "--input-type=module", "--eval", program]
    given = os.environ | {"LINEUP_FILE": "", "LINEUP_SECRET": "whsec_" + "A" * 32}
    done = subprocess.run(run, cwd=folder, env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    defined, implemented = json.loads(done.stdout)
    assert defined == implemented
    assert defined[0] == ["createUser", "startHitl", "stopHitl"]
