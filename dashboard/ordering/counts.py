"""How long views are and how many threads of each admin they have: what Redis counts, compared with
SQL."""

from collections import Counter
from collections.abc import Callable, Mapping

from dashboard.db.database import Database
from dashboard.db.threads import threads as stored_threads
from scoring.ranking import Ranking
from scoring.reading import State
from scoring.views import VIEWS

#: Interval of looks, while the one before found nothing.
LOOK_SECONDS = 15.0
#: Looks rest so many times as long as one took: a million threads take a second.
REST_FACTOR = 50
#: Successive looks that find a count wrong in the same direction. With fewer it may be threads that
#: are on their way from SQL to Redis.
LOOKS = 10
#: The same of lengths, where a look is over before threads move meanwhile; else it is LOOKS, too.
QUICK_LOOKS, QUICK_SECONDS = 2, 0.05

#: A view, an admin (0: nobody), and whether Redis counts too many.
_Wrong = tuple[str, int, bool]
#: View to admin to number.
Counts = Mapping[str, Mapping[int, int]]


class CountsCheck:
    """No repair of a thread mends a wrong count, which only faults and foreign writes can make: the
    lists of the view are built anew."""

    def __init__(self) -> None:
        self._looks: Counter[_Wrong] = Counter()

    def __bool__(self) -> bool:
        """Whether some count may be wrong: then the next look follows soon."""
        return bool(self._looks)

    def look(self, before: Counts, in_sql: Counts, after: Counts) -> set[str]:
        """The views that count wrong for certain, by the counts read before and after SQL."""
        wrong: Counter[_Wrong] = Counter()
        for view, earlier in before.items():
            later, stored = after[view], in_sql.get(view, {})
            for admin in {*earlier, *later, *stored}:
                found = earlier.get(admin, 0), later.get(admin, 0)
                number = stored.get(admin, 0)
                if min(found) > number:
                    wrong[view, admin, True] = self._looks[view, admin, True] + 1
                elif max(found) < number:
                    wrong[view, admin, False] = self._looks[view, admin, False] + 1
        certain = {view for (view, _, _), looks in wrong.items() if looks >= LOOKS}
        self._looks = Counter({key: n for key, n in wrong.items() if key[0] not in certain})
        return certain


class LengthsCheck:
    """Compares the lengths of views, and their counts; what SQL has is counted beside the rest."""

    def __init__(
        self,
        database: Database,
        ranking: Ranking,
        monotonic: Callable[[], float],
    ):
        self._database = database
        self._ranking = ranking
        self._monotonic = monotonic
        self._counts = CountsCheck()
        #: Views that are longer than in SQL, and by how many looks.
        self._longer: Mapping[str, int] = {}
        self._next_at = self._again_at = monotonic()
        #: Views whose counts of threads by their admins are wrong.
        self.miscounted: set[str] = set()

    @property
    def has_doubts(self) -> bool:
        """Whether a look has found something that the next ones must confirm."""
        return bool(self._longer or self._counts or self.miscounted)

    def too_long(self, states: Mapping[str, State]) -> set[str]:
        """The views that are longer than in SQL for certain; none where no look is due.

        `states`: of all list ids, read just now.
        """
        begun = self._monotonic()
        if begun < (self._again_at if self._longer or self._counts else self._next_at):
            return set()
        longer = self._look({name: states[name] for name in VIEWS})
        took = self._monotonic() - begun
        self._again_at = begun + REST_FACTOR * took
        self._next_at = begun + max(LOOK_SECONDS, REST_FACTOR * took)
        looks = {view: self._longer.get(view, 0) + 1 for view in longer}
        enough = QUICK_LOOKS if took < QUICK_SECONDS else LOOKS
        self._longer = {view: count for view, count in looks.items() if count < enough}
        return longer - self._longer.keys()

    def _look(self, before: Mapping[str, State]) -> set[str]:
        """Views that are longer, however the threads under way between both are counted."""
        counts = self._ranking.counts(VIEWS)
        rows = self._database.read_beside(stored_threads.ASSIGNED)
        in_sql = stored_threads.assigned(rows)
        after = self._ranking.states(VIEWS)
        self.miscounted = self._counts.look(counts, in_sql, self._ranking.counts(VIEWS))
        return {
            view
            for view, state in before.items()
            if min(state.total, after[view].total) > sum(in_sql.get(view, {}).values())
        }
