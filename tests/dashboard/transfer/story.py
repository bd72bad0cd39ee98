"""A random history of two chatbots and two admins, and what is compared after an import."""

import random
from contextlib import suppress
from typing import Any

from sqlalchemy import select

from dashboard.db.accounts import admin_desks, sources
from dashboard.db.database import Database
from dashboard.db.models.accounts import sources as sources_table
from dashboard.db.models.reports import report_facts
from dashboard.db.models.threads import customers, events, threads
from dashboard.db.models.threads import suggestions as suggestions_table
from dashboard.db.threads import conversations, messages, suggestions
from dashboard.db.threads import threads as stored
from dashboard.errors import Problem
from dashboard.event_types import ADVICE
from dashboard.ingest.actions import Actions, Admin
from dashboard.ingest.assigning import Assigning, HandOver
from dashboard.ingest.customer_notes import CustomerNotes, NewNote
from dashboard.ingest.replies import Reply
from dashboard.ingest.tagging import Tagging, TagNames
from dashboard.ingest.undo import Undo
from scoring.facts import Facts
from scoring.sorts import SORTS
from tests.dashboard.ingest.shop import Shop, customer_event, message, new_admin, thread_event
from tests.drivers.audit import OPERATOR
from tests.support import SettableClock

VIEWS = ("arrival", "not_respond", "history")
#: Columns of a thread that follow from an export. Ids of rows do not.
_COMPARED = (
    *(name for name in Facts._fields if name in threads.c and not name.endswith("seen_id")),
    *("recent_at", "waiting_since", "last_role", "preview_role", "preview_body", "preview_at"),
    *("tags", "desk", "has_file", "created_at"),
    *(f"score_{name}" for name in SORTS),
)


#: What events state of their customers.
_STATED = (
    {},
    {"name": None},
    {"name": "Mai", "member_status": 2},
    {"attributes": {"Orders": "3", "Plan": "Pro"}},
    {"attributes": {}},
)


class Story:
    """Random events and acts; the same seed gives the same, with or without advice of chatbots
    in between: late, early, and with outcomes."""

    def __init__(
        self, database: Database, clock: SettableClock, seed: int = 1, *, advises: bool = True
    ):
        self.advises, self.advised = advises, 0
        self.chance = random.Random(seed)
        self.database = database
        self.clock = clock
        self.random = random.Random(seed)
        self.shops = [Shop(database, clock, name) for name in ("shop", "blog")]
        self.at = 0
        database.write(lambda c: admin_desks.add(c, "sales", 0))
        database.write(lambda c: sources.set_desk(c, self.shops[1].source_id, "sales"))
        database.write(lambda c: sources.set_handoff_only(c, self.shops[1].source_id))
        self.admins = [Admin(new_admin(database, name), name) for name in ("Mai", "Linh")]
        self.acts: list[tuple[Admin, int]] = []
        self.sent: list[int] = []

    def tell(self, steps: int) -> "Story":
        for _ in range(steps):
            self.clock.advance(self.random.choice((0, 1, 700)))
            some = (self._batch, self._batch, self._edit, self._reply, self._act, self._act)
            some += (self._others,)
            self.random.choice(some)()
        self._note()
        return self

    def _batch(self) -> None:
        """Events that come together, of several threads, some of the same time, late or early."""
        shop = self.random.choice(self.shops)
        shop.send(*[self._event(self._thread()) for _ in range(self.random.randrange(1, 9))])
        if self.advises:
            self._advise(shop)

    def _advise(self, shop: Shop) -> None:
        """Advice about any message of the chatbot, by either name; some is dismissed."""
        named = select(events.c.id, events.c.external_id, threads.c.external_id, threads.c.id)
        theirs = named.join(threads, threads.c.id == events.c.thread_id).where(
            events.c.role.is_not(None),
            events.c.private.is_(False),
            events.c.source_id == shop.source_id,
        )
        with shop.database.read() as connection:
            rows = connection.execute(theirs.order_by(events.c.id)).all()
        if not rows:
            return
        id, name, thread, thread_id = self.chance.choice(rows[-3:] + rows)
        at = self.at + self.chance.choice((-90_000, 0, 700))
        type, member = self.chance.choice((*ADVICE.items(), ("thread.suggestion", "for_message")))
        about = {member: self.chance.choice((id, name))}
        body = self.chance.choice(("Chào", "配送\n“x”"))
        given = {"id": f"advice-{self.advised}", "thread": thread, "body": body, **about}
        assert shop.send(thread_event(type, at, **given)).outcomes[0].status == "created"
        self.advised += 1
        if self.chance.random() < 0.2:
            for one in self._undecided(thread_id)[:1]:
                admin = self.chance.choice(self.admins)
                self._actions.dismiss_suggestion(admin, thread_id, one)

    def _undecided(self, thread_id: int) -> list[int]:
        with self.database.read() as connection:
            return [one.id for one in suggestions.undecided(connection, thread_id)]

    def _edit(self) -> None:
        """Edits or deletes a message of a chatbot; some come late, and change nothing."""
        shop = self.random.choice(self.shops)
        with self.database.read() as connection:
            said = connection.execute(
                select(events.c.external_id, threads.c.external_id)
                .join(threads, threads.c.id == events.c.thread_id)
                .where(events.c.source_id == shop.source_id, events.c.role.in_(("client", "bot")))
                .order_by(events.c.id)
            ).all()
        for name, thread in self.random.sample(said, min(2, len(said))):
            at, type = self.at + self.random.choice((0, -500)), "message.edited"
            more: dict[str, Any] = {"body": self.random.choice(("Chào lại", "訂正\u2028"))}
            if self.random.random() < 0.3:
                type, more = "message.deleted", {}
            elif self.random.random() < 0.3:
                more["attachments"] = [{"url": "https://x.example/c.png", "name": "c d"}]
            shop.send(thread_event(type, at, thread=thread, message=name, **more))

    def _event(self, thread: str) -> Any:
        self.at += self.random.choice((0, 0, 1, 500, -3_000))
        kind = self.random.randrange(10)
        if kind == 0:
            return thread_event("thread.close", self.at, thread=thread)
        if kind == 1:
            more = self.random.choice(({}, {"desk": "sales"}, {"desk": "main"}))
            return thread_event("thread.handoff", self.at, thread=thread, **more)
        if kind == 2:
            change = {"add": [self.random.choice("abc")], "remove": ["d"]}
            return thread_event("thread.tags", self.at, thread=thread, **change)
        if kind == 3:
            priority = self.random.choice(("urgent", "low"))
            return thread_event("thread.priority", self.at, thread=thread, priority=priority)
        fields = self.random.choice(_STATED)
        role = self.random.choice(("client", "client", "bot", "admin"))
        files = [{"url": "https://x.example/é.png"}, {"url": "https://x.example", "name": "a b"}]
        return message(
            self.at,
            self.random.choice(("Xin chào", "配送\t…\n\u2028", "“x” \\N")),
            thread=thread,
            customer=f"c-{thread[2:]}",
            fields=fields,
            role=role,
            private=self.random.random() < 0.2,
            attachments=files if self.random.random() < 0.2 else [],
        )

    def _reply(self) -> None:
        id, admin = self._id(), self.random.choice(self.admins)
        if id is None:
            return
        reply = Reply("Chào", f"tok{self.random.random()}", self.random.random() < 0.2)
        taken = self.chance.choice([None, *self._undecided(id)])
        result, _ = self._actions.reply(admin, id, reply._replace(confirm=True, suggestion=taken))
        if not reply.private:
            self.sent.append(result.message["id"])

    def _act(self) -> None:
        id, admin = self._id(), self.random.choice(self.admins)
        if id is None:
            return
        tagging, assigning = (
            Tagging(self.database, self.clock),
            Assigning(self.database, self.clock),
        )
        change = TagNames([self.random.choice("abcd")], ["e"])
        there = HandOver(None, desk=self.random.choice(("main", "sales")))
        what = self.random.randrange(6)
        if what == 5 and self.acts:
            by, act = self.random.choice(self.acts)
            with suppress(Problem):
                Undo(self.database, self.clock).undo(by, act)
            return
        made = [
            lambda: self._actions.close(admin, id),
            lambda: self._actions.reopen(admin, id),
            lambda: self._actions.set_priority(admin, id, "high"),
            lambda: tagging.change(admin, id, change),
            lambda: assigning.hand_over(admin, id, there),
            lambda: (None, ()),
        ][what]()[0]
        if isinstance(made, int):
            self.acts.append((admin, made))

    def _note(self) -> None:
        """One note on each customer who has a thread."""
        notes = CustomerNotes(self.database, self.clock)
        with self.database.read() as connection:
            people = connection.execute(
                select(threads.c.id, sources_table.c.name + "/" + customers.c.external_id)
                .join(customers, customers.c.id == threads.c.customer_id)
                .join(sources_table, sources_table.c.id == customers.c.source_id)
                .order_by(threads.c.id)
            ).all()
        for id, person in people:
            with suppress(Problem):
                new = NewNote(person, f"Ghi chú {id}", None)
                notes.change(self.admins[id % 2], OPERATOR, id, new)

    def _others(self) -> None:
        """Adds facts of customers, and receipts for sent messages."""
        shop = self.random.choice(self.shops)
        shop.send(customer_event(self.at, customer=f"c-{self.random.randrange(8)}", locale="vi"))
        for id in self.sent[-1:]:
            state = self.random.choice(("delivered", "read", "failed"))
            for each in self.shops:
                each.send(thread_event("receipt", self.at, thread=None, message_id=id, state=state))

    @property
    def _actions(self) -> Actions:
        return Actions(self.database, self.clock)

    def _thread(self) -> str:
        # Not in the order of their names: ids decide between equal times.
        return f"t-{self.random.choice((7, 3, 5, 1, 6, 2, 4, 0))}"

    def _id(self) -> int | None:
        with self.database.read() as connection:
            found = connection.scalars(select(threads.c.id).order_by(threads.c.id)).all()
        return self.random.choice(found) if found else None


def state_of(database: Database) -> dict[str, Any]:
    """Threads, customers, conversations and lists, by names instead of ids."""
    with database.read() as connection:
        rows = connection.execute(
            select(threads.c.id, sources_table.c.name, threads.c.external_id,
                   *(threads.c[name] for name in _COMPARED))
            .join(sources_table, sources_table.c.id == threads.c.source_id)
            .order_by(threads.c.id)
        ).all()  # fmt: skip
        names = {row.id: f"{row.name}/{row.external_id}" for row in rows}
        shown = ("name", "member_status", "locale", "attributes", "note", "note_at")
        people = [customers.c[name] for name in shown]
        found = select(sources_table.c.name, customers.c.external_id, *people).join(
            sources_table, sources_table.c.id == customers.c.source_id
        )
        return {
            "threads": {names[row.id]: tuple(row)[1:] for row in rows},
            "order": [*names.values()],
            "customers": sorted(map(repr, connection.execute(found))),
            "messages": {name: _said(connection, id) for id, name in names.items()},
            "lists": {
                (view, sort): [
                    names[entry.id]
                    for entry in stored.listed(connection, view, "all", None, sort, 1_000)
                ]
                for view in VIEWS
                for sort in SORTS
            },
            "acts": {name: _acts(connection, id) for id, name in names.items()},
        }


def advice_of(database: Database) -> dict[str, Any]:
    """What admins see of advice in each thread, without ids; and the outcomes of suggestions."""
    shown = {}
    with database.read() as connection:
        for id, name in connection.execute(select(threads.c.id, threads.c.external_id)):
            advice = suggestions.advice(connection, id)
            bodies = advice and [one and one["body"] for one in advice]
            shown[name, id] = bodies, advice and advice.summary and advice.summary["through_at"]
        of_threads = select(
            suggestions_table.c.thread_id,
            *(suggestions_table.c[name] for name in ("outcome", "reason", "decided_at")),
        )
        outcomes = sorted(map(repr, connection.execute(of_threads)))
        counted = connection.execute(select(report_facts.c.kind, report_facts.c.at))
        return {"shown": shown, "outcomes": outcomes, "counted": sorted(map(tuple, counted))}


def _said(connection, id: int) -> list[tuple[Any, ...]]:
    found = messages.at(connection, id, None, 0, 10_000).messages
    return [
        (each["role"], each["body"], each["private"], each["at"], each["attachments"],
         each["author"] and each["author"]["name"], _edit_of(each))
        for each in found
    ]  # fmt: skip


def _edit_of(message: dict[str, Any]) -> tuple[int, bool] | None:
    return (message["edit"]["at"], message["edit"]["deleted"]) if "edit" in message else None


def _acts(connection, id: int) -> list[tuple[Any, ...]]:
    """Acts of admins that are events, as the conversation shows them.

    The acts of chatbots depend on which events came together. After an import, an act that undoes
    is like any other.
    """
    found = conversations.between(connection, id, None, None)
    types = ("thread.closed", "thread.reopened", "thread.priority_changed", "thread.tags_changed")
    mine = (each for each in found if each.admin_id is not None and "undoes" not in each.data)
    return [(each.type, each.at, each.admin_name) for each in mine if each.type in types]
