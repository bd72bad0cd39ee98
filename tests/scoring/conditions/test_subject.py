"""Each attribute of a thread is declared once, and has the place that its declaration says."""

from itertools import groupby
from types import NoneType
from typing import get_args, get_type_hints

from scoring.conditions.fields import FIELDS
from scoring.conditions.nodes import Within
from scoring.conditions.subject import ATTRIBUTES, Origin, Subject
from scoring.facts import Facts
from scoring.sorting.rules import TIMES


def test_attributes_of_one_origin_stand_together_in_the_order_of_origins():
    """A subject is composed of one part for each origin."""
    origins = [attribute.origin for attribute in ATTRIBUTES.values()]
    assert [origin for origin, _ in groupby(origins)] == list(get_args(Origin))


def test_the_facts_say_as_many_values_as_are_declared_of_them():
    others = [name for name, one in ATTRIBUTES.items() if one.origin != "facts"]
    assert Facts().subject(*others)[-len(others) :] == tuple(others)


def test_a_default_is_a_value_that_the_attribute_may_have():
    """It stands for a thread's unknown values."""
    for name, attribute in ATTRIBUTES.items():
        default = Subject._field_defaults[name]
        assert default in attribute.values or not attribute.values, name
        assert (default is None) == (NoneType in get_args(get_type_hints(Subject)[name])), name


def test_the_clock_is_compared_with_times_alone():
    asked = {leaf for field in FIELDS.values() for leaf in field.words.values() if leaf}
    times = {leaf.attribute for leaf in asked if isinstance(leaf, Within)}
    times |= {field.attribute for field in FIELDS.values() if field.kind in ("duration", "day")}
    times |= {name for names in TIMES.values() for name in names}
    assert times == {name for name, attribute in ATTRIBUTES.items() if attribute.kind == "time"}
