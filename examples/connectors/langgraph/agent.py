"""An agent that answers some questions itself, and hands the others over to the team.

    python agent.py --lineup http://localhost:5000 --key lu_… --secret whsec_…

POST /say {"conversation", "id", "body"} takes a message of a customer, GET /messages?conversation=
returns the conversation. Lineup calls POST /hook.
"""

import argparse
import json
import sqlite3
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import Any
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from connector import Connector
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt
from lineup_client import Lineup, Receiver, Sender

#: The questions that it answers: a word in the question, and the answer.
KNOWN = {
    "open": "We are open from 9:00 to 18:00, Monday to Saturday.",
    "price": "Delivery is free from 30 euros.",
}


def answer(state: MessagesState) -> dict[str, Any]:
    question = str(state["messages"][-1].text).lower()
    known = next((text for word, text in KNOWN.items() if word in question), None)
    return {"messages": [AIMessage(known or "I will get somebody for you.")]}


def is_known(state: MessagesState) -> str:
    return END if state["messages"][-1].text in KNOWN.values() else "ask"


def ask(state: MessagesState) -> dict[str, Any]:
    """Waits for the team, and puts into the state what it said with the customer."""
    team = interrupt("The agent does not know the answer.")
    said = [
        HumanMessage(message["body"])
        if message["role"] == "client"
        else SystemMessage(f"{message['author']} of the team said: {message['body']}")
        for message in team["messages"]
    ]
    return {"messages": [*said, AIMessage("I am the bot again. Can I help you with more?")]}


def build() -> StateGraph[MessagesState]:
    graph = StateGraph(MessagesState)
    graph.add_node(answer)
    graph.add_node(ask)
    graph.add_edge(START, "answer")
    graph.add_conditional_edges("answer", is_known, [END, "ask"])
    graph.add_edge("ask", END)
    return graph


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *given: Any) -> None:
        """Logs nothing."""


def application(connector: Connector, receiver: Receiver) -> Callable[..., Iterable[bytes]]:
    def call(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/hook":
            return receiver.wsgi(environ, start_response)
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        if environ["PATH_INFO"] == "/say":
            try:
                connector.say(**json.loads(body))
            except (TypeError, ValueError):
                start_response("400 Bad Request", [])
                return []
        query = parse_qs(environ.get("QUERY_STRING", ""))
        messages = [connector.read(name) for name in query.get("conversation", [])]
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(messages[0] if messages else None).encode()]

    return call


def run(graph: StateGraph[Any], make: type[Connector] = Connector) -> None:
    arguments = argparse.ArgumentParser(description="An agent in front of Lineup.")
    arguments.add_argument("--lineup", default="http://localhost:5000", help="address of Lineup")
    arguments.add_argument("--key", required=True, help="from create-key")
    arguments.add_argument("--secret", required=True, help="from create-webhook")
    arguments.add_argument("--port", type=int, default=8080)
    arguments.add_argument("--file", default="agent.sqlite", help="SQLite file")
    options = arguments.parse_args()
    checkpoints = sqlite3.connect(f"{options.file}.graph", check_same_thread=False)
    compiled = graph.compile(checkpointer=SqliteSaver(checkpoints))
    lineup = Lineup(options.lineup, options.key)
    sender = Sender(lineup, options.file)
    receiver = Receiver(lineup, options.secret, options.file)
    connector = make(compiled, sender, receiver)
    with sender, receiver:
        app = application(connector, receiver)
        make_server("127.0.0.1", options.port, app, Server, Quiet).serve_forever()


if __name__ == "__main__":
    run(build())
