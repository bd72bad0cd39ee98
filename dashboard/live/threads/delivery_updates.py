"""Pushes delivery states of replies to the sockets of their threads, and which sources fail."""

from typing import Any

from dashboard.errors import StorageUnavailable
from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.live.threads.conversations import Conversations
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.transport.caller import Caller
from dashboard.transport.emitter import Emitter
from dashboard.transport.packets import EncodedJson, encode

#: Interval of reads: any worker may have written.
POLL_SECONDS = 1.0
#: The same while nobody is here.
REST_SECONDS = 3.0
#: Each read overlaps the one before, for clocks differ and commits are late; what was sent is not
#: sent again.
OVERLAP_MS = 15_000


class DeliveryUpdates(RunsTask):
    """Reads changes from SQL, because dispatchers and receipts may be on any worker.

    Which sources fail is told to those who see all threads: it is found by sending the messages of
    any thread.
    """

    def __init__(
        self, reads: Reads, conversations: Conversations, emitter: Emitter, admins: SocketAdmins
    ):
        self._reads = reads
        self._admins = admins
        self._conversations = conversations
        self._emitter = emitter
        self._failing: dict[str, int] = {}
        self._announced: dict[int, dict[str, Any]] = {}
        self._read_at: int | None = None
        self._task = PeriodicTask(
            "reading deliveries",
            self.poll,
            interval_seconds=lambda: POLL_SECONDS if self._admins else REST_SECONDS,
            expected=(StorageUnavailable,),
        )
        admins.wakes.append(self.wake)

    def send_to(self, caller: Caller) -> None:
        """Sends a new socket what is known."""
        if caller.desks is None:
            self._emitter.send(caller.sid, "sources:failing", self._data())

    def poll(self) -> None:
        """Sends what is new, where anybody is here. Raises StorageUnavailable."""
        if not self._admins and not self._conversations.open_threads:
            self._read_at = None
            return
        failing = self._reads.failing_sources()
        if failing != self._failing:
            self._failing = failing
            for sid in self._admins.of_all_desks():
                self._emitter.send(sid, "sources:failing", self._data())
        self._send_deliveries()

    def _send_deliveries(self) -> None:
        open_threads = self._conversations.open_threads
        now = self._reads.now()
        since = (self._read_at if self._read_at is not None else now) - OVERLAP_MS
        found = self._reads.delivery_news(open_threads, since)
        self._read_at = now
        for news in found:
            if self._announced.get(news.message_id) != news.delivery:
                self._send(news._asdict())
        self._announced = {news.message_id: news.delivery for news in found}

    def _send(self, news: dict[str, Any]) -> None:
        data = EncodedJson(encode(news))
        for sid in self._conversations.readers_of(news["thread_id"]):
            self._emitter.send(sid, "thread:delivery", data)

    def _data(self) -> EncodedJson:
        sources = [{"source": name, "since": since} for name, since in self._failing.items()]
        return EncodedJson(encode({"sources": sources}))
