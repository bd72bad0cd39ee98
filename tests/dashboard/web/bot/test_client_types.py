"""The types of both SDKs: those of the API, and of use in a chatbot that is checked strictly."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.repository import ROOT
from tools import clients


@pytest.mark.parametrize(
    ("path", "made"),
    [(clients.PYTHON, clients.python_types), (clients.JAVASCRIPT, clients.javascript_types)],
    ids=["python", "javascript"],
)
def test_the_types_are_those_of_the_api(path, made):
    assert path.read_text(encoding="utf-8") == made(), "python -m tools.clients makes them anew"


def test_the_declarations_for_node_are_those_of_its_source():
    made = clients.javascript_declarations()
    there = {path: path.read_text(encoding="utf-8") for path in (clients.SDK / "types").iterdir()}
    assert there == made, "python -m tools.clients makes them anew"


TYPESCRIPT = """
import { lineup, Receiver, Sender } from "./lineup-client/types/index.js";
const client = lineup("https://desk.example", "key");
const sender: Sender = new Sender(client, { file: "bot.jsonl" });
new Receiver(client, "whsec_").on("message.created", (event) => {
  const body: string = event.data.body;
  sender.send({ type: "thread.handoff", thread: event.thread, desk: body });
});
const { data } = await client.GET("/threads/{thread}", { params: { path: { thread: "t-1" } } });
const id: number | undefined = data?.id;
const customer = { id: "c-7", name: "Mai" };
sender.send({ type: "message", thread: "t-1", customer, role: "client", body: "Where is it?" });
sender.send({ type: "thread.handoff", thread: "t-1" });
export { id };
"""
PYTHON = """
from lineup_client import Lineup, Receiver, Sender
from lineup_client.models import MessageCreated
lineup = Lineup("https://desk.example", "key")
sender = Sender(lineup)
def answered(event: MessageCreated) -> None:
    body: str = event["data"]["body"]
    sender.handoff(event["thread"], desk=body)
Receiver(lineup, "whsec_").on("message.created")(answered)
id: int = lineup.thread("t-1")["id"]
"""
TSC = [ROOT / "node_modules/.bin/tsc", "--noEmit", "--strict", "--allowJs", "--skipLibCheck"]
TSC += ["--target", "es2023", "--module", "nodenext"]
MYPY = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull]


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [("bot.mts", TYPESCRIPT, TSC), ("bot.py", PYTHON, MYPY)],
    ids=["typescript", "python"],
)
def test_strict_checks_find_a_mistake_in_a_chatbot_and_nothing_else(tmp_path, name, text, command):
    for folder in ("src", "types"):
        shutil.copytree(clients.SDK / folder, tmp_path / "lineup-client" / folder)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    environment = os.environ | {"MYPYPATH": str(ROOT / "clients" / "python")}
    for code in (text, text.replace("body;", "text;").replace('["body"]', '["text"]')):
        (tmp_path / name).write_text(code)
        done = subprocess.run(
            [*command, name], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert (done.returncode == 0) == (code == text), done.stdout + done.stderr
