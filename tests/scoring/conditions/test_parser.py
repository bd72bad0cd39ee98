"""The texts that are queries, and the place of the first mistake in those that are none."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.conditions.language.parser import DEPTH_MAX, FIELDS, LENGTH_MAX, TERMS_MAX, parse
from scoring.conditions.language.query import QueryError, SearchWord
from tests.scoring.conditions import oracle
from tests.scoring.conditions.worlds import texts, worlds
from tests.support import examples

TERMS = (
    *(f"{name}:{word}" for name, words in oracle.WORDS.items() for word in words.split()),
    *("assigned:a@b", 'assigned:"a@b"', "source:x", 'source:"x\\\\"', "desk:x"),
    *("lang:vi", "lang:vi-vn"),
    *("tag:x", 'tag:"x"'),
    *(f"{name}:{operator}10m" for name in oracle.TIMES for operator in (">", ">=")),
    *("due:>10s", "due:>10h", "due:>10d"),
    *("created:2026-11-20", "closed:>=2026-11-20", "created:2100-12-31..2100-12-31"),
    *("created:2000-01-01..2026-12-29", "created:2024-02-29..2099-10-10", "closed:2026-10-28"),
    *("created:2026-11-30..2026-11-30", "created:2026-11-19..2026-11-25", "created:2099-09-09"),
    *(f"created:{day}" for day in ("2042-04-24", "2053-05-05", "2067-06-16", "2078-08-07")),
)
#: Endings that may complete a text that was cut anywhere.
ENDINGS = [
    f"{tail}{closing}"
    for tail in dict.fromkeys(
        ending
        for term in ("", *TERMS, "or is:open")
        for ending in (term[at:] for at in range(len(term) + 1))
    )
    for closing in ("", ")", "))", ")))", "))))")
]
ENDINGS.sort(key=len)


def may_begin_a_query(text: str) -> bool:
    """Whether a valid query begins with a text: one of many endings makes it one."""
    return any(oracle.is_valid(text + ending) for ending in ENDINGS)


@st.composite
def nearly_right(draw: st.DrawFn) -> str:
    """A short query in which a few characters were changed, or whose end is missing."""
    text = draw(texts(draw(worlds())).filter(lambda text: len(text) < 60))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        put = draw(st.sampled_from([*'()-:,"\\@.<>=', " ", "or", "ſ", "K", "x", "1", "9", "\x00"]))
        text = text[:at] + put + text[at + draw(st.integers(0, 2)) :]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


def check_place(text: str) -> None:
    try:
        parse(text)
    except QueryError as error:
        assert not oracle.is_valid(text), text
        assert may_begin_a_query(text[: error.at]), f"wrong before {error.at}: {text!r}"
        if error.at < len(text):
            assert not may_begin_a_query(text[: error.at + 1]), f"right at {error.at}: {text!r}"
        assert error.at <= len(text)
        assert error.expected
    else:
        assert oracle.is_valid(text), text


@settings(max_examples=examples(120))
@given(nearly_right())
def test_a_mistake_is_the_first_character_with_which_no_query_goes_on(text):
    check_place(text)


@pytest.mark.parametrize("name", FIELDS)
def test_the_name_of_a_field_may_be_cut_anywhere(name):
    for length in range(1, len(name) + 1):
        check_place(f'{name[:length]}(x:"shop" ')


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("asigned:me", 2, "assigned:"),
        ("priority:urgnet", 12, "urgent"),
        ("is:open foo", 8, "is:"),
        ("is:", 3, "open"),
        ("is:open,", 8, "closed"),
        ("is :open", 2, "is:"),
        ("is:open)", 7, ","),
        ("is:open )", 8, "is:"),
        ("is:open(is:closed)", 7, ","),
        ("(is:open", 8, ")"),
        ("(is:open ", 9, "or"),
        ("(is:open ox", 10, "or"),
        ("(is:open or)", 11, "a blank"),
        ("(is:open or )", 12, "is:"),
        ("(or is:open)", 1, "is:"),
        ("()", 1, "is:"),
        ("is:open or is:closed", 8, "is:"),
        ("- is:open", 1, "("),
        ("--is:open", 1, "("),
        ("member:7", 7, "5"),
        ("assigned:mai lang:vi", 12, "an e-mail address"),
        ("assigned:@desk", 9, "me"),
        ('assigned:"mai"', 13, "an e-mail address"),
        ('source:""', 8, "some text"),
        ('source:"my shop', 15, '"'),
        ('source:"my\\shop"', 11, '"'),
        ("tag:", 4, "none"),
        ("tag:a_b", 5, ","),
        ("tag:vip,", 8, "a name"),
        ('tag:""', 5, "some text"),
        ('tag:"a b"', 6, '"'),
        ('tag:"a', 6, '"'),
        (f"tag:{'x' * 65}", 68, "a name"),
        ("lang:v", 6, "a language such as vi"),
        ("waits:10m", 6, ">"),
        ("waits:>", 7, "a time such as 10m"),
        ("waits:>10", 9, "m"),
        ("waits:>10x", 9, "m"),
        ("waits:>123456789s", 15, "s"),
        ("waits:>1.5h", 8, "h"),
        ("waits:>10mm", 10, ","),
        ("created:2026-02-29", 17, "a day such as 2026-11-20"),
        ("created:2026-13-01", 14, "a day such as 2026-11-20"),
        ("created:1999-12-31", 8, ">="),
        ("created:2101-01-01", 11, "a day such as 2026-11-20"),
        ("created:2026-11-05..2026-11-04", 29, "a day such as 2026-11-20"),
        ("created:2026-11-05.2026", 19, "."),
        ("is:open\x00", 7, "a blank"),
        ("ıs:open", 0, "is:"),
    ],
)
def test_a_mistake_is_told_by_its_place_and_by_what_would_be_right(text, at, expected):
    check_place(text)
    with pytest.raises(QueryError) as raised:
        parse(text)
    assert raised.value.at == at
    assert expected in raised.value.expected


def test_what_is_too_long_too_deep_or_too_much_is_wrong_where_it_begins():
    parse("is:open".ljust(LENGTH_MAX))
    deep = "(" * DEPTH_MAX + "is:open" + ")" * DEPTH_MAX
    parse(deep)
    parse(f"{deep} {deep}")
    wide = " ".join(["is:late"] * 125)
    parse(wide)
    for text, at in (
        ("is:open".ljust(LENGTH_MAX) + " ", LENGTH_MAX),
        (f"({deep})", DEPTH_MAX),
        (f"is:open {'(' * 30}", 8 + DEPTH_MAX),
        (f"{wide} is:late", LENGTH_MAX),
        ("(is:open".ljust(LENGTH_MAX), LENGTH_MAX),
        ("(is:open".ljust(LENGTH_MAX + 1), LENGTH_MAX),
        (f"{wide[:-1]}r is:late", len(wide) - 1),
    ):
        with pytest.raises(QueryError) as raised:
            parse(text)
        assert raised.value.at == at, text


def test_the_terms_are_counted(monkeypatch):
    monkeypatch.setattr("scoring.conditions.language.parser.TERMS_MAX", 3)
    parse("is:open (is:open or -is:open) ")
    for text, at in (
        ("is:open is:open is:open is:open", 24),
        ("is:open is:open is:open -(is:open)", 24),
        ("(is:open is:open is:open or is:open)", 25),
        ("(is:open is:open is:open", 24),
    ):
        with pytest.raises(QueryError) as raised:
            parse(text)
        assert raised.value.at == at, text
    assert TERMS_MAX == 200


@pytest.mark.parametrize(
    "text",
    ["(" * 10_000, "-(" * 10_000, "(is:open or " * 10_000, "(" * 5_000 + ")" * 5_000, "(-" * 99],
)
def test_thousands_of_parentheses_are_answered_at_once(text):
    began = time.thread_time()
    with pytest.raises(QueryError):
        parse(text)
    assert time.thread_time() - began < 0.5


def test_words_are_a_search_s_alone():
    query = parse(
        'refund is:open "to be" or https://a.b/c Re: 10:30 -x (last:bot) 5"', with_words=True
    )
    assert query.words == tuple(
        SearchWord(word, word == "to be")
        for word in ("refund", "to be", "or", "https://a.b/c", "Re:", "10:30", "-x", '5"')
    )
    assert [term.field for term in query.terms()] == ["is", "last"]
    again = parse(query.canonical, with_words=True)
    assert again.words == query.words
    assert (
        again.canonical
        == query.canonical
        == ('is:open last:bot refund "to be" or https://a.b/c Re: 10:30 -x 5"')
    )
    assert parse("is:open", with_words=True) == parse("is:open")
    # A blank that Unicode does not count as white space, as it comes with pasted text.
    [word, _] = parse("Re:\u200b order", with_words=True).words
    assert word.text == "Re:"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("asigned:me refund", 2),
        ("refund is:opne", 12),
        ("(refund or is:open)", 1),
        ("is:open or is:closed", 8),
        ("is:open or\u200bis:closed", 8),
        ('"to be', 6),
        ('""', 1),
        ('"to be"x', 7),
        ("refund\x00", 6),
    ],
)
def test_a_search_is_marked_at_its_mistake(text, at):
    with pytest.raises(QueryError) as raised:
        parse(text, with_words=True)
    assert raised.value.at == at
