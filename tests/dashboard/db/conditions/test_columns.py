"""Each attribute of a thread has a value in SQL, and is in the columns read for conditions."""

from typing import get_type_hints

from dashboard.db.conditions import COLUMNS, COMPUTED
from dashboard.db.models.threads import threads
from dashboard.db.threads.customers import RankedValues
from dashboard.db.threads.thread_states import ThreadColumns
from scoring.conditions.subject import ATTRIBUTES, SETS, Subject


def test_every_attribute_has_a_value_in_sql():
    assert tuple(COLUMNS) == Subject._fields
    assert COMPUTED.keys() <= COLUMNS.keys()


def test_what_columns_say_is_stored_under_its_name():
    """A column with the name of another attribute may mean something else, such as `closed_at`."""
    for name, attribute in ATTRIBUTES.items():
        if attribute.origin == "columns":
            assert COLUMNS[name] is threads.c[name], name


def test_columns_and_customers_have_what_is_read_from_them_in_its_type():
    types = {"columns": get_type_hints(ThreadColumns), "customer": get_type_hints(RankedValues)}
    declared = get_type_hints(Subject)
    for name, attribute in ATTRIBUTES.items():
        if attribute.origin in types:
            expected = str | None if name in SETS else declared[name]
            assert types[attribute.origin][name] == expected, name
