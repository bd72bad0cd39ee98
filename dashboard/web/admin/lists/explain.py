"""Explains a thread's place on a list: the rule, the fact it orders by, and the rank."""

from contextlib import suppress
from dataclasses import asdict

from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db import policies
from dashboard.db.conditions import subjects
from dashboard.db.lists import named_lists
from dashboard.db.lists.named_lists import ListName, NamedList
from dashboard.errors import NotFound
from dashboard.services import Services

#: A time's name on the wire, if the code has another one; the wire's is older.
_WIRE_NAMES = {"first_request_at": "first_call_at"}
#: The name of a rule without a condition; a saved rule is named by its condition.
_OTHERS = "others"


class Explainer:
    """Ranks come from Redis, as in the lists; from SQL while Redis is away."""

    def __init__(self, services: Services):
        self._database = services.database
        self._ranking = services.ranking
        self._clock = services.clock

    def explain(self, thread_id: int, name: ListName, admin_id: int) -> dict[str, object]:
        """Explains the place. `rank` counts from 0; None if the thread is not on the list.

        Raises NotFound for an unknown thread, and the errors of `named_lists.find`.
        """
        now = self._clock()
        with self._database.read() as connection:
            found = subjects(connection, [thread_id])
            if thread_id not in found:
                raise NotFound("There is no such thread.")
            named = named_lists.find(connection, name, admin_id)
            rank, total = self._rank(connection, thread_id, named)
            due = policies.explained(connection, found[thread_id], now)
        explanation = named.query_list.order.explain(found[thread_id], now)
        shown = {
            "fact": _WIRE_NAMES.get(explanation.fact, explanation.fact),
            "rule": explanation.rule or _OTHERS,
        }
        return asdict(explanation) | shown | {"rank": rank, "total": total, "due": due}

    def _rank(
        self, connection: Connection, thread_id: int, named: NamedList
    ) -> tuple[int | None, int]:
        """Returns rank and total. A list that nobody looks at is counted in SQL."""
        if named.epoch is not None:
            with suppress(RedisError):
                return self._ranking.rank(named.list_id, named.name.sort, thread_id)
        now = self._clock()
        _, total = named.listed(connection, now, limit=0)
        return named.rank(connection, now, thread_id), total
