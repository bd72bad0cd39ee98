"""An agent on the example's connector that ends without a word at the moment KILLED_AT, once.

It asks the team twice in one node. The file KILLED_FILE says that it was killed already. The first
node lasts as long as there is a file KILLED_FILE.held.
"""

import os
import time
from pathlib import Path
from typing import Any

import agent
from connector import Connector
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

FILE = Path(os.environ["KILLED_FILE"])


def pass_by(moment: str) -> None:
    if os.environ["KILLED_AT"] == moment and not FILE.exists():
        FILE.touch()
        os._exit(1)


def greet(state: MessagesState) -> dict[str, Any]:
    pass_by("first node")
    while FILE.with_suffix(".held").exists():
        time.sleep(0.05)
    return {"messages": [AIMessage("Hello!")]}


def ask(state: MessagesState) -> dict[str, Any]:
    name = interrupt("Which name?")
    pass_by("answer")
    size = interrupt({"wanted": "size"})
    pass_by("last node")
    asked = sum(message.type == "human" for message in state["messages"])
    text = f"{asked} asked, {name['answers']} and {size['answers']}"
    return {"messages": [AIMessage(text)]}


class KilledConnector(Connector):
    def _run(self, *given: Any) -> None:
        pass_by("input")
        super()._run(*given)
        pass_by("output")

    def _settle(self, *given: Any) -> None:
        super()._settle(*given)
        pass_by("hand-off")


graph = StateGraph(MessagesState)
graph.add_node(greet)
graph.add_node(ask)
graph.add_edge(START, "greet")
graph.add_edge("greet", "ask")
graph.add_edge("ask", END)
agent.run(graph, KilledConnector)
