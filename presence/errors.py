"""Errors of this package; errors of Redis are raised as redis-py raises them."""


class PresenceError(Exception):
    """The parent of all errors of this package."""


class UnknownValue(PresenceError, ValueError):
    """A status, type, mode, visibility or setting that does not exist."""


class InvalidName(PresenceError, ValueError):
    """A text that cannot name a person, a connection, a room or a namespace."""


class TooMany(PresenceError, ValueError):
    """More people or rooms than one call may name or one watcher may watch."""


class ShardsChanged(PresenceError):
    """Redis holds presence that is spread over another number of shards.

    `pattern` matches all its keys.
    """

    def __init__(self, namespace: str, held: str, now: int, pattern: str):
        self.pattern = pattern
        super().__init__(f"{namespace}: {held} shards, now {now}")


class RoomFull(PresenceError):
    """The room has as many members as it may hold."""
