"""The scores of sorts in SQL: those of the oracle, on SQLite and PostgreSQL."""

from hypothesis import given, settings
from sqlalchemy import BigInteger, bindparam, select

from dashboard.db.conditions import joined
from dashboard.db.lists.membership import score
from dashboard.db.models.threads import threads
from scoring.sorting.resolved import resolve_sort
from scoring.sorting.rules import Sort
from tests.dashboard.db.conditions.test_where import stored
from tests.scoring.conditions import worlds
from tests.scoring.conditions.oracle import ADMINS, World
from tests.scoring.sorting import oracle
from tests.support import examples

PLACE = "America/Havana"


def test_a_score_in_sql_is_that_of_the_oracle(any_database):
    facts = stored(any_database, PLACE)
    world = World(worlds.NOW, 1, PLACE)
    now = bindparam("now", type_=BigInteger)

    @settings(max_examples=examples(60))
    @given(oracle.rule_lists(world))
    def check(rules):
        sort = resolve_sort(Sort("test", rules), ADMINS.get, world.zone)
        source = joined(sort.attributes)
        expected = {id: oracle.score(rules, known, world) for id, known in facts.items()}
        for at, bound in ((world.now, {}), (now, {"now": world.now})):
            statement = select(threads.c.id, score(sort, at)).select_from(source)
            with any_database.read() as connection:
                assert dict(connection.execute(statement, bound).all()) == expected

    check()
