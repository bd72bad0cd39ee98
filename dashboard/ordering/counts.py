"""How many threads of each view each admin has: what Redis counts, compared with SQL."""

from collections import Counter
from collections.abc import Mapping

#: Successive looks that find a count wrong in the same direction. With fewer it may be threads that
#: are on their way from SQL to Redis.
LOOKS = 10

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
