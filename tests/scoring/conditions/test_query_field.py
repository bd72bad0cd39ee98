"""The search field of the page reads queries as the parser does; its scripts run in node."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.conditions.fields import FIELDS
from scoring.conditions.language.parser import has_conditions, parse, read_search, typed
from scoring.conditions.language.query import QueryError
from tests.drivers.node import NodeScript
from tests.repository import ROOT
from tests.scoring.conditions.oracle import World
from tests.scoring.conditions.worlds import BLANKS, NOW, texts
from tests.support import examples

CHIPS = ("lang", "source", "priority", "member", "assigned", "age")
WORDS = ("refund", '"not arrived"', '"lang:vi (is:open"', "re:", "https://x.example", "10:30", "-y")
QUERIES = texts(World(NOW, 1, "UTC"))
Items = list[str]


@pytest.fixture(scope="module")
def page() -> Iterator[NodeScript]:
    script = NodeScript("tests/js/query-text.mjs")
    fields = {
        field.name: {"kind": field.kind, "words": [*field.words]} for field in FIELDS.values()
    }
    script.ask({"op": "fields", "fields": fields})
    yield script
    script.close()


def items() -> st.SearchStrategy[Items]:
    """The parts of a query: terms, groups, words."""
    one = QUERIES.map(str.strip) | st.sampled_from(WORDS)
    return st.lists(one.filter(lambda text: text != "" and len(text) < 80), max_size=4)


def spaced(items: Items, data: st.DataObject) -> str:
    blank = st.sampled_from(BLANKS)
    return "".join(item + data.draw(blank) for item in items)


@pytest.mark.parametrize("language", ["en", "vi", "ja"])
def test_the_page_says_what_each_field_and_each_of_its_words_means(language):
    """Priorities and member statuses have texts of their own, beside lists, too."""
    texts = json.loads((ROOT / f"static/i18n/query/{language}.json").read_text(encoding="utf-8"))
    for name, field in FIELDS.items():
        words = () if name in ("priority", "member") else field.words
        expected = {f"query.field.{name}", *(f"query.{name}.{word}" for word in words)}
        assert expected <= texts.keys(), expected - texts.keys()


@settings(max_examples=examples(60))
@example("\u200b")
@given(QUERIES | st.text('isopen:ag ()-,">"\\é😀\u200bｉｓ：“－、', max_size=20))
def test_the_page_searches_for_words_where_the_server_does(page, text):
    conditions = page.ask({"op": "has_conditions", "text": text})
    assert conditions == has_conditions(text)
    try:
        read = read_search(text)
    except QueryError:
        return
    parts = page.ask({"op": "parts", "text": text})
    assert any(part["kind"] == "word" for part in parts) == (read.words.strip() != "")


@settings(max_examples=examples(50))
@given(items(), st.data())
def test_a_term_is_found_and_changed_and_the_rest_stays_as_it_is(page, items, data):
    text = spaced(items, data)
    try:
        query = parse(text, with_words=True)
    except QueryError:
        return  # too long, or a bare `or`
    parts = page.ask({"op": "parts", "text": text})
    words = [part for part in parts if part["kind"] == "word"]
    if any(part["kind"] != "word" for part in parts):
        assert [part["start"] for part in words] == [word.at for word in query.words]
    field = data.draw(st.sampled_from(CHIPS))
    terms = [part for part in parts if part.get("field") == field]
    changed = page.ask({"op": "change", "text": text, "field": field, "values": ["none"]})
    if not terms:
        assert changed is None
        return
    first = terms[0]
    term = text[first["start"] : first["end"]]
    assert ",".join(first["values"]) == term.partition(":")[2]
    assert parse(term).canonical
    name = term.partition(":")[0]
    assert changed == f"{text[: first['start']]}{name}:none{text[first['end'] :]}"
    left = page.ask({"op": "change", "text": text, "field": field, "values": []})
    rest = f"{text[: first['start']]} {text[first['end'] :]}"
    assert parse(left, with_words=True).canonical == parse(rest, with_words=True).canonical


@settings(max_examples=examples(60))
@given(items(), st.booleans(), st.data())
def test_a_term_more_narrows_the_query_and_nothing_else(page, items, is_not, data):
    text = spaced(items, data) + data.draw(st.sampled_from(["", '"unfinished phrase', "(is:open"]))
    asked = {"op": "write", "text": text, "field": "lang", "values": ["vi"], "is_not": is_not}
    wider = page.ask(asked)
    term = "-lang:vi" if is_not else "lang:vi"
    assert term in (wider[: len(term)], wider[-len(term) :])
    try:
        wanted = parse(f"{text} {term}", with_words=True).canonical
    except QueryError:
        return
    assert parse(wider, with_words=True).canonical == wanted


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("ｔａｇ：ｖｉｐ", "tag:vip"),
        ("tag:“vip”", 'tag:"vip"'),
        ("tag：vip、new，ｏｌｄ", "tag:vip,new,old"),
        ("－ｉｓ：ｏｐｅｎ", "-is:open"),
        ("–is:open", "-is:open"),
        ("assigned:mai＠example.com", "assigned:mai@example.com"),
        ("waits:＞１０ｍ", "waits:>10m"),
        ("created:2026‐11‐20", "created:2026-11-20"),
        ("desk：ｍａｉｎ　is：open", "desk:main\u3000is:open"),
        ("（is：open　or tag：x）", "(is:open\u3000or tag:x)"),
        ("lang:zh＿Hans", "lang:zh_Hans"),
        # Words of a search, and unknown fields.
        ("注意：明日（火）", None),
        ("ＩＤ：４７１１", None),
        ("say “hi” – now", None),
        ('"tag：vip"', None),
    ],
)
def test_conditions_are_read_in_any_width(page, text, read):
    assert typed(text) == (read or text) and len(typed(text)) == len(text)
    assert has_conditions(text) == page.ask({"op": "has_conditions", "text": text})
    assert has_conditions(text) == (read is not None)


def test_a_condition_in_another_width_is_the_same_condition():
    assert (
        parse("ｔａｇ：“ｖｉｐ”　－ｉｓ：ｏｐｅｎ").canonical
        == parse('tag:"vip" -is:open').canonical
    )
    assert read_search("tag：vip “hello – you”").words == "“hello – you”"


def test_a_quote_that_is_still_open_is_missed_at_the_end_of_the_text():
    text = '(assigned:"mai@x.y'
    with pytest.raises(QueryError) as error:
        read_search(text)
    assert error.value.at == len(text) and list(error.value.expected) == ['"']
    assert parse("lang:zh_hans").canonical == "lang:zh-hans"
