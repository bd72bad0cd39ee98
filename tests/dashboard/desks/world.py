"""A desk with its admins, and beside it, in one of two worlds, the threads of another desk."""

import random
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import update

from dashboard.db.accounts import admin_desks
from dashboard.db.database import Database
from dashboard.db.lists import views
from dashboard.db.models.accounts import admins as admins_table
from dashboard.db.models.threads import threads
from dashboard.db.queues import definitions
from dashboard.errors import Problem
from dashboard.ingest.assigning import HandOver
from dashboard.ingest.customer_notes import NewNote
from dashboard.ingest.outgoing import Admin
from dashboard.ingest.replies import Reply
from dashboard.ingest.schema import tags_data
from dashboard.ingest.tagging import TagNames
from dashboard.transport.caller import Caller
from tests.dashboard.desks.queues import is_here, queue_of
from tests.dashboard.live.emitter import FakeEmitter
from tests.dashboard.live.queries.process import AtOnce
from tests.drivers.application import ApplicationDriver
from tests.drivers.audit import OPERATOR
from tests.support import SettableClock

OWN, OTHER = "main", "billing"
#: The ids of the admins: Lan sees the threads of her desk alone, Ken those of both, Boss all, Ida
#: those of the other desk.
LAN, KEN, BOSS, IDA = 1, 2, 3, 4
NAMES = {LAN: "Lan", KEN: "Ken", BOSS: "Boss", IDA: "Ida"}
#: Threads of Lan's desk, which are made first, and how many of the other desk come at most.
OWN_THREADS = 6
#: The time that one activity elsewhere takes, also in the world without that desk.
ACTIVITY_MS = 60_000


class FakeSockets(FakeEmitter):
    """Stands in for the sockets: keeps sent events, and the handlers of calls."""

    def register(self, handlers, observers) -> None:
        self.handlers, self.observers = handlers, observers

    def invalidate_sessions(self) -> None:
        """Sessions are not cached."""


class World:
    """Lan's desk; `is_full`: there is another desk, too, with threads that she does not see."""

    def __init__(self, head: Path, folder: Path, is_full: bool):
        self.is_full = is_full
        self.clock = SettableClock()
        folder.mkdir()
        self.database = Database(f"sqlite:///{shutil.copy(head, folder / 'lineup.sqlite')}")
        self.site = ApplicationDriver(self.database, self.clock, folder)
        self.services = self.site.services
        self.sockets = FakeSockets()
        self.services.sockets = self.sockets  # type: ignore[assignment]
        self.seconds = 1_000.0
        self.services.monotonic = lambda: self.seconds
        self.services.list_builder = AtOnce(self.site)  # type: ignore[arg-type, assignment]
        self.services.connect_sockets()
        self._posted = count(1)
        self.database.write(lambda connection: admin_desks.add(connection, OTHER, 0))
        self.lan = self.site.sign_in("Lan")
        for name, role in (("Ken", "admin"), ("Boss", "supervisor"), ("Ida", "admin")):
            self.site.create_admin(name, role)
        self._belongs(KEN, OWN, OTHER)
        self._belongs(IDA, OTHER)
        for number in range(1, OWN_THREADS + 1):
            self._own(number)
        self._act("claim", LAN, 2)
        self._act("claim", KEN, 3)
        self._act("close", KEN, 4)
        self._archive(4)
        tagging = self.services.tagging.change
        self._does(tagging, KEN, 5, TagNames(["vip"], []))
        self._act("reply", KEN, 1, self._note("@Lan, please look"))
        self._save_views_and_queues()
        #: Thread id to its name, of the threads of the other desk.
        self.hidden: dict[int, str] = {}
        self.services.reconciler.tick()
        self.colleagues = [self.connect(id) for id in (KEN, BOSS)]
        self.settle()

    def _save_views_and_queues(self) -> None:
        boss = {"name": "Mine", "query": "assigned:me", "sort": "arrival", "owner": "all"}
        self._view(boss)
        queue_of(self, self._view(boss | {"name": "Open", "query": "is:open"}), "pull", None)
        of_desk = self._view(boss | {"name": "Of the desk", "query": "is:waiting"}, OWN)
        queue_of(self, of_desk, "push", OWN)
        self._view_elsewhere(boss | {"name": "Secret", "query": "tag:secret"})
        is_here(self, LAN)
        # Room for every thread there: that she has none left would be no secret (Q66).
        is_here(self, IDA, accepting=True, capacity=10_000)

    def close(self) -> None:
        self.database.close()

    def elsewhere(self, seed: int) -> None:
        """Something happens to the threads of the other desk, if there is one."""
        at = self.clock()
        self.services.hand_outs.turn()
        if self.is_full:
            chosen = random.Random(seed)
            for _ in range(chosen.randint(1, 3)):
                self._happens_elsewhere(chosen)
                self.services.hand_outs.turn()
        self.clock.advance(at + ACTIVITY_MS - self.clock())
        self.services.due_queue.turn()
        # She stops accepting if she opens no thread in time: that fact is no secret (Q66). While
        # she does not accept any, threads wait there.
        is_here(self, IDA, accepting=seed % 5 == 0)
        self.services.hand_outs.turn()

    def settle(self) -> None:
        """Lets everything that is under way arrive."""
        self.seconds += 6
        self.services.live_lists.renew()
        self.services.broadcaster.notify(None)
        self.services.broadcaster.notify_queries()
        self.services.broadcaster.turn()
        for sid in [*self.sockets.unacknowledged]:
            self.sockets.acknowledge(sid)
        self.services.live_lists.view_totals.note()
        self.services.live_lists.view_totals.turn()
        self.services.broadcaster.delivery_updates.poll()
        self.services.queue_line.turn()
        self.services.queue_news.turn()
        self.services.view_changes.check()
        self.services.presence_tasks._feed.verify_once()
        self.services.presence_tasks._flush_people()
        self.services.admin_presence.viewers.flush()

    def connect(self, admin_id: int) -> Caller:
        """A socket of an admin, as it is after it has connected."""
        with self.database.read() as connection:
            role = (
                connection.execute(admins_table.select().where(admins_table.c.id == admin_id))
                .one()
                .role
            )
            seen = admin_desks.seen_by(connection, {admin_id: role})[admin_id]
        sid = f"socket-of-{admin_id}"
        caller = Caller(sid, admin_id, role, connection=sid, device=sid, desks=seen)
        for observer in self.sockets.observers:
            observer.on_connect(caller)
        for observer in self.sockets.observers:
            observer.on_ready(caller)
        return caller

    def colleagues_read(self, step: int) -> None:
        """Ken and Boss read and write a thread of the other desk, if there is one."""
        if self.hidden:
            thread = [*self.hidden][step % len(self.hidden)]
            for colleague in self.colleagues:
                self.call(colleague, "thread:open", {"id": thread})
                self.call(colleague, "thread:mode", {"id": thread, "mode": "typing"})

    def call(self, caller: Caller, event: str, given: Any) -> Any:
        return self.sockets.handlers[event](caller, (given,))

    def take(self, caller: Caller) -> list[tuple[str, Any]]:
        """Returns what the socket was sent since the last call, broadcasts included."""
        taken = [each for each in self.sockets.sent if each[0] in (None, caller.sid)]
        self.sockets.sent = []
        return sorted(((event, data) for _, event, data in taken), key=str)

    def own_happens(self, number: int) -> None:
        """Lets the customer of a thread of Lan's desk write."""
        self.site.say(f"t-{number}", f"hello again at {self.clock()}")

    def moves_away(self, thread_id: int) -> None:
        """A thread of Lan's desk goes to the other desk, where something may happen to it."""
        hand_over = self.services.assigning.hand_over
        self._does(hand_over, BOSS, thread_id, HandOver(None, desk=OTHER))
        if self.is_full:
            self.hidden[thread_id] = f"t-{thread_id}"

    def _own(self, number: int) -> None:
        self.site.say(f"t-{number}", f"hello, order {number}")

    def _belongs(self, admin_id: int, *names: str) -> None:
        self.database.write(lambda connection: admin_desks.save(connection, admin_id, names))

    def _view(self, body: dict[str, str], desk: str | None = None) -> views.View:
        draft = views.Draft(body["name"], body["query"], body["sort"], "UTC", None, desk)
        return self.database.write(lambda c: views.create(c, draft, BOSS, self.clock()))

    def _view_elsewhere(self, body: dict[str, str]) -> None:
        """Saves a view of the other desk, which is a queue; without that desk deletes both, as ids
        are numbered."""
        view = self._view(body, OTHER)
        queue = queue_of(self, view, "push", OTHER)
        if not self.is_full:
            self.database.write(lambda c: definitions.remove(c, queue))
            self.database.write(lambda c: views.remove(c, view, self.clock()))
        self.services.hand_outs.turn()

    def _act(self, action: str, admin_id: int, thread_id: int, *given: Any) -> None:
        self._does(getattr(self.services.actions, action), admin_id, thread_id, *given)

    def _archive(self, id: int) -> None:
        """Archives a closed thread, as time does."""
        archived = update(threads).where(threads.c.id == id, threads.c.closed).values(archived=True)
        self.database.write(lambda connection: connection.execute(archived))

    def _does(self, work: Any, admin_id: int, thread_id: int, *given: Any) -> None:
        """Runs an act of an admin who may do anything."""
        admin = Admin(admin_id, NAMES[admin_id], "supervisor")
        self.services.ingest.act(work, admin, thread_id, *given)

    def _happens_elsewhere(self, chosen: random.Random) -> None:
        """Adds a thread, or lets something happen to an existing one."""
        if not self.hidden or chosen.random() < 0.4:
            self._new_elsewhere(chosen)
            return
        thread = chosen.choice([*self.hidden])
        reply = Reply("An invoice", f"r-{chosen.random()}", False, None, True)
        work = chosen.choice(
            (
                lambda: self._writes_elsewhere(self.hidden[thread]),
                lambda: self._act("set_priority", KEN, thread, "urgent"),
                lambda: self._act("close", BOSS, thread),
                lambda: self._act("reopen", BOSS, thread),
                lambda: (self._act("close", BOSS, thread), self._archive(thread)),
                lambda: self._act("claim", KEN, thread),
                lambda: self._act("release", IDA, thread, "Secretly"),
                # Ida sees no other threads.
                lambda: self.services.ingest.act(
                    self.services.handing_out.pull,
                    Admin(IDA, "Ida", "admin", frozenset({OTHER})),
                ),
                lambda: self._does(self.services.assigning.hand_over, BOSS, thread, HandOver(KEN)),
                # By an admin who belonged to that desk before.
                lambda: self._act("reply", LAN, thread, reply),
                lambda: self._does(
                    self.services.tagging.change, KEN, thread, TagNames(["secret"], [])
                ),
                # By an admin who belonged to that desk before: she is not mentioned there.
                lambda: self._act("reply", KEN, thread, self._note("@Lan, @Boss: an invoice")),
                lambda: self._does(self.services.mentioning.read, BOSS, thread, 2**40),
                lambda: self._notes(thread),
                lambda: self._does(
                    self.services.snoozing.snooze, KEN, thread, self.clock() + 3_600_000, "reply"
                ),
            )
        )
        with suppress(Problem):
            # An act that does not fit the state of its thread is refused.
            work()

    def _writes_elsewhere(self, name: str) -> None:
        # A thread that moved there has the same customer in both worlds.
        customer = "hidden" if name.startswith("x-") else None
        self.site.say(name, "an invoice", "client", customer)

    def _notes(self, thread: int) -> None:
        """A note on the customer, unless Lan may see it: then the customer has a thread of hers."""
        number = self.hidden[thread].removeprefix("x-")
        note = NewNote(f"shop/only-{number}", "secretly", None)
        work = self.services.customer_notes.change
        boss = Admin(BOSS, "Boss", "supervisor")
        self.services.ingest.act(work, boss, OPERATOR, thread, note)

    def _note(self, body: str) -> Reply:
        return Reply(body, f"n-{next(self._posted)}", True)

    def _new_elsewhere(self, chosen: random.Random) -> None:
        number = next(self._posted)
        name = f"x-{number}"
        # A customer of their own, or one who has a thread at Lan's desk, too.
        customer = chosen.choice((f"only-{number}", "c-t-1"))
        whose = {"id": customer, "locale": "ja"}
        whose |= {"name": "Customer t-1"} if customer == "c-t-1" else {"name": "Mr Hidden"}
        whose |= {} if customer != "c-t-1" else {"locale": None}
        self.site.happens("thread.handoff", name, desk=OTHER)
        id = self.site.happens(
            "message", name, customer=whose, role="client", body="hello, an invoice, secretly"
        )
        self.site.happens("thread.tags", name, **tags_data(["secret"], []))
        self.hidden[id] = name


#: Members of JSON whose numbers count messages and acts of all threads.
_COUNTED = ("last_message_id", "seen_message_id", "message_id", "act", "newest_act_id")
#: Later times, in milliseconds, come from Redis' own clock; the worlds' clocks are earlier.
_REDIS_MS = 1_794_000_000_000
#: Ids of sessions, which come from random tokens.
_SESSION_ID = re.compile("[0-9a-f]{32}")
_RANDOM = re.compile(rb'(nonce="|"storage_key": ?"|"epoch": ?")[^"]+')


class Numbers:
    """Writes the ids of messages and acts, and names that are random, alike in both
    worlds: in the order in which they come."""

    def __init__(self) -> None:
        self._known: dict[Any, str] = {}

    def told(self, value: Any, kind: str = "") -> Any:
        if isinstance(value, dict):
            kind = self._kind(value)
            return {name: self._member(name, each, kind) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.told(each) for each in value]
        return value

    def _member(self, name: str, value: Any, kind: str) -> Any:
        if name == "epoch" and value:
            return "an epoch"
        if isinstance(value, int) and value > _REDIS_MS:
            return "a time"
        if name == "id" and isinstance(value, str) and _SESSION_ID.fullmatch(value):
            return "a session"
        if name == "id" and kind == "file" and isinstance(value, str):
            return self._known.setdefault(("file", value), f"file {len(self._known)}")
        is_counted = name in _COUNTED or (name == "id" and kind)
        if is_counted and isinstance(value, int):
            of = "act" if kind == "act" or name in ("act", "newest_act_id") else "message"
            return self._known.setdefault((of, value), f"{of} {len(self._known)}")
        return self.told(value)

    def _kind(self, value: dict[str, Any]) -> str:
        if "role" in value and ("body" in value or "received_at" in value):
            return "message"
        if "kind" in value and "thread_id" in value:
            return "act" if value["kind"] == "assigned" else "message"
        if "size" in value and "name" in value:
            return "file"
        return "act" if str(value.get("type", "")).startswith("thread.") else ""


def without_random(page: bytes) -> bytes:
    """Returns a page without the parts that differ between any two answers."""
    return _RANDOM.sub(rb"\1", re.sub(rb"'nonce-[^']+'", b"", page))


def both(head: Path, folder: Path) -> Iterator[World]:
    """The world in which Lan's desk is alone, and the one with another desk."""
    for name in ("alone", "full"):
        yield World(head, folder / name, name == "full")
