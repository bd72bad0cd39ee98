"""Entries of the audit log as lines of a file: CSV for a spreadsheet, or JSON."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from dashboard.db.audit.reading import Entry
from dashboard.db.outbox.outgoing_document import timestamp
from dashboard.turns import turns
from scoring.conditions.folding import plain

#: Spreadsheets take a cell that begins so for a formula, after blanks and in any width.
_FORMULA = ("=", "+", "-", "@")
#: Spreadsheets cut these off, or begin another cell with them.
_BREAKS = ("\t", "\r", "\n")
#: By this spreadsheets know that a file is UTF-8.
_BYTE_ORDER_MARK = "\ufeff"
#: Columns of a row, in their order.
COLUMNS = Entry._fields


def csv_lines(entries: Sequence[Entry], *, with_head: bool) -> str:
    """As RFC 4180 says; no cell is a formula. The head begins the file, with a byte order mark."""
    file = io.StringIO()
    writer = csv.writer(file)
    if with_head:
        file.write(_BYTE_ORDER_MARK)
        writer.writerow(COLUMNS)
    for entry in turns.each(entries):
        values = _plain(entry) | {"data": json.dumps(entry.data, ensure_ascii=False)}
        writer.writerow([_cell(values[name]) for name in COLUMNS])
    return file.getvalue()


def json_lines(entries: Sequence[Entry]) -> str:
    """One object a line."""
    return "".join(
        f"{json.dumps(_plain(entry), ensure_ascii=False)}\n" for entry in turns.each(entries)
    )


def _plain(entry: Entry) -> dict[str, Any]:
    return entry._asdict() | {"at": timestamp(entry.at)}


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    is_risky = text.startswith(_BREAKS) or plain(text).lstrip().startswith(_FORMULA)
    return f"'{text}" if is_risky else text
