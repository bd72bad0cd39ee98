"""The connector of LangGraph, with the real package, before a real Lineup."""

import itertools
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import requests

from tests.repository import ROOT
from tests.servers.ports import free_port
from tests.support import wait_until

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "examples" / "connectors" / "langgraph"
KILLED = Path(__file__).with_name("killed_agent.py")
CUSTOMER = {"id": "c-1", "name": "Lan"}
HELP = "I will get somebody for you."
BACK = "I am the bot again. Can I help you with more?"
OPEN = "We are open from 9:00 to 18:00, Monday to Saturday."


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """Returns a Python with the packages that the example's README names."""
    folder = tmp_path_factory.mktemp("langgraph")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    given = ["-r", EXAMPLE / "requirements.txt", ROOT / "clients" / "python"]
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([folder / "bin" / "python", *install, *given], check=True)
    return folder / "bin" / "python"


class Agent:
    """The agent's process, and its customer in the thread `t`."""

    def __init__(self, python: Path, server, folder: Path, program: Path, **environment: str):
        self._server, self.port = server, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        key = server.create_key()
        self._bot = server.bot(key)
        words = ["create-webhook", "--source", "shop", "--url", f"{self.url}/hook"]
        secret = server.command(*words).split()[1]
        self._command = [python, program, "--lineup", server.url, "--key", key, "--secret", secret]
        self._command += ["--port", str(self.port), "--file", str(folder / "agent.sqlite")]
        self._environment = os.environ | {"PYTHONPATH": str(EXAMPLE)} | environment
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self._command, env=self._environment)
        wait_until(self._is_up, what="the agent")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)

    def says(self, id: str, body: str) -> None:
        said = {"conversation": "t", "id": id, "body": body, "customer": CUSTOMER}
        assert requests.post(f"{self.url}/say", json=said, timeout=20).ok

    def shown(self) -> list[tuple[str, str]]:
        """Returns role and text of what the customer sees."""
        answer = requests.get(f"{self.url}/messages?conversation=t", timeout=20)
        return [(message["role"], message["body"]) for message in answer.json()]

    def stored(self) -> list[tuple[str, str]]:
        """Returns role and text of what Lineup has."""
        answer = self._bot.get(f"{self._server.url}/api/v1/threads/t/messages?limit=500")
        messages = answer.json().get("messages", [])
        return [(message["role"], message["body"]) for message in messages]

    def row(self) -> dict:
        return self._bot.get(f"{self._server.url}/api/v1/threads/t").json()

    def wait_until_shown(self, *messages: tuple[str, str]) -> None:
        wait_until(lambda: self.shown() == [*messages], 30, f"{messages}, not {self.shown()}")

    def wait_until_stored(self, *messages: tuple[str, str]) -> None:
        wait_until(lambda: self.stored() == [*messages], 60, f"{messages}, not {self.stored()}")

    def _is_up(self) -> bool:
        with suppress(requests.RequestException):
            return requests.get(f"{self.url}/messages", timeout=2).ok
        return False


@pytest.fixture
def agent(python, server, tmp_path):
    made = Agent(python, server, tmp_path, EXAMPLE / "agent.py")
    yield made
    made.kill()


def hand_over(agent: Agent) -> int:
    """Asks what the agent does not know; returns the thread's id."""
    agent.says("1", "My parcel is lost")
    agent.says("1", "My parcel is lost")
    asked = [("client", "My parcel is lost"), ("bot", HELP)]
    agent.wait_until_stored(*asked, ("system", "The agent does not know the answer."))
    assert agent.shown() == asked
    return agent.row()["id"]


def test_the_team_has_the_thread_from_the_hand_off_to_its_end(agent, mai):
    agent.says("0", "When are you open?")
    known = [("client", "When are you open?"), ("bot", OPEN)]
    agent.wait_until_shown(*known)
    assert agent.stored() == [], "the bot needs nobody"
    agent.says("1", "My parcel is lost")
    asked = [*known, ("client", "My parcel is lost"), ("bot", HELP)]
    reason = ("system", "The agent does not know the answer.")
    agent.wait_until_stored(*asked, reason)
    thread = wait_until(lambda: agent.row()["waiting_since"] and agent.row()["id"])

    # The agent knows this, but a person has the thread.
    agent.says("2", "Are you open at all?")
    held = [("client", "Are you open at all?")]
    agent.wait_until_stored(*asked, reason, *held)
    mai.reply(thread, "I am looking for it")
    held.append(("admin", "I am looking for it"))
    agent.wait_until_shown(*asked, *held)

    mai.act(thread, "close")
    agent.wait_until_shown(*asked, *held, ("bot", BACK))
    agent.says("3", "And the price?")
    agent.says("4", "You have a hole in your roof")
    wait_until(lambda: len(agent.shown()) == len(asked) + 7, what="both answers")
    agent.wait_until_stored(*asked, reason, *agent.shown()[len(asked) :], reason)
    assert agent.shown()[-1] == ("bot", HELP) and agent.row()["open"]


def test_a_release_gives_it_back_unless_it_waits_for_a_colleague(agent, mai, server):
    server.create_desk("billing")
    thread = hand_over(agent)
    act = mai.act(thread, "claim").json()["act"]
    mai.post("threads/undo", {"acts": [act]})
    mai.act(thread, "claim")
    mai.post(f"threads/{thread}/assign", {"admin_id": None, "desk": "billing"})
    agent.says("2", "Are you open?")
    wait_until(lambda: agent.stored()[-1] == ("client", "Are you open?"), what="the message")
    mai.act(thread, "claim")
    mai.reply(thread, "Yes")
    wait_until(lambda: agent.shown()[-1] == ("admin", "Yes"), what="the answer")
    assert ("bot", BACK) not in agent.shown() and agent.row()["assignee"]
    mai.act(thread, "release")
    wait_until(lambda: agent.shown()[-1] == ("bot", BACK), what="the bot")
    wait_until(lambda: not agent.row()["open"], what="the end in Lineup")


def test_a_person_who_takes_the_thread_unasked_silences_the_bot(agent, mai):
    thread = hand_over(agent)
    mai.act(thread, "close")
    wait_until(lambda: agent.shown()[-1] == ("bot", BACK), what="the bot")
    mai.reply(thread, "One more thing")
    wait_until(lambda: agent.shown()[-1] == ("admin", "One more thing"), what="the answer")
    agent.says("2", "When are you open?")
    wait_until(lambda: agent.stored()[-1] == ("client", "When are you open?"), what="the message")
    assert ("bot", BACK) in agent.stored(), "the team sees what the bot has said"
    mai.reply(thread, "At nine")
    wait_until(lambda: agent.shown()[-1] == ("admin", "At nine"), what="the answer")
    mai.act(thread, "close")
    wait_until(lambda: not agent.row()["open"], what="the end")
    ids = itertools.count()

    def is_answered() -> bool:
        agent.says(f"3-{next(ids)}", "Open?")
        # Not at once again: the last message would always be the customer's.
        with suppress(AssertionError):
            return wait_until(lambda: agent.shown()[-1] == ("bot", OPEN), 5, "an answer")
        return False

    wait_until(is_answered, what="the bot's having it again")


def test_nothing_is_lost_or_said_twice_when_either_side_ends_meanwhile(agent, mai, server):
    thread = hand_over(agent)
    agent.kill()
    mai.reply(thread, "I am looking for it")
    agent.start()
    wait_until(lambda: agent.shown()[-1] == ("admin", "I am looking for it"), what="the answer")

    server.kill()
    agent.says("2", "Thank you")
    agent.kill()
    agent.start()
    server.start()
    wait_until(lambda: agent.stored()[-1] == ("client", "Thank you"), what="the message")

    agent.kill()
    mai.reply(thread, "Found")
    mai.act(thread, "close")
    server.kill()
    server.start()
    agent.start()
    shown = [("client", "My parcel is lost"), ("bot", HELP), ("admin", "I am looking for it")]
    shown += [("client", "Thank you"), ("admin", "Found"), ("bot", BACK)]
    agent.wait_until_shown(*shown)
    reason = ("system", "The agent does not know the answer.")
    agent.wait_until_stored(*shown[:2], reason, *shown[2:5])


MOMENTS = ("input", "first node", "output", "hand-off", "answer", "last node")


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_graph_that_is_killed_goes_on_where_it_was(python, server, mai, tmp_path, moment):
    file = tmp_path / "killed"
    given = {"KILLED_AT": moment, "KILLED_FILE": str(file)}
    agent = Agent(python, server, tmp_path, KILLED, **given)

    def wait(condition, what: str) -> None:
        def holds() -> bool:
            if agent.process.poll() is not None:
                assert file.exists()
                agent.start()
            with suppress(requests.RequestException):
                return condition()
            return False

        wait_until(holds, what=what)

    agent.says("1", "Hi")
    reasons = [("system", "Which name?"), ("system", '{"wanted": "size"}')]
    wait(lambda: agent.stored()[-1:] == reasons[:1], "the hand-off")
    thread = agent.row()["id"]
    mai.reply(thread, "Lan")
    mai.act(thread, "close")
    wait(lambda: agent.stored()[-1:] == reasons[1:], "the second hand-off")
    mai.reply(thread, "Ten")
    mai.act(thread, "close")
    wait(lambda: agent.shown()[-1] == ("bot", "1 asked, ['Lan'] and ['Ten']"), "the end")
    said = [("client", "Hi"), ("bot", "Hello!"), ("admin", "Lan"), ("admin", "Ten")]
    assert agent.shown()[:-1] == said
    assert agent.stored() == [*said[:2], reasons[0], said[2], reasons[1], said[3]]
    assert file.exists(), "it was not killed"
    agent.kill()


def test_a_run_is_not_heard_once_a_person_has_the_thread(python, server, mai, tmp_path):
    held = tmp_path / "killed.held"
    given = {"KILLED_AT": "", "KILLED_FILE": str(tmp_path / "killed")}
    agent = Agent(python, server, tmp_path, KILLED, **given)
    agent.says("1", "Hi")
    reasons = [("system", "Which name?"), ("system", '{"wanted": "size"}')]
    for reason, answer in zip(reasons, ("Lan", "Ten"), strict=True):
        wait_until(lambda reason=reason: agent.stored()[-1:] == [reason], what="the hand-off")
        mai.reply(agent.row()["id"], answer)
        mai.act(agent.row()["id"], "close")
    so_far = [("client", "Hi"), ("bot", "Hello!"), ("admin", "Lan"), ("admin", "Ten")]
    so_far.append(("bot", "1 asked, ['Lan'] and ['Ten']"))
    agent.wait_until_shown(*so_far)

    held.touch()
    agent.says("2", "One more")
    mai.reply(agent.row()["id"], "I am still here")
    so_far += [("client", "One more"), ("admin", "I am still here")]
    agent.wait_until_shown(*so_far)
    held.unlink()
    wait_until(lambda: agent.stored()[-1] == reasons[0], what="the second hand-off")
    assert agent.shown() == so_far
    assert [body for _, body in agent.stored()].count("Hello!") == 1
    agent.kill()
