"""Builds lists of queries at once for those who ask for them, beside what is live."""

import logging
import threading
import time
from collections.abc import Callable

from redis.exceptions import RedisError

from dashboard.errors import StorageUnavailable
from dashboard.ordering.rebuild import Rebuilder
from scoring.ranking import Ranking, RankingLost
from scoring.rebuilding import RebuildLost

log = logging.getLogger(__name__)

#: Lists that one process builds at a time; further ones wait for their turn.
BUILT_AT_ONCE = 4
#: Interval of looking whether somebody else has built a list, times the lists that wait for that;
#: and the time after which it is left to the reconciler.
LOOK_SECONDS = 0.05
GIVEN_UP_SECONDS = 60.0


class ListBuilder:
    """Builds a list once, however many ask for it, in however many processes.

    What `rebuilder` swaps in counts as built by this one.
    """

    def __init__(
        self,
        rebuilder: Rebuilder,
        ranking: Ranking,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._rebuilder = rebuilder
        self._ranking = ranking
        self._monotonic = monotonic
        self._slots = threading.BoundedSemaphore(BUILT_AT_ONCE)
        self._under_way: dict[str, threading.Event] = {}

    @property
    def built(self) -> int:
        """Lists built since the start."""
        return self._rebuilder.swapped

    def build(self, list_id: str) -> threading.Event:
        """Begins to build the list of a query that SQL keeps and Redis lacks, in the background.

        The event is set at the end; what failed is built by the reconciler.
        """
        ended = self._under_way.get(list_id)
        if ended is None:
            ended = self._under_way[list_id] = threading.Event()
            threading.Thread(target=self._run, args=(list_id, ended), daemon=True).start()
        return ended

    def _run(self, list_id: str, ended: threading.Event) -> None:
        try:
            self._build(list_id)
        except (RedisError, RankingLost, RebuildLost, StorageUnavailable) as error:
            log.warning("the list %s is built later: %s", list_id, error)
        except Exception:
            log.exception("building the list %s failed", list_id)
        finally:
            del self._under_way[list_id]
            ended.set()

    def _build(self, list_id: str) -> None:
        deadline = self._monotonic() + GIVEN_UP_SECONDS
        while self._monotonic() < deadline and self._rebuilder.keeps(list_id):
            # Before what SQL names: it is replaced if nobody has built the list since.
            held = self._held(list_id)
            if self._is_built(list_id, held):
                return
            if self._ranking.progress(list_id) is None:
                with self._slots:
                    self._rebuilder.rebuild([list_id], seen={list_id: held})
                if self._is_built(list_id, self._held(list_id)):
                    return
            time.sleep(LOOK_SECONDS * len(self._under_way))

    def _held(self, list_id: str) -> str | None:
        return self._ranking.states([list_id])[list_id].epoch

    def _is_built(self, list_id: str, held: str | None) -> bool:
        return held is not None and held == self._rebuilder.epochs([list_id]).get(list_id)
