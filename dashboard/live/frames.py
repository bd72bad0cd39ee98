"""Encodes parts of lists, and frames with changes of lists, as JSON, once for all sockets."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.db.accounts.admin_desks import Desks, sees
from dashboard.db.lists.named_lists import ListName
from dashboard.db.threads.thread_rows import SharedRow, ThreadRow
from dashboard.transport.packets import EncodedJson, encode
from scoring.reading import Changes, Entry, Head


class Rows:
    """Rows by thread id, each encoded once, however many frames carry it; one with a queue that
    not everybody sees is encoded twice."""

    def __init__(self, rows: Mapping[int, SharedRow]):
        self._rows = rows
        self._encoded = {id: encode(one.row) for id, one in rows.items()}
        self._without_queue = {
            id: encode(one.shown_to(frozenset())) for id, one in rows.items() if one.queue_desks
        }

    def by_id(self, entries: list[Entry], desks: Desks = None) -> str:
        """Returns the rows of these entries as JSON, `{id: row}`; leaves out threads without a row,
        and threads at none of these desks (None: all desks)."""
        pairs = (
            f'"{id}":{(self._encoded if one.shows_queue(desks) else self._without_queue)[id]}'
            for id, _ in entries
            if (one := self._rows.get(id)) and sees(desks, one.row["desk"])
        )
        return "{" + ",".join(pairs) + "}"


def head(head: Head) -> dict[str, object]:
    """Returns a part of a list in Redis, as in the answers to `list:open` and `list:more`."""
    return part(head.epoch, head.version, head.total, head.entries)


def part(
    epoch: str | None, version: int, total: int, entries: Sequence[Entry]
) -> dict[str, object]:
    """Returns a part of a list; `epoch` is None if it was read from SQL: then no frames follow."""
    return {
        "epoch": epoch,
        "version": version,
        "total": total,
        "ids": [entry.id for entry in entries],
        "scores": [entry.score for entry in entries],
    }


def rows_of(entries: Sequence[Entry], rows: Mapping[int, ThreadRow]) -> list[ThreadRow]:
    """Returns the rows of these entries, in their order; a thread that was deleted has none."""
    return [rows[entry.id] for entry in entries if entry.id in rows]


def order(list: ListName, changes: Changes, since: int, rows: Rows, **more: Any) -> EncodedJson:
    """Encodes a `list:order` frame of changes since version `since`; `more`: fields in front."""
    entries = changes.sets[list.sort]
    frame = more | {
        **list.to_json(),
        "epoch": changes.epoch,
        "from": since,
        "version": changes.version,
        "total": changes.total,
        "set": entries,
        "del": changes.gone,
    }
    return EncodedJson(f'{encode(frame)[:-1]},"rows":{rows.by_id(entries, list.desks)}}}')


def reopen(list: ListName, epoch: str, version: int, total: int) -> EncodedJson:
    """Encodes a frame that no browser can apply: it makes the browser open the list again."""
    return order(list, Changes(epoch, version, total, {list.sort: []}, []), version, Rows({}))
