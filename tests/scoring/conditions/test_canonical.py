"""Queries of one meaning have one text, and no two meanings share one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.conditions.language.parser import parse
from tests.scoring.conditions.worlds import texts, worlds
from tests.support import examples


@settings(max_examples=examples(150))
@given(worlds().flatmap(texts))
def test_the_canonical_text_is_a_query_and_its_own_canonical_text(text):
    canonical = parse(text).canonical
    assert parse(canonical).canonical == canonical
    assert len(canonical) <= len(text)
    assert hash(parse(text)) == hash(parse(f"  {text} "))
    assert parse(text) == parse(f"  {text} ")


@settings(max_examples=examples(70))
@given(
    worlds().flatmap(
        lambda world: st.lists(texts(world).filter(str.strip), min_size=2, max_size=4)
    ),
    st.randoms(use_true_random=False),
)
def test_order_and_repetition_change_nothing(parts, random):
    groups = [f"({part})" for part in parts]
    shuffled = [*groups, groups[0]]
    random.shuffle(shuffled)
    if len(" ".join(shuffled)) < 900:
        assert parse(" ".join(shuffled)).canonical == parse(" ".join(groups)).canonical
        either, other = " or ".join(groups), " or ".join(shuffled)
        assert parse(f"({either})").canonical == parse(f"({other})").canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        (" \u3000", ""),
        ("waits:>120S  IS:Open", "is:open waits:>2m"),
        ("waits:>=24h", "waits:>=1d"),
        ("waits:>90s", "waits:>90s"),
        ("waits:<00m", "waits:<0s"),
        ("member:1,0,1", "member:0,1"),
        ("(member:1 or member:0)", "member:0,1"),
        ("-member:1 -member:0", "-member:0,1"),
        ("-(-(is:open))", "is:open"),
        ("(is:open (is:late priority:low))", "is:late is:open priority:low"),
        ("(is:open or (is:late or priority:low))", "(is:late,open or priority:low)"),
        ("-(is:open priority:low)", "-(is:open priority:low)"),
        ("-(is:open or priority:low)", "-(is:open or priority:low)"),
        ("created:2026-11-01..2026-11-01", "created:2026-11-01"),
        ('source:"shop"', "source:shop"),
        ('tag:VIP,"vip",None,"none"', 'tag:"none",none,vip'),
        ('-tag:b -tag:"a"', "-tag:a,b"),
        ('source:"my \\"shop\\\\"', 'source:"my \\"shop\\\\"'),
        ("assigned:MAI@desk.example,me", "assigned:mai@desk.example,me"),
        ("lang:VI-vn", "lang:vi-vn"),
    ],
)
def test_form_that_means_nothing_is_left_out(text, canonical):
    assert parse(text).canonical == canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("is:open,late", "is:open is:late"),
        ("-(is:open is:late)", "-is:open -is:late"),
        ("waits:>10m", "waits:>=10m"),
        ("waits:>1m", "waits:>1h"),
        ("waits:<10m", "-waits:>=10m"),
        ("lang:vi", "lang:vi-vn"),
        ("source:Shop", "source:shop"),
        ("closed:2026-11-01", "created:2026-11-01"),
        ("(is:open priority:low or last:bot)", "is:open (priority:low or last:bot)"),
        ("member:none", "assigned:none"),
        ("created:2026-11-01,2026-11-03", "created:2026-11-01..2026-11-03"),
        ("(member:1 or -member:0)", "member:0,1"),
    ],
)
def test_queries_of_two_meanings_have_two_texts(one, other):
    assert parse(one).canonical != parse(other).canonical
