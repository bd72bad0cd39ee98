"""Log lines: text for people, or one JSON object each for programs."""

import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, datetime
from typing import TextIO

from dashboard.rate_limits import REFUSED_LINES, REFUSED_LINES_PER_CALLER, RateLimiter

refused_log = logging.getLogger("dashboard.refused")

#: Characters kept of a message and of a trace: one request cannot fill the disk.
MESSAGE_MAX = 4_000
TRACE_MAX = 16_000


class JsonFormatter(logging.Formatter):
    """Escapes everything but ASCII, so that no line break or terminal code gets into the log."""

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


class TextFormatter(logging.Formatter):
    """Formats `10:00:00 WARNING lineup.demo: …`; a trace follows, indented.

    Unprintable characters are escaped, so that no line break or terminal code gets into the log.
    """

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        level = "" if record.levelno == logging.INFO else f"{record.levelname} "
        message = _printable(record.getMessage()[:MESSAGE_MAX])
        lines = [f"{at} {level}{record.name}: {message}"]
        if record.exc_info:
            trace = self.formatException(record.exc_info)[-TRACE_MAX:]
            lines += [f"    {_printable(line)}" for line in trace.splitlines()]
        return "\n".join(lines)


#: The values of LINEUP_LOG_FORMAT.
FORMATS: Mapping[str, type[logging.Formatter]] = {"text": TextFormatter, "json": JsonFormatter}


class RefusedAccess:
    """Logs access that was refused, in a bounded number of lines: anyone can be refused any number
    of times. `monotonic` gives seconds."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic):
        self._limiter = RateLimiter(monotonic)
        self._left_out = 0

    def note(self, caller: Hashable, said: str) -> None:
        """Logs `said`. If there are too many lines, it is only counted in the next one."""
        waits = self._limiter.take(REFUSED_LINES_PER_CALLER, caller)
        if waits is None:
            waits = self._limiter.take(REFUSED_LINES, "")
        if waits is not None:
            self._left_out += 1
            return
        left_out, self._left_out = self._left_out, 0
        more = f" ({left_out} refusals before it are not logged)" if left_out else ""
        refused_log.info("%s%s", said, more)


def install(level: str, format: str, stream: TextIO = sys.stderr) -> None:
    """Makes all loggers write lines of a format of FORMATS to `stream`, from `level` on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(FORMATS[format]())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # Alembic logs every step, at each start.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    # After a failed statement psycopg logs again that its pipeline was aborted.
    logging.getLogger("psycopg").setLevel(logging.ERROR)


def leave_out_traces() -> None:
    """Makes every logged error one line, also one that ends a thread."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(_without_trace)
    threading.excepthook = lambda given: logging.getLogger("lineup").warning(
        "a thread ended: %r", given.exc_value
    )


def _without_trace(record: logging.LogRecord) -> bool:
    if record.exc_info:
        said = f"{record.getMessage()}: {record.exc_info[1]!r}"
        record.msg, record.args, record.exc_info = said.splitlines()[0], (), None
    return True


def _printable(text: str) -> str:
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in text
    )
