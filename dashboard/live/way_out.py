"""How far replies have come, to those who have their threads open; failing sources, to all."""

import logging
import time
from typing import Any

from dashboard.errors import StorageUnavailable
from dashboard.live.conversations import Conversations
from dashboard.live.outlet import Outlet
from dashboard.live.packets import Fragment, encode
from dashboard.live.reads import Reads

log = logging.getLogger(__name__)

#: What any worker has written is looked at so often.
LOOK_SECONDS = 1.0
#: Read again each time, for clocks differ and commits come late; what was told is not told again.
OVERLAP_MS = 15_000


class WayOut:
    """Reads from SQL what changed: couriers and receipts may be at any worker."""

    def __init__(self, reads: Reads, conversations: Conversations, outlet: Outlet):
        self._reads = reads
        self._conversations = conversations
        self._outlet = outlet
        self._failing: dict[str, int] = {}
        self._told: dict[int, dict[str, Any]] = {}
        self._read_at: int | None = None
        self._stopped = False

    def greet(self, sid: str) -> None:
        self._outlet.send(sid, "sources:failing", self._data())

    def run(self) -> None:
        """Looks until `stop`; never raises."""
        while not self._stopped:
            time.sleep(LOOK_SECONDS)
            try:
                self.turn()
            except StorageUnavailable as error:
                log.warning("deliveries cannot be read: %s", error)
            except Exception:
                log.exception("a look at deliveries failed")

    def stop(self) -> None:
        self._stopped = True

    def turn(self) -> None:
        """Tells what is new. Raises StorageUnavailable."""
        failing = self._reads.failing_sources()
        if failing != self._failing:
            self._failing = failing
            self._outlet.broadcast("sources:failing", self._data())
        self._tell_deliveries()

    def _tell_deliveries(self) -> None:
        open_threads = self._conversations.open_threads
        now = self._reads.now()
        since = (self._read_at if self._read_at is not None else now) - OVERLAP_MS
        found = self._reads.delivery_news(open_threads, since)
        self._read_at = now
        for news in found:
            if self._told.get(news.message_id) != news.delivery:
                self._tell(news._asdict())
        self._told = {news.message_id: news.delivery for news in found}

    def _tell(self, news: dict[str, Any]) -> None:
        data = Fragment(encode(news))
        for sid in self._conversations.readers_of(news["thread_id"]):
            self._outlet.send(sid, "thread:delivery", data)

    def _data(self) -> Fragment:
        sources = [{"source": name, "since": since} for name, since in self._failing.items()]
        return Fragment(encode({"sources": sources}))
