"""docs/operations.md lists the metrics of the code, and nothing else."""

import re

from tests.repository import ROOT

OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| `(lineup_\w+)` \| (\w+) \| ([^|]+) \| (\w+) \| ([^|]{10,}) \|$", re.M)


def test_every_metric_is_listed_with_its_kind_its_unit_and_how_workers_are_added(families):
    """H34"""
    rows = _ROW.findall(OPERATIONS)
    assert [name for name, *_ in rows] == sorted(families)
    for name, kind, unit, adding, _ in rows:
        family = families[name]
        assert (kind, adding) == (family.kind, family.adding), name
        assert ("seconds" in name) == (unit == "seconds"), name
        assert name.endswith("_ms") == (unit == "milliseconds"), name


def test_no_gauge_that_all_workers_read_in_redis_is_summed(families):
    """H34: the length of a list does not grow with the number of workers."""
    shared = ("lineup_queue_threads", "lineup_longest_wait_seconds", "lineup_long_waits")
    assert {families[name].adding for name in (*shared, "lineup_admins_here")} == {"once"}
    assert families["lineup_sockets"].adding == "sum"


def test_the_labels_are_those_of_the_documents():
    for label in ("method", "status", "view"):
        assert f"`{label}`" in OPERATIONS
