"""Presence of this worker's sockets: who they are, what they watch, how alive they are."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from redis.exceptions import RedisError

from dashboard.attendance.attendance import Attendance, PresenceUnavailable, described
from dashboard.errors import FieldError, Invalid, NotFound, StorageUnavailable
from dashboard.live.answers import Answer, Caller
from dashboard.live.outlet import Outlet
from dashboard.live.packets import Fragment, encode
from dashboard.live.presence_calls import MODE, PONG, WATCH, settings
from dashboard.live.viewers import Viewers
from presence.errors import RoomFull, TooMany
from presence.heartbeats import Heartbeats
from presence.people import Connection
from presence.rooms import Place
from presence.states import State, Viewer
from presence.watchers import Watchers

log = logging.getLogger(__name__)

#: An admin as every colleague sees them; no admin has the id 0.
_COLLEAGUE = Viewer("0")
_PING = Fragment(encode({}))
#: Where a reply is written; what is written elsewhere is not for the customer.
REPLY = "reply"

Call = Callable[[Caller, tuple[Any, ...]], Answer]


@dataclass
class _Here:
    """A socket that is here; `hidden_since` by this worker's monotonic clock, in seconds."""

    caller: Caller
    connection: Connection
    ping_at: float
    hidden_since: float | None = None
    idle_ms: int = 0


class Presence:
    """Answers the calls of presence, and keeps what its sockets were told equal to what is so.

    Redis may be away: then what they were told stays, and all is made good when it is back.
    """

    def __init__(
        self,
        attendance: Attendance,
        viewers: Viewers,
        outlet: Outlet,
        clock: Callable[[], int],
        monotonic: Callable[[], float] = time.monotonic,
        writes: Callable[[int, int], object] = lambda thread_id, admin_id: None,
    ):
        self._writes = writes
        self._attendance = attendance
        self._outlet = outlet
        self._clock = clock
        self._monotonic = monotonic
        self._here: dict[str, _Here] = {}
        self._shown: dict[int, bool] = {}
        self.viewers = viewers
        viewers.ask(self._is_contact)
        self.heartbeats = Heartbeats(attendance.admins, attendance.admin_settings)
        relations = attendance.relations
        self.watchers: dict[str, Watchers] = {
            "customer": Watchers(
                attendance.customers, partial(self._publish, "customer"), relations.of_customers
            ),
            "admin": Watchers(
                attendance.admins,
                partial(self._publish, "admin"),
                relations.of_admins,
                on_lost=self.heartbeats.mark_all,
            ),
        }

    def arrive(self, caller: Caller) -> None:
        """A socket is there, though nothing has been told of it yet."""
        period = self._attendance.timing.ping_ms / 1_000
        connection = Connection(
            str(caller.admin_id), caller.connection or caller.sid, device=caller.device
        )
        ping_at = self._monotonic() + random.random() * period
        self._here[caller.sid] = _Here(caller, connection, ping_at)

    def greet(self, caller: Caller) -> None:
        """The socket's admin is online."""
        here = self._here.get(caller.sid)
        if here is None:
            return
        person = here.connection.person
        try:
            self.heartbeats.add(here.connection)
            self._learn_whether_shown(caller.admin_id)
        except Exception as error:
            # The next flush opens it.
            self.heartbeats.mark(person, here.connection.id)
            log.warning("an admin is here, and presence does not know yet: %s", error)
        if caller.sid not in self._here:
            self._safely(self.heartbeats.drop, person, here.connection.id)

    def gone(self, sid: str, reason: str) -> None:
        """The socket is gone: for good, or for a moment, as its end says."""
        here = self._here.pop(sid, None)
        if here is None:
            return
        grace_ms = self._grace_ms(reason)
        for watchers in self.watchers.values():
            watchers.forget(sid)
        admin_id = here.caller.admin_id
        if all(other.caller.admin_id != admin_id for other in self._here.values()):
            self._shown.pop(admin_id, None)
            self.watchers["admin"].forget(("shown", admin_id))
        self._safely(self.viewers.drop, sid, grace_ms)
        connection = here.connection
        self._safely(self.heartbeats.drop, connection.person, connection.id, grace_ms)

    def heard(self, sid: str) -> None:
        """Anything came from the socket: it lives."""
        here = self._here.get(sid)
        if here is not None:
            self.heartbeats.mark(here.connection.person, here.connection.id)

    def drain(self) -> None:
        """The worker stops: its admins have time to come back elsewhere."""
        grace_ms = self._attendance.timing.drain_ms
        here, self._here = self._here, {}
        self._safely(self.heartbeats.drain)
        for sid in here:
            self._safely(self.viewers.drop, sid, grace_ms)

    def tick(self) -> None:
        """Pings those whose turn it is; notes whose window has been hidden for long."""
        now, timing = self._monotonic(), self._attendance.timing
        for sid, here in list(self._here.items()):
            if now >= here.ping_at:
                here.ping_at = max(here.ping_at, now - 1) + timing.ping_ms / 1_000
                self._outlet.send(sid, "presence:ping", _PING)
            if here.hidden_since is not None and self._is_active(here) != here.connection.active:
                self._report(here)

    def is_shown(self, sid: str) -> bool:
        """Whether others may know where this socket is."""
        here = self._here.get(sid)
        return here is not None and self._shown.get(here.caller.admin_id, False)

    def calls(self, others: Mapping[str, Call]) -> dict[str, Call]:
        """All calls: presence's own, and others that it has a part in."""
        return {
            **others,
            "presence:pong": self.pong,
            "presence:set": self.set,
            "presence:watch": self.watch,
            "thread:mode": self.change_mode,
            "thread:open": partial(self._open_thread, others["thread:open"]),
            "thread:close": partial(self._close_thread, others["thread:close"]),
        }

    def pong(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        asked = PONG.read(given)
        here = self._here.get(caller.sid)
        if here is not None:
            here.idle_ms = asked["idle_ms"]
            if asked["visible"]:
                here.hidden_since = None
            elif here.hidden_since is None:
                here.hidden_since = self._monotonic()
            self.viewers.beat(caller.sid)
            self._report(here)
        return {}

    def set(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        """What an admin sets for themselves; answers all that is set then."""
        changes = settings(given)
        try:
            made = self._attendance.set_admin(caller.admin_id, changes)
        except RedisError as error:
            raise PresenceUnavailable() from error
        return {"settings": described(made, self._clock())}

    def watch(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        asked = WATCH.read(given)
        viewer = Viewer(str(caller.admin_id), truth=caller.role == "supervisor")
        watchers, added = self.watchers[asked["kind"]], asked["add"] or ()
        self._attendance.look_ups.by_admin(caller.admin_id, len(added))
        try:
            states = watchers.watch(caller.sid, viewer, added, asked["del"] or ())
        except TooMany as error:
            raise Invalid([FieldError("/add", "too_long", f"{error}.".capitalize())]) from error
        except (RedisError, OSError):
            # They are watched: what is so is told when it can be read.
            return {"presence": {}, "late": True}
        return {"presence": states}

    def change_mode(self, caller: Caller, given: tuple[Any, ...]) -> Answer:
        asked = MODE.read(given)
        if not self.viewers.is_in(caller.sid, asked["id"]):
            raise NotFound("This thread is not open.")
        shown = self.is_shown(caller.sid)
        self._safely(
            self.viewers.change, caller.sid, asked["id"], asked["mode"], asked["cursor"], shown
        )
        if shown and asked["mode"] == "typing" and (asked["cursor"] or {}).get("field") == REPLY:
            self._writes(asked["id"], caller.admin_id)
        return {}

    def reconsider(self) -> None:
        """Whoever may know of whom, asked anew: threads are assigned and answered meanwhile."""
        self.watchers["customer"].reconsider(list(self.watchers["customer"].contacts()))

    def _is_contact(self, sid: str, customer: str) -> bool:
        """Supervisors see the truth; where relations cannot be read, nobody is a contact."""
        here = self._here.get(sid)
        if here is None:
            return False
        if here.caller.role == "supervisor":
            return True
        try:
            return here.caller.admin_id in self._attendance.relations.contacts_of(customer)
        except StorageUnavailable:
            return False

    def _open_thread(self, open_thread: Call, caller: Caller, given: tuple[Any, ...]) -> Answer:
        answer = open_thread(caller, given)
        assert isinstance(answer, dict)
        here = self._here.get(caller.sid)
        if here is not None:
            place = Place(str(answer["thread_id"]), here.connection.person, here.connection.id)
            try:
                shown = self.is_shown(caller.sid)
                answer["viewers"] = self.viewers.join(caller.sid, place, shown)
            except (RedisError, OSError, RoomFull, TooMany) as error:
                log.info("who is in a thread cannot be told: %s", error)
        return answer

    def _close_thread(self, close_thread: Call, caller: Caller, given: tuple[Any, ...]) -> Answer:
        answer = close_thread(caller, given)
        self._safely(self.viewers.leave, caller.sid, given[0]["id"])
        return answer

    def _report(self, here: _Here) -> None:
        active, hidden = self._is_active(here), here.hidden_since is not None
        here.connection = here.connection._replace(active=active)
        person, name = here.connection.person, here.connection.id
        self._safely(self.heartbeats.report, person, name, active, hidden)

    def _is_active(self, here: _Here) -> bool:
        since, timing = here.hidden_since, self._attendance.timing
        hidden_ms = 0 if since is None else round((self._monotonic() - since) * 1_000)
        return timing.active(since is None, here.idle_ms, hidden_ms)

    def _learn_whether_shown(self, admin_id: int) -> None:
        person = str(admin_id)
        told = self.watchers["admin"].watch(("shown", admin_id), _COLLEAGUE, [person])
        self._show(admin_id, told[person])

    def _show(self, admin_id: int, state: State) -> None:
        """Hidden admins are in no thread; when they show themselves, they are."""
        shown = state["status"] != "offline"
        if self._shown.get(admin_id, False) == shown:
            return
        self._shown[admin_id] = shown
        sids = [sid for sid, one in self._here.items() if one.caller.admin_id == admin_id]
        self._safely(self.viewers.show if shown else self.viewers.hide, sids)

    def _publish(self, kind: str, watcher: Any, states: dict[str, State]) -> None:
        if isinstance(watcher, tuple):
            for state in states.values():
                self._show(watcher[1], state)
            return
        data = Fragment(encode({"kind": kind, "presence": states}))
        self._outlet.send(watcher, "presence:update", data)

    def _grace_ms(self, reason: str) -> int:
        timing = self._attendance.timing
        if reason == "server disconnect":
            return 0
        return timing.page_closed_ms if reason == "client disconnect" else timing.dropped_ms

    def _safely(self, work: Callable[..., Any], *given: Any) -> None:
        """What cannot be told now shows by itself: by silence, or at the next beat."""
        try:
            work(*given)
        except (RedisError, OSError, RoomFull) as error:
            log.info("presence could not be told: %s", error)
