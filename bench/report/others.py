"""What other products publish about their speed, where, and what they leave to the application."""

from collections.abc import Iterator
from typing import NamedTuple


class Published(NamedTuple):
    """What a product publishes, its source, and what it does not do for a desk."""

    product: str
    what: str
    source: str
    without: str


_ZERO = "https://zero.rocicorp.dev/docs/release-notes"
PUBLISHED = (
    Published(
        "Centrifugo",
        "a million connections with two channels each on 20 servers of 2 cores: 500,000 messages "
        "of 100 bytes a second, p99 200 ms; 30 kB a connection, and 10 µs a second of one that "
        "is idle but for its pings",
        "https://centrifugal.dev/blog/2020/02/10/million-connections-with-centrifugo",
        "It delivers messages. It has no lists and no order, counts nothing, and compares nothing "
        "with a database.",
    ),
    Published(
        "Electric",
        "a write is with a client after 6 ms, whatever the number of shapes, if each shape is "
        "`field = constant`; with other conditions 100 ms at 10,000 shapes; a write that concerns "
        "many shapes takes longer in proportion",
        "https://electric-sql.com/docs/reference/benchmarks",
        "A shape is a set of rows: no order, no limit, no count, no condition on time. The client "
        "sorts and counts what it gets.",
    ),
    Published(
        "Zero",
        "about 2,500 writes a second at one customer (1.7); in our own run of 1.9, see "
        "`zero.json`, every badge and list was right, and a change took 2.6 ms of the server for "
        "each desk",
        f"{_ZERO}/1.7",
        "No condition on time. Counts came with 1.12, after the version that we measured: there a "
        "badge is a query of all its threads, or ends at a limit. Each desk has its own queries.",
    ),
)


def section() -> Iterator[str]:
    yield "## What others publish\n"
    yield "Other machines, other loads, and their own words: to compare kinds, not numbers.\n"
    yield "| product | publishes | source | what it does not do |\n|---|---|---|---|"
    yield from (
        f"| {one.product} | {one.what} | [{one.product}]({one.source}) | {one.without} |"
        for one in PUBLISHED
    )
    yield ""
