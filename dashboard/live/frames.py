"""Frames: what changed on a list, in the shape that browsers apply, encoded once for all."""

from collections.abc import Mapping
from typing import Any

from dashboard.live.calls import ListName
from dashboard.live.packets import Fragment, encode
from scoring.reading import Changes, Entry


class Rows:
    """Rows by thread, each encoded once however many frames carry it."""

    def __init__(self, rows: Mapping[int, Mapping[str, Any]]):
        self._encoded = {id: encode(row) for id, row in rows.items()}

    def by_id(self, entries: list[Entry]) -> str:
        """`{id: row}` of the entries that are at hand."""
        pairs = (f'"{id}":{self._encoded[id]}' for id, _ in entries if id in self._encoded)
        return "{" + ",".join(pairs) + "}"


def order(list: ListName, changes: Changes, since: int, rows: Rows, **more: Any) -> Fragment:
    """A `list:order` frame from version `since`; `more` stands in front (answers of calls)."""
    entries = changes.sets[list.sort]
    frame = more | {
        **list._asdict(),
        "epoch": changes.epoch,
        "from": since,
        "version": changes.version,
        "total": changes.total,
        "set": entries,
        "del": changes.gone,
    }
    return Fragment(f'{encode(frame)[:-1]},"rows":{rows.by_id(entries)}}}')


def anew(list: ListName, epoch: str, version: int, total: int) -> Fragment:
    """A frame that no browser can apply: the list is to be opened anew."""
    return order(list, Changes(epoch, version, total, {list.sort: []}, []), version, Rows({}))
