"""Heals the order: whatever Redis lost, missed or was told by a stranger is put right from SQL."""

import logging
import time
from collections.abc import Callable, Collection, Mapping

from redis.exceptions import RedisError

from dashboard.errors import StorageUnavailable
from dashboard.intake.compare import Comparison
from dashboard.intake.order_state import OrderState
from dashboard.intake.place import Placer
from dashboard.intake.rebuild import Rebuilder, placements_everywhere
from dashboard.store import threads as stored_threads
from dashboard.store.database import Database
from scoring.ranking import Ranking, RankingLost
from scoring.reading import State
from scoring.rebuilding import RebuildBusy, RebuildLost

log = logging.getLogger(__name__)

TICK_SECONDS = 1.0
HEADS_SECONDS = 5.0
#: Threads placed again in one tick; more wait for the next.
LEFT_BEHIND = 10_000
#: A head of which this share is wrong was lost, not touched.
LOST_SHARE = 0.5


class Healer:
    """Looks after the order, a tick a second; every worker has one, and they do not collide."""

    def __init__(
        self,
        database: Database,
        ranking: Ranking,
        placer: Placer,
        rebuilder: Rebuilder,
        comparison: Comparison,
        state: OrderState,
        run_id: Callable[[], str | None],
        monotonic: Callable[[], float] = time.monotonic,
    ):
        self._database = database
        self._ranking = ranking
        self._placer = placer
        self._rebuilder = rebuilder
        self._comparison = comparison
        self._state = state
        self._read_run_id = run_id
        self._monotonic = monotonic
        self._seen_versions: dict[tuple[str, str], int] = {}
        self._left_behind: dict[int, int] = {}
        self._put_right_before: set[tuple[int, int]] = set()
        self._damaged = False
        self._heads_due = 0.0
        self._run_id: str | None = None
        #: How many lists were put right since the start; nothing but faults and strangers count.
        self.repairs = 0

    def tick(self, progress: Callable[[int], object] = lambda threads: None) -> bool:
        """One look after everything that is due; whether the order is known to be right.

        Never raises for Redis or SQL being away.
        """
        try:
            right = self._heal(progress)
        except (RedisError, RankingLost, RebuildLost) as error:
            log.warning("the order is late: %s", error)
            right = False
        except StorageUnavailable:
            # Without SQL nothing can be compared, and nothing new can have been recorded.
            return not self._state.late
        if right:
            self._state.mark_right()
        else:
            self._state.mark_late()
        return right

    def _heal(self, progress: Callable[[int], object]) -> bool:
        self._placer.note_placed()
        tags = self._rebuilder.tags()
        states = self._ranking.states(tags)
        lost = self._lost(tags, states)
        if lost:
            level = logging.WARNING if self._seen_versions else logging.INFO
            log.log(level, "rebuilding the lists of %s", ", ".join(sorted(lost)))
            try:
                self._rebuilder.rebuild(lost, progress)
            except RebuildBusy:
                return False
            states = self._ranking.states(tags)
        self._remember(states)
        caught_up = self._place_left_behind(tags)
        suspects = self._comparison.next_slice()
        if self._monotonic() >= self._heads_due:
            self._heads_due = self._monotonic() + HEADS_SECONDS
            suspects |= self._comparison.heads()
        self._put_right(suspects, tags)
        return caught_up

    def _lost(self, tags: Collection[str], states: Mapping[str, State]) -> set[str]:
        """The tags whose lists are not ours, older than what was seen, or known to be damaged."""
        ours = self._rebuilder.epochs()
        lost = set(tags) if self._damaged else set()
        self._damaged = False
        for tag, state in states.items():
            seen = self._seen_versions.get((tag, state.epoch or ""), 0)
            if state.epoch is None or state.epoch != ours.get(tag) or state.version < seen:
                lost.add(tag)
        if self._restarted():
            lost |= self._comparison.damaged_tags(LOST_SHARE)
        return lost

    def _restarted(self) -> bool:
        """Whether another server answers than the last time: its data may be an old dump."""
        before, self._run_id = self._run_id, self._read_run_id()
        return before is not None and before != self._run_id

    def _remember(self, states: Mapping[str, State]) -> None:
        self._seen_versions = {
            (tag, state.epoch): state.version for tag, state in states.items() if state.epoch
        }

    def _place_left_behind(self, tags: Collection[str]) -> bool:
        """Places what two looks in a row found recorded and not noted as placed."""
        with self._database.read() as connection:
            found = stored_threads.unplaced(connection, LEFT_BEHIND)
        stuck = [id for id, revision in found.items() if self._left_behind.get(id) == revision]
        self._left_behind = found
        if stuck:
            log.info("placing %d threads that were left behind", len(stuck))
            self._placer.place_now(placements_everywhere(self._database, stuck, tags))
        return len(stuck) < LEFT_BEHIND

    def _put_right(self, ids: Collection[int], tags: Collection[str]) -> None:
        """Places again what differs; where that changes nothing twice, the lists are damaged."""
        placements = placements_everywhere(self._database, ids, tags) if ids else []
        repaired = self._placer.place_now(placements)
        again = {(place.thread_id, place.revision) for place in placements}
        if repaired:
            self.repairs += repaired
            log.warning("put %d lists right that differed from SQL", repaired)
        elif again & self._put_right_before:
            log.warning("placing again does not help: Redis holds later revisions than SQL")
            self._damaged = True
        self._put_right_before = again
