"""The slow, obvious twin of Ranking: dicts, sorted again for each question."""

from dataclasses import dataclass, field

from scoring.placing import GONE, Placement
from scoring.sorts import SORTS
from tests.drivers.ranking import entered, left


@dataclass
class TwinTag:
    """The lists of one view; epoch is None while they are lost. `counted`: thread to its assignee,
    or 0, while it is on the lists."""

    epoch: str | None = None
    is_building: bool = False
    version: int = 0
    floor: int = 0
    revisions: dict[int, int] = field(default_factory=dict)
    counted: dict[int, int] = field(default_factory=dict)
    lists: dict[str, dict[int, int]] = field(default_factory=lambda: {sort: {} for sort in SORTS})
    changed_at: dict[int, int] = field(default_factory=dict)

    def place(self, rows: list[tuple[int, int, tuple[int, ...] | None, int]]) -> int:
        """Places (id, revision, scores or None to leave, assignee); returns the number changed."""
        changed = []
        for id, revision, scores, assignee_id in rows:
            held = self.revisions.get(id, -1)
            if revision < held and revision != GONE:
                continue
            before = [self.counted.pop(id, None), *(found.get(id) for found in self.lists.values())]
            after = [assignee_id, *scores] if scores else [None] * (1 + len(SORTS))
            if scores:
                self.counted[id] = assignee_id
            for found, score in zip(self.lists.values(), after[1:], strict=True):
                found.pop(id, None)
                if score is not None:
                    found[id] = score
            self.revisions[id] = revision
            if revision == GONE:
                del self.revisions[id]
            if before != after or (revision > held if scores else self.is_building):
                changed.append(id)
        self.version += bool(changed)
        self.changed_at.update(dict.fromkeys(changed, self.version))
        return len(changed)

    def swap(self, epoch: str, rows: dict[int, tuple[int, tuple[int, ...], int | None]]) -> None:
        self.epoch, self.is_building = epoch, False
        self.version += 1
        self.floor = self.version
        self.revisions = {id: revision for id, (revision, *_) in rows.items()}
        self.counted = {id: assignee_id or 0 for id, (_, _, assignee_id) in rows.items()}
        self.changed_at = {}
        for at, sort in enumerate(SORTS):
            self.lists[sort] = {id: scores[at] for id, (_, scores, _) in rows.items()}

    def order(self, sort: str) -> list[tuple[int, int]]:
        """Returns (score, id) in the present order."""
        return sorted((score, id) for id, score in self.lists[sort].items())

    def since(self, version: int) -> list[int]:
        return [id for id, at in self.changed_at.items() if at > version]

    @property
    def is_torn(self) -> bool:
        """Whether one sort, or the counts, are empty while another is not, or much shorter."""
        totals = [len(self.counted), *(len(found) for found in self.lists.values())]
        least, most = min(totals), max(totals)
        return least == 0 < most or most - least > 10 + most / 10


class Twin:
    """The lists of all list ids."""

    def __init__(self, list_ids: tuple[str, ...]):
        self.list_ids = {list_id: TwinTag() for list_id in list_ids}

    def place(self, placements: list[Placement]) -> tuple[int, set[str]]:
        """Returns how many places changed, and which list ids are lost."""
        changed, lost = 0, set()
        for entering in (False, True):
            for list_id, twin in self.list_ids.items():
                rows = [
                    (
                        placement.thread_id,
                        placement.revision,
                        placement.lists[list_id],
                        placement.assignee_id or 0,
                    )
                    for placement in placements
                    if list_id in (entered(placement) if entering else left(placement))
                ]
                if rows and twin.epoch is None and not twin.is_building:
                    lost.add(list_id)
                elif rows:
                    changed += twin.place(rows)
        return changed, lost
