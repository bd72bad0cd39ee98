"""The suggestions while a query is typed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.conditions.fields import FIELDS
from scoring.conditions.language.completion import SUGGESTIONS_MAX, complete
from tests.scoring.conditions.oracle import ADMINS
from tests.scoring.conditions.test_parser import may_begin_a_query
from tests.scoring.conditions.worlds import SOURCES, texts, worlds
from tests.support import examples

CHOICES = {"source": SOURCES, "lang": ("vi", "en-GB"), "assigned": tuple(ADMINS)}
CHOICES["tag"] = ("vip", "đổi-trả", "none")


def proposed(text: str) -> list[str]:
    """Returns the texts that the suggestions would make; `|` stands for the cursor."""
    at = text.index("|")
    plain = text.replace("|", "")
    return [
        plain[: each["from"]] + each["text"] + plain[each["to"] :]
        for each in complete(plain, at, CHOICES)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pr|", ["priority:"]),
        ("is:open -SO|", ["is:open -source:"]),
        ("priority:u|", ["priority:urgent"]),
        ("priority:u| is:open", ["priority:urgent is:open"]),
        ("priority:|low is:open", [f"priority:{x} is:open" for x in FIELDS["priority"].words]),
        ("priority:urgent,high,|", ["priority:urgent,high,normal", "priority:urgent,high,low"]),
        ("source:M|", ['source:"my shop"']),
        ('source:"my s|', ['source:"my shop"']),
        ('source:"my s|hop" is:open', ['source:"my shop" is:open']),
        ("source:a|", ['source:"a\\"b\\\\c"']),
        ("assigned:n|", ["assigned:none"]),
        ("assigned:ma|", ["assigned:mai@desk.example"]),
        ("lang:|", ["lang:none", "lang:vi", "lang:en-GB"]),
        ("tag:|", ["tag:none", "tag:vip", "tag:đổi-trả", 'tag:"none"']),
        ("tag:none,V|", ["tag:none,vip"]),
        ("waits:|", ["waits:>", "waits:<", "waits:>=", "waits:<="]),
        ("waits:>15|", ["waits:>15m", "waits:>15h", "waits:>15d", "waits:>15s"]),
        ("(is:open o|", ["(is:open or"]),
        ("refund xyz|", []),
        ('"to be or| not"', []),
        ("foo:b|", []),
        ("pri|ority:low", ["priority:low"]),
        ('so|"a phrase"', ['source:"a phrase"']),
    ],
)
def test_what_is_begun_is_completed(text, expected):
    assert proposed(text) == expected


def test_where_nothing_is_begun_fields_and_parentheses_are_proposed():
    names = [f"{name}:" for name in FIELDS]
    assert [each["text"] for each in complete("", 0, {})] == [*names, "(", "-"]
    assert [each["text"] for each in complete("(is:open ", 9, {})] == [*names, "or", ")", "(", "-"]
    assert [each["text"] for each in complete("-", 1, {})] == [*names, "("]
    assert {each["kind"] for each in complete("", 0, {})} == {"field", "operator"}
    many = {"source": [f"shop-{number}" for number in range(1_000)]}
    assert len(complete("source:s", 8, many)) == SUGGESTIONS_MAX
    assert complete("source:s", 999, many) == complete("source:s", 8, many)


@settings(max_examples=examples(60))
@given(worlds().flatmap(texts).filter(lambda text: len(text) < 60), st.data())
def test_with_every_suggestion_a_query_can_go_on(text, data):
    at = data.draw(st.integers(0, len(text)))
    for each in complete(text, at, CHOICES):
        assert each["from"] <= at <= each["to"]
        assert may_begin_a_query(text[: each["from"]] + each["text"]), (text[:at], each)


@given(st.text(max_size=40), st.integers(-3, 60))
def test_any_text_may_be_completed(text, at):
    complete(text, at, CHOICES)
