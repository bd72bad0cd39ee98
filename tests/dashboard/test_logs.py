"""The log's two formats. JSON lines are tested in web/http/test_problems.py."""

import io
import json
import logging
import re
import threading
from collections.abc import Iterator

import pytest

from dashboard import logs
from dashboard.errors import StartError
from dashboard.settings import Settings


@pytest.fixture
def restored() -> Iterator[None]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    root.handlers[:] = before
    root.setLevel(level)


def test_the_text_speaks_to_people_and_no_sender_can_forge_a_line(restored):
    stream = io.StringIO()
    logs.install("INFO", "text", stream)
    log = logging.getLogger("lineup.test")
    log.info("ready, お待たせしました")
    hostile = "a\n12:00:00 ERROR forged\x1b[2J\x7f\x9b\u2028\ud800"
    try:
        raise RuntimeError(hostile)
    except RuntimeError:
        log.exception("name %s", hostile)
    lines = stream.getvalue().split("\n")
    assert re.fullmatch(r"\d\d:\d\d:\d\d lineup.test: ready, お待たせしました", lines[0])
    assert re.match(r"\d\d:\d\d:\d\d ERROR lineup.test: name a\\n12:00:00 ERROR", lines[1])
    assert all(line.startswith("    ") for line in lines[2:-1]) and lines[-1] == ""
    assert all(line.isprintable() for line in lines)


def test_json_is_written_only_where_it_is_asked_for(restored, tmp_path):
    assert Settings.from_environment({}, tmp_path).log_format == "text"
    settings = Settings.from_environment({"LINEUP_LOG_FORMAT": "JSON"}, tmp_path)
    stream = io.StringIO()
    logs.install(settings.log_level, settings.log_format, stream)
    logging.getLogger("lineup.test").info("ready")
    line = json.loads(stream.getvalue())
    assert line["message"] == "ready" and line["at"].endswith("+00:00")
    with pytest.raises(StartError, match="LINEUP_LOG_FORMAT must be one of text, json"):
        Settings.from_environment({"LINEUP_LOG_FORMAT": "xml"}, tmp_path)


def test_a_demo_prints_one_line_for_an_error(restored, monkeypatch):
    """A person who tries Lineup sees no trace, whatever happens; other lines stay as they are."""
    stream = io.StringIO()
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    logs.install("INFO", "text", stream)
    logs.leave_out_traces()
    log = logging.getLogger("lineup.test")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        log.exception("the work of %s failed", "Mai")
    log.info("all is well")
    thread = threading.Thread(target=lambda: 1 // 0)
    thread.start()
    thread.join()
    [failed, well, ended] = stream.getvalue().splitlines()
    assert failed.endswith("the work of Mai failed: ValueError('two\\nlines')")
    assert well.endswith("all is well") and "ZeroDivisionError" in ended
