"""Presence pushed to chatbots that ask for it: what `GET presence` and `presence/team` say."""

from collections import defaultdict
from collections.abc import Callable, Collection
from functools import partial

from dashboard.db.database import Database
from dashboard.db.outbox import pushed_presence
from dashboard.db.outbox.pushed_presence import Assignee, Due
from dashboard.event_types import PRESENCE_CUSTOMER, PRESENCE_TEAM
from dashboard.presence.bots import BotPresence
from presence.people import MAX_LOOKED_UP
from presence.states import State

#: Customers that one transaction tells of; other writes run in between.
TOLD_AT_ONCE = 100


class PresencePusher:
    """Writes changes of presence into the outbox. Every process has one; locks of rows in SQL keep
    them apart. `on_told` starts deliveries. Methods raise RedisError and StorageUnavailable."""

    def __init__(
        self,
        bot_presence: BotPresence,
        database: Database,
        clock: Callable[[], int],
        on_told: Callable[[], object],
    ):
        self._bot_presence = bot_presence
        self._database = database
        self._clock = clock
        self._on_told = on_told
        #: Whether any source asked at the last turn.
        self.is_asked = False

    def note(self, people: Collection[str]) -> int:
        """Notes that these customers (SOURCE/ID) have changed; returns how many are asked for."""
        now = self._clock()
        with self._database.read() as connection:
            asked = pushed_presence.asking(connection, PRESENCE_CUSTOMER.name, now)
        if not asked:
            return 0
        note = partial(pushed_presence.note, asked=asked, people=people, now_ms=now)
        return self._database.write(note, is_idempotent=True)

    def turn(self) -> int:
        """Tells everything that has changed and may be told by now; returns its number."""
        with self._database.read() as connection:
            now = self._clock()
            of_customers = pushed_presence.asking(connection, PRESENCE_CUSTOMER.name, now)
            of_teams = pushed_presence.asking(connection, PRESENCE_TEAM.name, now)
        self.is_asked = bool(of_customers or of_teams)
        count = sum(map(self._tell_team, of_teams))
        while some := self._due(of_customers):
            count += self._tell_customers(some, of_customers)
        if count:
            self._on_told()
        return count

    def _due(self, sources: Collection[int]) -> list[Due]:
        if not sources:
            return []
        with self._database.read() as connection:
            return pushed_presence.due(connection, sources, self._clock(), TOLD_AT_ONCE)

    def _tell_customers(self, some: list[Due], sources: dict[int, str]) -> int:
        by_source: dict[int, dict[str, Due]] = defaultdict(dict)
        for one in some:
            by_source[one.source_id][one.name] = one
        looked_up: dict[Due, State] = {}
        for source_id, by_name in by_source.items():
            states = self._bot_presence.look_up(sources[source_id], list(by_name))
            looked_up |= {by_name[name]: state for name, state in states.items()}
        return self._database.write(
            lambda connection: pushed_presence.tell_customers(connection, looked_up, self._clock())
        )

    def _tell_team(self, source_id: int) -> int:
        with self._database.read() as connection:
            names = pushed_presence.assignees(connection, source_id)
            told = pushed_presence.told_of_team(connection, source_id)
        online, ids = self._bot_presence.is_team_online(), list(names)
        statuses: dict[int, str] = {}
        for first in range(0, len(ids), MAX_LOOKED_UP):
            statuses |= self._bot_presence.team_statuses(ids[first : first + MAX_LOOKED_UP])
        seen = [Assignee(id, name, statuses[id]) for id, name in names.items()]
        if not pushed_presence.team_news(told, online, seen, self._clock()).events:
            return 0
        return self._database.write(
            lambda connection: pushed_presence.tell_team(
                connection, source_id, online, seen, self._clock()
            )
        )
