"""Presence of the admins with sockets at this worker, and the people these sockets watch."""

import logging
import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from redis.exceptions import RedisError

from dashboard.db.accounts.admin_desks import Desks
from dashboard.errors import FieldError, Invalid, NotFound, StorageUnavailable
from dashboard.presence.requests import (
    ModeRequest,
    PongRequest,
    PresenceSettings,
    WatchPeopleRequest,
)
from dashboard.presence.service import PresenceService, PresenceUnavailable, to_json
from dashboard.presence.viewers import Viewers
from dashboard.transport.caller import Answer, Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode
from dashboard.turns import turns
from dashboard.validation.field_errors import read_call
from presence.errors import RoomFull, TooMany
from presence.heartbeats import Heartbeats
from presence.people import Connection
from presence.rooms import Membership
from presence.states import State, Viewer, never_seen
from presence.timing import Timing
from presence.watchers import Watchers

#: The viewer of a call that adds no people.
_NOBODY = Viewer()
#: (kind, watcher, states that changed for it).
PublishStates = Callable[[str, Any, dict[str, State]], None]


class WatchedPeople:
    """Watches people for sockets. `by_kind`: watchers of customers, and watchers of admins.

    A socket may watch `MAX_WATCHED` people of both kinds together.
    """

    def __init__(
        self,
        presence_service: PresenceService,
        publish: PublishStates,
        on_admins_lost: Callable[[], None],
    ):
        relations = presence_service.relations
        self._presence_service = presence_service
        self._publish = publish
        #: The desks that the admin of each watching socket sees.
        self._desks: dict[str, Desks] = {}
        self.by_kind: dict[str, Watchers] = {
            "customer": Watchers(
                presence_service.customers, self._publish_customers, relations.of_customers
            ),
            "admin": Watchers(
                presence_service.admins,
                partial(publish, "admin"),
                relations.of_admins,
                on_lost=on_admins_lost,
            ),
        }

    def watch(self, caller: Caller, request: WatchPeopleRequest) -> Answer:
        """Answers `presence:watch`."""
        watchers, added = self.by_kind[request.kind], request.add or ()
        self._presence_service.limit_look_ups(("admin", caller.admin_id), len(added))
        elsewhere = sum(kind_watchers.count(caller.sid) for kind_watchers in self.by_kind.values())
        elsewhere -= watchers.count(caller.sid)
        removed = request.remove or ()
        hidden: dict[str, State] = {}
        if request.kind == "customer" and caller.desks is not None and added:
            customers = self._known(caller.desks, added)
            try:
                version = self._presence_service.customers.now_ms()
            except (RedisError, OSError):
                version = self._presence_service.clock()
            hidden = {person: never_seen(version) for person in added if person not in customers}
            added = [person for person in added if person in customers]
        self._desks[caller.sid] = caller.desks
        try:
            states = watchers.watch(
                caller.sid, viewer_of(caller), added, removed, elsewhere, turns.step
            )
        except TooMany as error:
            raise Invalid([FieldError("/add", "too_long", f"{error}.".capitalize())]) from error
        except (RedisError, OSError):
            # They are watched now; their states are sent when Redis is back.
            return {"presence": {}, "late": True}
        return {"presence": states | hidden}

    def _known(self, desks: Desks, people: Sequence[str]) -> Collection[str]:
        """Returns the customers, among `people`, that an admin of these desks may know."""
        return (
            people if desks is None else self._presence_service.known_customers.among(people, desks)
        )

    def _publish_customers(self, watcher: Any, states: dict[str, State]) -> None:
        """Publishes the states of the customers that the watcher may still know, and stops watching
        the others: their threads have gone to other desks."""
        desks = self._desks.get(watcher)
        try:
            customers = self._known(desks, [*states])
        except StorageUnavailable:
            # It is unknown which customers the admin may know.
            self.by_kind["customer"].publish_again(watcher, states)
            return
        self.by_kind["customer"].watch(watcher, _NOBODY, drop=states.keys() - {*customers})
        shown = {person: state for person, state in states.items() if person in customers}
        if shown:
            self._publish("customer", watcher, shown)

    def change_role(self, caller: Caller) -> None:
        """Makes the next flush send the differences between the old and the new role."""
        for watchers in self.by_kind.values():
            watchers.change_viewer(caller.sid, viewer_of(caller))

    def forget(self, sid: str) -> None:
        """Removes a socket that has disconnected."""
        self._desks.pop(sid, None)
        for watchers in self.by_kind.values():
            watchers.forget(sid)


def viewer_of(caller: Caller) -> Viewer:
    """Returns the viewer of a caller. Supervisors see the truth."""
    return Viewer(str(caller.admin_id), truth=caller.role == "supervisor")


@dataclass
class AdminSocket:
    """A connected socket; `ping_at` and `hidden_since` in seconds of the worker's monotonic clock.

    `connection` is its connection in Redis; `idle_ms`: time without input as last reported.
    """

    caller: Caller
    connection: Connection
    ping_at: float
    hidden_since: float | None = None
    idle_ms: int = 0

    def take_report(self, visible: bool, idle_ms: int, now: float) -> None:
        """Stores the browser's report about its window."""
        self.idle_ms = idle_ms
        if visible:
            self.hidden_since = None
        elif self.hidden_since is None:
            self.hidden_since = now

    def is_active(self, timing: Timing, now: float) -> bool:
        """Whether its admin counts as active now; a hidden window becomes idle by time alone."""
        hidden_ms = 0 if self.hidden_since is None else round((now - self.hidden_since) * 1_000)
        return timing.active(self.hidden_since is None, self.idle_ms, hidden_ms)


def grace_ms(timing: Timing, reason: str, is_draining: bool = False) -> int:
    """Returns the ms in which a disconnected socket may come back unnoticed. (R14, R18)

    `reason` is Socket.IO's: the server ended it (signed out), the page was closed or reloaded, or
    the network failed. `is_draining`: the worker stops and has told its clients to leave.
    """
    if reason == "server disconnect":
        return 0
    if is_draining:
        return timing.drain_grace_ms
    if reason == "client disconnect":
        return timing.page_closed_grace_ms
    return timing.dropped_grace_ms


#: Seconds for which the setting is cached: a change on another worker takes effect after that.
_CACHE_SECONDS = 1.0


class TypingShown:
    """Reads the setting `show_typing` from SQL: every worker writes it there first."""

    def __init__(self, presence_service: PresenceService, monotonic: Callable[[], float]):
        self._presence_service = presence_service
        self._monotonic = monotonic
        self._cache: dict[int, tuple[float, bool]] = {}

    def of(self, admin_id: int) -> bool:
        """Returns the admin's setting; False while SQL is away."""
        now = self._monotonic()
        until, shown = self._cache.get(admin_id, (now, False))
        if now < until:
            return shown
        person = str(admin_id)
        try:
            shown = self._presence_service.admin_settings([person])[person].show_typing
        except StorageUnavailable:
            return False
        self._cache = {id: entry for id, entry in self._cache.items() if now < entry[0]}
        self._cache[admin_id] = now + _CACHE_SECONDS, shown
        return shown

    def forget(self, admin_id: int) -> None:
        """Drops the cached setting of an admin, after a change of settings."""
        self._cache.pop(admin_id, None)


log = logging.getLogger(__name__)

#: A viewer who sees exactly what every colleague sees; no admin has the id 0.
_ANY_COLLEAGUE = Viewer("0")
_PING = EncodedJson(encode({}))
#: The field of a cursor in a reply; customers are not told of typing in any other field.
REPLY = "reply"

Handler = Callable[[Caller, tuple[Any, ...]], Answer]


class AdminPresence:
    """Handles the Socket.IO calls of presence, and publishes changes to this worker's sockets.

    While Redis is away sockets keep the last states; the tasks in tasks.py correct them later.
    `worker` names this process. `on_reply_typed(thread id, admin id)` is called while an admin
    types a reply.
    """

    def __init__(
        self,
        presence_service: PresenceService,
        viewers: Viewers,
        emitter: Emitter,
        worker: str = "",
        monotonic: Callable[[], float] = time.monotonic,
        on_reply_typed: Callable[[int, int], object] = lambda thread_id, admin_id: None,
    ):
        self._worker = worker
        self._on_reply_typed = on_reply_typed
        self._typing_shown = TypingShown(presence_service, monotonic)
        self._presence_service = presence_service
        self._emitter = emitter
        self._monotonic = monotonic
        self._sockets: dict[str, AdminSocket] = {}
        self._shown: dict[int, bool] = {}
        self._is_draining = False
        self.viewers = viewers
        viewers.set_contact_check(self._is_contact)
        self.heartbeats = Heartbeats(presence_service.admins, presence_service.admin_settings)
        self._people = WatchedPeople(presence_service, self._publish, self.heartbeats.mark_all)
        self.watchers = self._people.by_kind

    @property
    def has_sockets(self) -> bool:
        """Whether this worker holds any sockets."""
        return bool(self._sockets)

    def on_connect(self, caller: Caller) -> None:
        """Registers a connected socket; its admin is announced by `on_ready`."""
        period = self._presence_service.timing.ping_ms / 1_000
        name = caller.connection or caller.sid
        person = str(caller.admin_id)
        connection = Connection(person, name, caller.type, caller.device, self._worker)
        now = self._monotonic()
        socket = AdminSocket(caller, connection, now + random.random() * period)
        # Nobody has seen a hidden window since its last input.
        socket.take_report(caller.visible, caller.idle_ms, now - caller.idle_ms / 1_000)
        is_active = socket.is_active(self._presence_service.timing, now)
        socket.connection = connection._replace(active=is_active)
        self._sockets[caller.sid] = socket

    def on_ready(self, caller: Caller) -> None:
        """Announces the socket's admin as online."""
        socket = self._sockets.get(caller.sid)
        if socket is None:
            return
        person = socket.connection.person
        try:
            self.heartbeats.add(socket.connection)
        except Exception as error:
            # The next flush of heartbeats opens the connection.
            self.heartbeats.mark(person, socket.connection.id)
            log.warning("an admin's connection will be opened in Redis later: %s", error)
        try:
            self._watch_visibility(caller.admin_id)
        except Exception as error:
            # A later flush of the watchers reads it.
            log.warning("whether an admin is visible will be read later: %s", error)
        if caller.sid not in self._sockets:
            self._attempt(self.heartbeats.drop, person, socket.connection.id)
            self._forget_visibility(caller.admin_id)

    def on_disconnect(self, sid: str, reason: str) -> None:
        """Removes a disconnected socket; `reason` decides how long it may come back unnoticed."""
        socket = self._sockets.pop(sid, None)
        grace = grace_ms(self._presence_service.timing, reason, self._is_draining)
        self._people.forget(sid)
        # Also if it is reported again: a call that outlived the socket may have begun something.
        self._attempt(self.viewers.drop, sid, grace)
        if socket is None:
            return
        self._forget_visibility(socket.caller.admin_id)
        connection = socket.connection
        was_silent = reason == "ping timeout"
        self._attempt(self.heartbeats.drop, connection.person, connection.id, grace, was_silent)

    def on_role(self, caller: Caller) -> None:
        """Applies an admin's new role to a socket: what it watches is checked again."""
        socket = self._sockets.get(caller.sid)
        if socket is None:
            return
        socket.caller = caller
        self._people.change_role(caller)
        self.viewers.refresh_typing(caller.sid)

    def on_message(self, sid: str) -> None:
        """Counts any message of a socket as a heartbeat. (R6)"""
        socket = self._sockets.get(sid)
        if socket is not None:
            self.heartbeats.mark(socket.connection.person, socket.connection.id)

    def begin_drain(self) -> None:
        """Marks the worker as stopping: sockets that leave from now on may reconnect elsewhere."""
        self._is_draining = True

    def drain(self) -> None:
        """Prepares for closing the sockets: their admins have time to connect to another worker."""
        grace = self._presence_service.timing.drain_grace_ms
        socket, self._sockets = self._sockets, {}
        self._attempt(self.heartbeats.drain)
        for sid in socket:
            self._attempt(self.viewers.drop, sid, grace)

    def tick(self) -> None:
        """Pings sockets that are due; reports those that became idle in a hidden window."""
        now, timing = self._monotonic(), self._presence_service.timing
        for sid, socket in list(self._sockets.items()):
            if now >= socket.ping_at:
                socket.ping_at = max(socket.ping_at, now - 1) + timing.ping_ms / 1_000
                self._emitter.send(sid, "presence:ping", _PING)
            is_active = socket.is_active(timing, now)
            if socket.hidden_since is not None and is_active != socket.connection.active:
                self._report(socket)

    def is_shown(self, sid: str) -> bool:
        """Whether others may see the threads in which this socket is."""
        socket = self._sockets.get(sid)
        return socket is not None and self._shown.get(socket.caller.admin_id, False)

    def handlers(self, others: Mapping[str, Handler]) -> dict[str, Handler]:
        """Maps events to handlers: those of presence, and `others`, two of them extended."""
        return {
            **others,
            "presence:pong": self.pong,
            "presence:set": self.set,
            "presence:watch": self.watch,
            "thread:mode": self.change_mode,
            "thread:open": partial(self._open_thread, others["thread:open"]),
            "thread:close": partial(self._close_thread, others["thread:close"]),
        }

    def pong(self, caller: Caller, args: tuple[Any, ...]) -> Answer:
        request = read_call(PongRequest, args)
        socket = self._sockets.get(caller.sid)
        if socket is not None:
            socket.take_report(request.visible, request.idle_ms, self._monotonic())
            self.viewers.beat(caller.sid)
            self._report(socket)
        return {}

    def set(self, caller: Caller, args: tuple[Any, ...]) -> Answer:
        """Sets the caller's own settings; answers with all of them."""
        changes = read_call(PresenceSettings, args).changes()
        try:
            settings = self._presence_service.set_admin(caller.admin_id, changes)
        except RedisError as error:
            raise PresenceUnavailable() from error
        finally:
            self._typing_shown.forget(caller.admin_id)
        if not settings.show_typing:
            shown = self._shown.get(caller.admin_id, False)
            self._attempt(self.viewers.hide_typing, self._sids_of(caller.admin_id), shown)
        return {"settings": to_json(settings, self._presence_service.clock())}

    def watch(self, caller: Caller, args: tuple[Any, ...]) -> Answer:
        return self._people.watch(caller, read_call(WatchPeopleRequest, args))

    def change_mode(self, caller: Caller, args: tuple[Any, ...]) -> Answer:
        request = read_call(ModeRequest, args)
        if not self.viewers.is_in(caller.sid, request.id):
            raise NotFound("This thread is not open.")
        shown, mode = self.is_shown(caller.sid), request.mode
        if mode == "typing" and not self._typing_shown.of(caller.admin_id):
            mode = "editing"
        cursor = request.cursor.model_dump() if request.cursor else None
        self._attempt(self.viewers.change, caller.sid, request.id, mode, cursor, shown)
        is_reply = request.cursor is not None and request.cursor.field == REPLY
        if shown and mode == "typing" and is_reply:
            self._on_reply_typed(request.id, caller.admin_id)
        return {}

    def refresh_relations(self) -> None:
        """Loads relations again: threads were assigned and answered in the meantime."""
        self.watchers["customer"].refresh_relations(list(self.watchers["customer"].contacts()))

    def _is_contact(self, sid: str, customer: str) -> bool:
        """Whether the socket's admin may see a customer shown to contacts only.

        Supervisors may; no other admin may while SQL is away.
        """
        socket = self._sockets.get(sid)
        if socket is None:
            return False
        if socket.caller.role == "supervisor":
            return True
        try:
            return socket.caller.admin_id in self._presence_service.relations.contacts_of(customer)
        except StorageUnavailable:
            return False

    def _open_thread(self, open_thread: Handler, caller: Caller, args: tuple[Any, ...]) -> Answer:
        answer = open_thread(caller, args)
        assert isinstance(answer, dict)
        socket = self._sockets.get(caller.sid)
        if socket is not None:
            membership = Membership(
                str(answer["thread_id"]), socket.connection.person, socket.connection.id
            )
            try:
                shown = self.is_shown(caller.sid)
                answer["viewers"] = self.viewers.join(caller.sid, membership, shown)
            except (RedisError, OSError, RoomFull, TooMany) as error:
                log.info("the viewers of a thread are not available: %s", error)
        return answer

    def thread_gone(self, sid: str, thread_id: int) -> None:
        """Removes the socket's admin from the viewers of a thread that is no longer open."""
        self._attempt(self.viewers.leave, sid, thread_id)

    def _close_thread(self, close_thread: Handler, caller: Caller, args: tuple[Any, ...]) -> Answer:
        answer = close_thread(caller, args)
        self._attempt(self.viewers.leave, caller.sid, args[0]["id"])
        return answer

    def _report(self, socket: AdminSocket) -> None:
        active = socket.is_active(self._presence_service.timing, self._monotonic())
        hidden = socket.hidden_since is not None
        socket.connection = socket.connection._replace(active=active)
        person, name = socket.connection.person, socket.connection.id
        self._attempt(self.heartbeats.report, person, name, active, hidden)

    def _watch_visibility(self, admin_id: int) -> None:
        person = str(admin_id)
        states = self.watchers["admin"].watch(("shown", admin_id), _ANY_COLLEAGUE, [person])
        self._show(admin_id, states[person])

    def _forget_visibility(self, admin_id: int) -> None:
        """Stops watching whether an admin without a socket is visible."""
        if not self._sids_of(admin_id):
            self._shown.pop(admin_id, None)
            self.watchers["admin"].forget(("shown", admin_id))

    def _show(self, admin_id: int, state: State) -> None:
        """Adds an admin who became visible to their open threads, removes one who became hidden."""
        shown = state["status"] != "offline"
        if self._shown.get(admin_id, False) == shown:
            return
        self._shown[admin_id] = shown
        sids = self._sids_of(admin_id)
        if shown:
            self._attempt(self.viewers.show, sids, self.is_shown)
        else:
            self._attempt(self.viewers.hide, sids)

    def _sids_of(self, admin_id: int) -> list[str]:
        return [sid for sid, socket in self._sockets.items() if socket.caller.admin_id == admin_id]

    def _publish(self, kind: str, watcher: Any, states: dict[str, State]) -> None:
        if isinstance(watcher, tuple):
            for state in states.values():
                self._show(watcher[1], state)
            return
        data = EncodedJson(encode({"kind": kind, "presence": states}))
        self._emitter.send(watcher, "presence:update", data)

    def _attempt(self, work: Callable[..., Any], *args: Any) -> None:
        """Runs `work`; logs a failure, which expiry or the next heartbeat corrects."""
        try:
            work(*args)
        except (RedisError, OSError, RoomFull) as error:
            log.info("a presence update failed: %s", error)
