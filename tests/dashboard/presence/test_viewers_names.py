"""The names of the viewers of a thread, as they are shown."""

from types import SimpleNamespace

import fakeredis

from dashboard.errors import StorageUnavailable
from dashboard.live.visible_rows import VisibleRows
from dashboard.presence.service import PresenceService
from dashboard.presence.viewers import NAMES_SECONDS, Viewers
from presence.rooms import Membership


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
