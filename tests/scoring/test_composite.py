"""Packing is exact, keeps the order and refuses what does not fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.composite import (
    SCORE_BITS,
    TIER_MAX,
    TIME_MAX_MS,
    ScoreError,
    pack,
    tier_of,
    unpack,
)

tiers = st.integers(0, TIER_MAX)
moments = st.integers(0, TIME_MAX_MS) | st.sampled_from([0, 1, TIME_MAX_MS - 1, TIME_MAX_MS])
directions = st.sampled_from(["oldest", "newest"])


@given(tiers, moments, directions)
def test_unpacking_gives_what_was_packed(tier, moment, direction):
    score = pack(tier, moment, direction)
    assert unpack(score, direction) == (tier, moment)
    assert tier_of(score) == tier


@given(tiers, moments, directions)
def test_a_score_is_an_exact_double_below_two_to_the_53(tier, moment, direction):
    score = pack(tier, moment, direction)
    assert 0 <= score < 2**53
    assert int(float(score)) == score
    assert float(score) != float(score + 1) or score == 2**53 - 1


@given(st.tuples(tiers, moments), st.tuples(tiers, moments))
def test_scores_compare_as_their_tuples_do(one, other):
    def signed(place):
        return place[0], -place[1]

    assert (pack(*one, "oldest") < pack(*other, "oldest")) == (one < other)
    assert (pack(*one, "newest") < pack(*other, "newest")) == (signed(one) < signed(other))


def test_the_formula_is_the_required_one():
    assert pack(3, 1_790_000_000_000, "oldest") == 3 * 2**42 + 1_790_000_000_000
    assert pack(3, 1_790_000_000_000, "newest") == 3 * 2**42 + 2**42 - 1 - 1_790_000_000_000
    assert (TIER_MAX + 1) * 2**42 == 2**SCORE_BITS


@pytest.mark.parametrize(
    ("tier", "moment"), [(-1, 0), (TIER_MAX + 1, 0), (0, -1), (0, TIME_MAX_MS + 1)]
)
@pytest.mark.parametrize("direction", ["oldest", "newest"])
def test_what_does_not_fit_is_refused(tier, moment, direction):
    with pytest.raises(ScoreError):
        pack(tier, moment, direction)


@pytest.mark.parametrize("score", [-1, 2**53, 2**60])
def test_a_score_that_nothing_packs_to_is_refused(score):
    with pytest.raises(ScoreError):
        unpack(score, "oldest")
