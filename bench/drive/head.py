"""The head of a list as a browser holds it: moved by frames, never sorted again."""

from bisect import bisect_left, insort


class Head:
    """The first entries of a list in order; entries that move behind its end are dropped."""

    def __init__(self, ids: list[int], scores: list[int], whole: bool):
        self._scores = dict(zip(ids, scores, strict=True))
        self._order = sorted((score, id) for id, score in self._scores.items())
        self._whole = whole

    def apply(self, changed: list[list[int]], gone: list[int]) -> None:
        end = None if self._whole or not self._order else self._order[-1]
        for id in gone:
            self._remove(id)
        for id, score in changed:
            self._remove(id)
            if end is None or (score, id) <= end:
                self._scores[id] = score
                insort(self._order, (score, id))

    def first(self, count: int) -> list[int]:
        return [id for _, id in self._order[:count]]

    def entries(self) -> list[tuple[int, int]]:
        """Returns (score, id) of the entries in order."""
        return self._order

    def __len__(self) -> int:
        return len(self._order)

    def _remove(self, id: int) -> None:
        score = self._scores.pop(id, None)
        if score is not None:
            del self._order[bisect_left(self._order, (score, id))]
