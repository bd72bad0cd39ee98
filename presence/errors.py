"""What can go wrong beside Redis itself, whose errors come through as they are."""


class PresenceError(Exception):
    """The parent of all errors of this package."""


class UnknownValue(PresenceError, ValueError):
    """A status, type, mode, visibility, level or setting that does not exist."""


class InvalidName(PresenceError, ValueError):
    """A person, connection, room or namespace that cannot be named so."""


class InvalidCursor(PresenceError, ValueError):
    """A cursor that no page has given out."""


class LayoutChanged(PresenceError):
    """The data in Redis was written with another number of shards."""


class TooMany(PresenceError, ValueError):
    """More people are asked for, or watched, than one call or one watcher may."""


class RoomFull(PresenceError):
    """The room has as many people as it may hold."""
