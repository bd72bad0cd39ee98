"""Log lines: one JSON object each, whatever was logged."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

#: A single line stays readable, and a hostile sender cannot fill the disk with one request.
MESSAGE_MAX = 4_000
TRACE_MAX = 16_000


class JsonFormatter(logging.Formatter):
    """Everything but plain ASCII is escaped: no line break or terminal code gets through."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage()[:MESSAGE_MAX],
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)[-TRACE_MAX:]
        return json.dumps(line, ensure_ascii=True).replace("\x7f", "\\u007f")


def install(level: str, stream: TextIO = sys.stderr) -> None:
    """All loggers write JSON lines to the stream, from this level on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # It tells of every step, at each start.
    logging.getLogger("alembic").setLevel(logging.WARNING)
