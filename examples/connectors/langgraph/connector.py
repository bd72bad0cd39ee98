"""Connects a LangGraph agent with Lineup: `interrupt()` hands a conversation over to the team."""

import json
import logging
import uuid
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from sqlite3 import Connection
from threading import Timer
from typing import Any

from langgraph.checkpoint.serde.types import RESUME
from langgraph.types import Command
from lineup_client import Receiver, Sender, clean_text

log = logging.getLogger("lineup_langgraph")

FIRST_SECONDS, MOST_SECONDS, BODY_MAX = 0.5, 30.0, 20_000
#: Acts by which a person has a thread, or gives it back.
TAKES = ("message.created", "thread.assigned", "thread.reopened", "thread.desk_changed")
GIVES = ("thread.closed", "thread.released")
#: `holder`: bot or team. `asked`: the last message before the hand-off on which the graph waits.
#: `begun`: where the graph stood before it was given the input under way.
TABLES = (
    "CREATE TABLE IF NOT EXISTS conversations (id TEXT PRIMARY KEY, customer TEXT NOT NULL,"
    " holder TEXT NOT NULL DEFAULT 'bot', asked INTEGER, begun TEXT)",
    "CREATE TABLE IF NOT EXISTS messages (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
    " conversation TEXT NOT NULL, role TEXT NOT NULL, author TEXT NOT NULL, body TEXT NOT NULL,"
    " at TEXT NOT NULL, is_posted INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS inputs (number INTEGER PRIMARY KEY, conversation TEXT NOT NULL,"
    " value TEXT NOT NULL)",
)
ADD = (
    "INSERT OR IGNORE INTO messages (id, conversation, role, author, body, is_posted, at)"
    " VALUES (?, ?, ?, ?, ?, ?, max(?, ifnull((SELECT max(at) FROM messages"
    " WHERE conversation = ?), '')))"
)
NEXT = (
    "SELECT inputs.number, value, holder, asked, begun FROM inputs JOIN conversations"
    " ON id = conversation WHERE conversation = ? ORDER BY inputs.number LIMIT 1"
)
MESSAGES = (
    "SELECT number, role, author, body FROM messages WHERE conversation = ? AND number > ?"
    " AND number <= ifnull(?, number) AND role != 'unsaid' ORDER BY number"
)
HOLDER = "SELECT holder FROM conversations WHERE id = ?"
CUSTOMER = "SELECT customer FROM conversations WHERE id = ?"
LAST = "SELECT max(number) FROM messages WHERE conversation = ?"
UNPOSTED = "SELECT id, role, body, at FROM messages WHERE conversation = ? AND NOT is_posted"


class Connector:
    """Gives customers' messages to the graph, or to the team while a person has the thread.

    `graph`: compiled with a checkpointer. `sender` and `receiver` have the same file, in which the
    connector has its tables, too. A conversation is a thread of Lineup, and one of the graph. A
    graph with another state than `messages` needs other methods `to_input` and `replies`.
    """

    def __init__(self, graph: Any, sender: Sender, receiver: Receiver):
        self._graph, self._sender = graph, sender
        self._pool = ThreadPoolExecutor(8, "graph")
        self._worked: set[str] = set()
        with sender.transaction() as database:
            for table in TABLES:
                database.execute(table)
            for (conversation,) in database.execute("SELECT DISTINCT conversation FROM inputs"):
                self._wake(conversation)
        for type in TAKES + GIVES:
            receiver.on(type)(self._on_take if type in TAKES else self._on_give)

    def to_input(self, body: str) -> Any:
        """Makes a customer's message an input; for a graph whose state has `messages`."""
        return {"messages": [{"role": "user", "content": body}]}

    def replies(self, values: Any) -> Iterable[tuple[str, str]]:
        """Yields id and text of each answer in the state; for such a graph."""
        for message in values.get("messages", ()):
            if message.type == "ai" and str(message.text).strip():
                yield message.id, str(message.text)

    def say(self, conversation: str, id: str, body: str, customer: Any = None) -> None:
        """Takes a message of a customer, once for each id; it is safe as soon as this returns.
        `customer`: as Lineup takes it, such as {"id": "c-7"}. Raises ValueError as `clean_text`."""
        person, body = json.dumps(customer or {"id": conversation}), clean_text(body)
        with self._sender.transaction() as database:
            new = "INSERT OR IGNORE INTO conversations (id, customer) VALUES (?, ?)"
            database.execute(new, (conversation, person))
            if self._add(database, conversation, ("said", id), "client", "", body):
                if one(database, HOLDER, conversation) == "team":
                    self._post(database, conversation)
                else:
                    self._give(database, conversation, {"message": body})

    def read(self, conversation: str, after: int = 0) -> list[dict[str, Any]]:
        """Returns what the customer sees: messages with number, role, author and body."""
        with self._sender.transaction() as database:
            return messages(database, conversation, after)

    def _on_take(self, event: Any) -> None:
        conversation, data = event["thread"], event["data"]
        with self._sender.transaction() as database:
            holder = one(database, HOLDER, conversation)
            if holder is None:
                return
            if event["type"] == "message.created":
                author = (data["author"] or {}).get("name", "")
                body = "\n".join([data["body"], *(file["url"] for file in data["attachments"])])
                id = ("lineup", str(data["id"]))
                if not self._add(database, conversation, id, "admin", author, body.strip()):
                    return  # its delivery was tried again
            if holder == "bot":
                self._set(database, conversation, holder="team")
                self._post(database, conversation)

    def _on_give(self, event: Any) -> None:
        conversation, is_release = event["thread"], event["type"] == "thread.released"
        if is_release and event["data"].keys() & {"queue", "returned", "desk"}:
            return  # it waits for another admin
        with self._sender.transaction() as database:
            if one(database, HOLDER, conversation) == "team":
                self._set(database, conversation, holder="bot")
                if is_release:
                    self._sender.send("thread.close", thread=conversation)
                value = {"ended": event["type"], "through": one(database, LAST, conversation)}
                self._give(database, conversation, value)

    def _give(self, database: Connection, conversation: str, value: Any) -> None:
        add = "INSERT INTO inputs (conversation, value) VALUES (?, ?)"
        database.execute(add, (conversation, json.dumps(value)))
        self._wake(conversation)

    def _wake(self, conversation: str) -> None:
        """Called in a transaction, as is the end of the work in `_step`: so no input is missed."""
        if conversation not in self._worked:
            self._worked.add(conversation)
            self._start(conversation, FIRST_SECONDS)

    def _start(self, conversation: str, seconds: float) -> None:
        with suppress(RuntimeError):  # the process ends
            self._pool.submit(self._work, conversation, seconds)

    def _work(self, conversation: str, seconds: float) -> None:
        try:
            while self._step(conversation):
                pass
        except Exception:
            log.exception("%s: trying again in %.1f s", conversation, seconds)
            timer = Timer(seconds, self._start, (conversation, min(MOST_SECONDS, 2 * seconds)))
            timer.daemon = True
            timer.start()

    def _step(self, conversation: str) -> bool:
        """Gives the graph its next input, and says what it answers; returns False without one."""
        config = {"configurable": {"thread_id": conversation}}
        with self._sender.transaction() as database:
            row = database.execute(NEXT, (conversation,)).fetchone()
            if row is None:
                self._worked.discard(conversation)
                return False
            number, value, holder, asked, begun = row
            given, is_given = json.loads(value), begun is not None
            if not is_given and holder == "bot" and ("message" in given or asked is not None):
                is_given, begun = True, self._position(config)
                self._set(database, conversation, begun=begun)
            said = messages(database, conversation, asked, given.get("through"))
        # Without it the team has the message, or the graph waits for nothing.
        if is_given:
            self._run(config, given, said, begun)
        with self._sender.transaction() as database:
            database.execute("DELETE FROM inputs WHERE number = ?", (number,))
            if is_given:
                self._settle(database, conversation, self._graph.get_state(config))
        return True

    def _run(self, config: Any, given: Any, said: list[dict[str, Any]], begun: str) -> None:
        state = self._graph.get_state(config)
        if self._position(config) == begun:
            if "message" in given:
                input = self.to_input(given["message"])
            else:
                answers = [message["body"] for message in said if message["role"] == "admin"]
                value = {"answers": answers, "messages": said, "ended": given["ended"]}
                input = Command(resume={interrupt.id: value for interrupt in state.interrupts})
            self._graph.invoke(input, config, durability="sync")
        elif state.next:
            # The graph has taken the input, and was killed, or a node has failed.
            self._graph.invoke(None, config, durability="sync")

    def _position(self, config: Any) -> str:
        """Returns where the graph stands, which changes as soon as it has taken an input."""
        found = self._graph.checkpointer.get_tuple(config)
        if found is None:
            return ""
        answers = [value for _, channel, value in found.pending_writes or () if channel == RESUME]
        interrupts = [interrupt.id for interrupt in self._graph.get_state(config).interrupts]
        return json.dumps([found.checkpoint["id"], answers, interrupts], default=str)

    def _settle(self, database: Connection, conversation: str, state: Any) -> None:
        """Says what the graph answers, unless a person has the thread by now, or hands over."""
        role = "bot" if one(database, HOLDER, conversation) == "bot" else "unsaid"
        for id, body in self.replies(state.values):
            with suppress(ValueError):  # it shows nothing
                said = clean_text(body[:BODY_MAX])
                self._add(database, conversation, ("graph", id), role, "", said)
        self._set(database, conversation, begun=None, asked=None)
        if not state.interrupts:
            return
        person = self._post(database, conversation)
        for value in (interrupt.value for interrupt in state.interrupts):
            text = value if isinstance(value, str) else json.dumps(value, default=str)
            self._sender.message(conversation, person, "system", text[:BODY_MAX] or "…")
        self._sender.handoff(conversation)
        self._set(database, conversation, holder="team", asked=one(database, LAST, conversation))

    def _add(
        self, database: Connection, conversation: str, key: Sequence[str], role: str, *text: str
    ) -> bool:
        """Stores a message, no earlier than the last one; returns whether it is a new one."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        id = uuid.uuid5(uuid.NAMESPACE_OID, "/".join([conversation, *key])).hex
        values = (id, conversation, role, *text, role in ("admin", "unsaid"), now, conversation)
        return bool(database.execute(ADD, values).rowcount)

    def _post(self, database: Connection, conversation: str) -> Any:
        """Sends all messages that Lineup does not have; returns the customer."""
        person, row = json.loads(one(database, CUSTOMER, conversation)), (conversation,)
        for id, role, body, at in database.execute(UNPOSTED, row).fetchall():
            self._sender.message(conversation, person, role, body, id=id, occurred_at=at)
        database.execute("UPDATE messages SET is_posted = 1 WHERE conversation = ?", row)
        return person

    def _set(self, database: Connection, conversation: str, **values: Any) -> None:
        columns = ", ".join(f"{name} = ?" for name in values)
        query = f"UPDATE conversations SET {columns} WHERE id = ?"
        database.execute(query, (*values.values(), conversation))


def messages(
    database: Connection, conversation: str, after: int | None, through: int | None = None
) -> list[dict[str, Any]]:
    rows = database.execute(MESSAGES, (conversation, after, through))
    return [dict(zip(("number", "role", "author", "body"), row, strict=True)) for row in rows]


def one(database: Connection, query: str, conversation: str) -> Any:
    row = database.execute(query, (conversation,)).fetchone()
    return row and row[0]
