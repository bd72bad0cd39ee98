"""The connector of LangGraph, over a graph of the test's: what it does in which of its threads."""

import sys
from importlib import import_module
from threading import Event
from types import ModuleType, SimpleNamespace

import pytest
from lineup_client import Lineup, Receiver, Sender

from tests.repository import ROOT
from tests.support import wait_until

SECRET = "whsec_" + "A" * 32
#: What the connector takes from LangGraph, which the project does not need.
NAMES = {"langgraph.checkpoint.serde.types": "RESUME", "langgraph.types": "Command"}


@pytest.fixture
def module(monkeypatch):
    for name, member in NAMES.items():
        made = ModuleType(name)
        setattr(made, member, member)
        monkeypatch.setitem(sys.modules, name, made)
    monkeypatch.syspath_prepend(str(ROOT / "examples/connectors/langgraph"))
    yield import_module("connector")
    sys.modules.pop("connector")


class Graph:
    """Answers each message; in the conversation "slow" only once it may."""

    def __init__(self):
        self.may, self.heard, self.said = Event(), [], []
        self.checkpointer = SimpleNamespace(get_tuple=lambda config: None)

    def get_state(self, config):
        return SimpleNamespace(values={"messages": self.said}, interrupts=(), next=())

    def invoke(self, given, config, durability):
        conversation = config["configurable"]["thread_id"]
        if conversation == "slow":
            assert self.may.wait(60)
        self.heard.append((conversation, given["messages"][0]["content"]))


@pytest.fixture
def graph():
    made = Graph()
    yield made
    made.may.set()


@pytest.fixture
def connector(module, graph, tmp_path):
    lineup, file = Lineup("http://lineup.example", "key"), str(tmp_path / "agent.sqlite")
    return module.Connector(graph, Sender(lineup, file), Receiver(lineup, SECRET, file))


def test_a_customer_who_writes_a_lot_stops_nobody_else(connector, graph):
    for number in range(20):
        connector.say("slow", f"{number}", f"{number}")
    connector.say("other", "1", "Hello")
    wait_until(lambda: graph.heard == [("other", "Hello")], what="the other customer's message")
    graph.may.set()
    wait_until(lambda: len(graph.heard) == 21, what="all messages")
    assert graph.heard[1:] == [("slow", f"{number}") for number in range(20)]
    wait_until(lambda: not connector._worked, what="the end of the work")


def test_texts_that_lineup_would_refuse_are_cleaned_or_refused(connector, graph):
    graph.said = [
        SimpleNamespace(type="ai", id=f"b-{number}", text=text)
        for number, text in enumerate(("Yes\x07 \ud83d", "\u200b", "x" * 20_001))
    ]
    for wrong in ("\u200b", "\x07", "x" * 20_001):
        with pytest.raises(ValueError, match="20000"):
            connector.say("t", wrong[:5], wrong)
    connector.say("t", "1", "Hi\ud83d")
    wait_until(lambda: len(connector.read("t")) == 3, what="the answers")
    assert [message["body"] for message in connector.read("t")] == ["Hi", "Yes ", "x" * 20_000]
    assert graph.heard == [("t", "Hi")]
