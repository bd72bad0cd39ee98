"""Codes of an authenticator app."""

import base64
from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.db.accounts import second_factor
from tests.support import code_at

#: The seed of RFC 6238, appendix B, for SHA-1.
SEED = base64.b32encode(b"12345678901234567890").decode()
#: Its times in seconds, and the last six of its eight digits.
VECTORS = [
    (59, "287082"),
    (1_111_111_109, "081804"),
    (1_111_111_111, "050471"),
    (1_234_567_890, "005924"),
    (2_000_000_000, "279037"),
    (20_000_000_000, "353130"),
]
NOW = 1_790_000_010_000
STEP = NOW // second_factor.STEP_MS


@pytest.mark.parametrize(("seconds", "code"), VECTORS)
def test_codes_are_those_of_the_standard(seconds, code):
    assert code_at(SEED, seconds * 1000) == code
    assert second_factor.step_of(SEED, code, seconds * 1000) == seconds // 30


@pytest.mark.parametrize(("steps", "is_taken"), [(-2, 0), (-1, 1), (0, 1), (1, 1), (2, 0)])
def test_a_clock_may_be_one_step_off(steps, is_taken):
    code = code_at(SEED, NOW + steps * second_factor.STEP_MS)
    found = second_factor.step_of(SEED, code, NOW)
    assert found == (STEP + steps if is_taken else None)


def test_a_code_counts_to_the_last_millisecond_of_the_step_after_its_own():
    code = code_at(SEED, NOW)
    start = STEP * second_factor.STEP_MS
    assert second_factor.step_of(SEED, code, start + 2 * second_factor.STEP_MS - 1) == STEP
    assert second_factor.step_of(SEED, code, start + 2 * second_factor.STEP_MS) is None
    assert second_factor.step_of(SEED, code, start - second_factor.STEP_MS) == STEP
    assert second_factor.step_of(SEED, code, start - second_factor.STEP_MS - 1) is None


@pytest.mark.parametrize("after", [STEP, STEP + 1])
def test_no_code_counts_of_a_step_that_was_used_or_before_it(after):
    assert second_factor.step_of(SEED, code_at(SEED, NOW), NOW, after) is None
    assert second_factor.step_of(SEED, code_at(SEED, NOW), NOW, STEP - 1) == STEP


@pytest.mark.parametrize(
    "wrong", ["", "28708", "2870820", "٢٨٧٠٨٢", "\ud800", "287082\n", "abcdef"]
)
def test_what_is_no_code_is_wrong(wrong):
    assert second_factor.step_of(SEED, wrong, 59_000) is None


def test_a_new_secret_has_160_bits_and_is_another_each_time():
    secrets = {second_factor.new_secret() for _ in range(50)}
    assert len(secrets) == 50
    assert {len(base64.b32decode(secret)) for secret in secrets} == {20}


def test_the_address_for_the_app_names_account_issuer_and_secret():
    parts = urlsplit(second_factor.uri(SEED, "mai+1@example.com"))
    assert (parts.scheme, parts.netloc) == ("otpauth", "totp")
    assert parts.path == "/Lineup:mai%2B1%40example.com"
    assert parse_qs(parts.query) == {"secret": [SEED], "issuer": ["Lineup"]}
