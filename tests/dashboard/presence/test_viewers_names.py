"""The names of the viewers of a thread, as they are shown."""

from types import SimpleNamespace

import fakeredis
import pytest
from redis.exceptions import RedisError

from dashboard.errors import StorageUnavailable
from dashboard.live.visible_rows import VisibleRows
from dashboard.presence.service import PresenceService
from dashboard.presence.viewers import NAMES_SECONDS, Viewers
from presence.rooms import Membership


def test_rows_that_came_while_redis_was_away_are_no_longer_watched_once_they_are_gone(
    database, clock, monkeypatch
):
    """A long outage ends nothing: at most 500 rooms are watched for a socket."""
    service, rows = PresenceService(fakeredis.FakeRedis(), database, clock), VisibleRows()
    emitter = SimpleNamespace(send=lambda *given: None)
    viewers = Viewers(service, rows, lambda ids: {}, emitter)

    def scrolls(to: int) -> None:
        rows.watch("s-1", range(to, to + 30), range(to - 30, to))

    with monkeypatch.context() as broken:
        broken.setattr(service.threads, "look_up", lambda names: raise_away())
        for step in range(30):
            scrolls(30 * step)
            with pytest.raises(RedisError):
                viewers.flush()
    scrolls(900)
    viewers.flush()
    assert not rows.changed


def raise_away():
    raise RedisError("away")


def test_a_new_name_is_shown_after_some_seconds_and_read_once_until_then(database, clock):
    service = PresenceService(fakeredis.FakeRedis(), database, clock)
    known, asked = {7: "Mai"}, []
    now = SimpleNamespace(seconds=100.0)

    def names_of(ids):
        asked.append(sorted(ids))
        if not known:
            raise StorageUnavailable
        return dict(known)

    emitter = SimpleNamespace(send=lambda *given: None)
    viewers = Viewers(service, VisibleRows(), names_of, emitter, lambda: now.seconds)

    def shown() -> list[str]:
        found = viewers.join("s-1", Membership("42", "7", "c-1"), shown=True)
        return [each["name"] for each in found]

    assert shown() == ["Mai"]
    known[7] = "Mai Trần"
    now.seconds += NAMES_SECONDS - 1
    assert shown() == ["Mai"] and asked == [[7]]
    now.seconds += 1
    assert shown() == ["Mai Trần"] and asked == [[7], [7]]
    known.clear()
    now.seconds += NAMES_SECONDS
    assert shown() == ["Mai Trần"], "SQL is away: the viewers are sent with their old names"
    known[8] = "Ben"
    assert shown() == [""], "the admin was deleted"
