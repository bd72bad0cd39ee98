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
        self.may, self.heard = Event(), []
        self.checkpointer = SimpleNamespace(get_tuple=lambda config: None)

    def get_state(self, config):
        return SimpleNamespace(values={}, interrupts=(), next=())

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
