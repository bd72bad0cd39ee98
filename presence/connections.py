"""A person's connections and their heartbeats, as values."""

from typing import NamedTuple

#: `opened_ms` of a connection that is opened again because Redis had lost it: it stays closed if it
#: was closed in the meantime.
REOPENED = -1


class Connection(NamedTuple):
    """One connection of a person; those of one `device` count as one device.

    `type` is one of timing.TYPES; `worker` names the process that holds the connection;
    `opened_ms` in ms since 1970, 0 is now.
    """

    person: str
    id: str
    type: str = "web"
    device: str = ""
    worker: str = ""
    active: bool = True
    opened_ms: int = 0


class Beat(NamedTuple):
    """A heartbeat of a connection; `active` None: unchanged.

    `lifetime_ms`: how long the connection lives without another beat. `at_ms`: the moment of the
    beat in ms since 1970 by Redis's clock, 0 is now.
    """

    person: str
    connection: str
    lifetime_ms: int
    active: bool | None = None
    at_ms: int = 0
