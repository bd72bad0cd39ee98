"""Both SDKs while the chatbot, Lineup and the network between them fail at random moments."""

import itertools
import json
import os
import random
import re
import socket
import sqlite3
import subprocess
import sys
import threading
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import pytest
import requests

from tests.drivers.admin import AdminDriver
from tests.repository import ROOT
from tests.servers.lineup import LiveServer
from tests.servers.ports import free_port
from tests.servers.redis import start_redis
from tests.servers.wire import Wire
from tests.support import wait_until

pytestmark = pytest.mark.slow

ROUNDS = 200
THREADS = [f"t-{number}" for number in range(4)]


@pytest.fixture
def server(tmp_path):
    redis = start_redis(tmp_path)
    url = f"sqlite:///{tmp_path / 'lineup.sqlite'}"
    with LiveServer(url, redis.url, LINEUP_WEBHOOK_PRIVATE="1") as made:
        yield made
    redis.close()


class Bot:
    """The chatbot's process, and the network between it and Lineup."""

    def __init__(self, server: LiveServer, folder: Path, language: str):
        self._is_python = language == "python"
        self.file = folder / "bot"
        self.wire = Wire(lambda: socket.create_connection(("127.0.0.1", server.port)))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        key = server.create_key()
        words = ["create-webhook", "--source", "shop", "--url", f"{self.url}/"]
        secret = server.command(*words).split()[1]
        name = "client_bot.py" if self._is_python else "client_bot.mjs"
        program = Path(__file__).with_name(name)
        url = f"http://127.0.0.1:{self.wire.port}"
        run = sys.executable if self._is_python else "node"
        self._command = [run, program, url, key, secret, self.file, str(self.port)]

    def start(self) -> None:
        environment = os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")}
        self._process = subprocess.Popen(self._command, env=environment, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(10)

    def answers(self) -> dict[str, list[str]]:
        """What the team answered in each thread, as the handler has written it."""
        found = defaultdict(list)
        if not self._is_python:
            lines = Path(f"{self.file}.answers").read_text().splitlines()
            # After a kill the last one comes again, and no other one.
            for _, thread, body in dict.fromkeys(tuple(json.loads(line)) for line in lines):
                found[thread].append(body)
            return found
        with suppress(sqlite3.OperationalError), sqlite3.connect(self.file, timeout=30) as file:
            for thread, body in file.execute("SELECT * FROM answers ORDER BY rowid"):
                found[thread].append(body)
        return found


class Person:
    """Says one thing after the other, each until it was accepted, and a last one in each thread."""

    def __init__(self, say):
        self.said: dict[str, list[str]] = defaultdict(list)
        self._say, self._over = say, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        for number in itertools.count():
            self._says(THREADS[number % len(THREADS)], f"{number}")
            if self._over.wait(0.05):
                break
        for thread in THREADS:
            self._says(thread, f"last-{thread}")

    def _says(self, thread: str, text: str) -> None:
        wait_until(lambda: self._is_accepted(thread, text), 60, f"{text} being accepted")
        self.said[thread].append(text)

    def _is_accepted(self, thread: str, text: str) -> bool:
        with suppress(requests.RequestException):
            return bool(self._say(thread, text))
        return False


def disturb(bot: Bot, server: LiveServer, customer: Person) -> None:
    """Kills the chatbot or Lineup, or cuts the network between them, in a random order, each after
    a few more messages of the customer."""
    chance = random.Random(7)

    def said() -> int:
        return sum(map(len, customer.said.values()))

    def wait(most: int) -> None:
        goal = said() + chance.randrange(most)
        wait_until(lambda: said() >= goal, 60, "more messages")

    for _ in range(ROUNDS):
        wait(6)
        fault = chance.choice(["bot", "bot", "network", "network", "lineup"])
        if fault == "bot":
            bot.kill()
            bot.start()
        elif fault == "network":
            bot.wire.cut()
            wait(5)
            bot.wire.mend()
        else:
            server.kill()
            server.start()


def said_by_the_customer(mai: AdminDriver, server: LiveServer, thread_id: int) -> list[str]:
    """The customer's messages in the order of the desk."""
    path, found = f"{server.url}/admin/api/threads/{thread_id}/messages?limit=100", []
    while True:
        before = f"&before={found[0]['id']}" if found else ""
        page = mai.session.get(path + before).json()["messages"]
        if not page:
            return [one["body"] for one in found if one["role"] == "client"]
        found = page + found


@pytest.mark.parametrize("language", ["python", "node"])
def test_nothing_is_lost_twice_or_out_of_order(server, tmp_path, language):
    bot = Bot(server, tmp_path, language)
    bot.start()
    session = requests.Session()

    def say(thread, text):
        return session.post(f"{bot.url}/{thread}?id=m-{text}", data=text, timeout=5).ok

    customer = Person(say)
    mai = AdminDriver(server.url, server.sign_in(server.create_admin("Mai")))
    reader = server.bot(server.create_key())
    urls = {thread: f"{server.url}/api/v1/threads/{thread}" for thread in THREADS}
    wait_until(lambda: all(reader.get(url).ok for url in urls.values()), 60, "all threads")
    ids = {thread: reader.get(url).json()["id"] for thread, url in urls.items()}

    def reply(thread, text):
        given = {"body": text, "token": f"a-{text}", "private": False, "confirm": True}
        path = f"{server.url}/admin/api/threads/{ids[thread]}/replies"
        return mai.session.post(path, json=given, timeout=10).ok

    admin = Person(reply)
    disturb(bot, server, customer)
    for person in (customer, admin):
        person.stop()
        assert sum(map(len, person.said.values())) > 50

    def shown():
        return {thread: said_by_the_customer(mai, server, ids[thread]) for thread in THREADS}

    wait_until(lambda: shown() == customer.said, 120, "all messages")
    # What comes twice would stand before the last one.
    wait_until(lambda: bot.answers() == admin.said, 120, "all answers")
    bot.kill()
    bot.wire.close()


@pytest.mark.parametrize("language", ["python", "js"])
def test_the_fifteen_lines_of_the_readme_are_a_working_chatbot(server, tmp_path, language):
    text = (ROOT / "clients" / language / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 15
    if language == "js":
        code = code.replace('"lineup-client"', f'"{ROOT / "clients/js/src/index.js"}"')
    port, key = free_port(), server.create_key()
    words = ["create-webhook", "--source", "shop", "--url", f"http://127.0.0.1:{port}/"]
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "clients" / "python"),
        "LINEUP": server.url,
        "KEY": key,
        "SECRET": server.command(*words).split()[1],
        "PORT": str(port),
    }
    program = tmp_path / ("bot.py" if language == "python" else "bot.mjs")
    program.write_text(code, encoding="utf-8")
    command = [sys.executable if language == "python" else "node", program]
    bot = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        url = f"{server.url}/api/v1/threads/t-1"
        row = wait_until(lambda: server.bot(key).get(url).json().get("id"), 30, "the message")
        mai = AdminDriver(server.url, server.sign_in(server.create_admin("Mai")))
        mai.reply(row, "It is at your door.")
        assert bot.stdout.readline() == "t-1 It is at your door.\n"
    finally:
        bot.kill()
        bot.wait()
