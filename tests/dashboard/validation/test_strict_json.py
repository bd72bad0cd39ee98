"""The decoder reads JSON, and refuses texts that two readers could read differently."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.errors import Problem
from dashboard.validation import strict_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(0.1, 1e9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def refused(data: bytes) -> tuple[int, str]:
    with pytest.raises(Problem) as found:
        strict_json.loads(data)
    return found.value.status, found.value.code


@given(VALUES)
def test_every_document_is_read_as_it_was_written(value):
    assert strict_json.loads(json.dumps(value).encode()) == value
    assert strict_json.loads(json.dumps(value, ensure_ascii=False, indent=1).encode()) == value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b"{'a': 1}",
        b'{"a": 1,}',
        b"[1,]",
        b"// x\n{}",
        b"{} {}",
        b"\xef\xbb\xbf{}",
        b'"\x00"',
        b'"a\nb"',
        b"01",
        b"+1",
        b".5",
        b"0x10",
        b'"\\x41"',
        b"nul",
    ],
)
def test_what_is_no_json_is_malformed(data):
    assert refused(data) in {(400, "malformed_json"), (400, "invalid_encoding")}


@pytest.mark.parametrize("document", ['{"a": 1}', "[]", "5", '{"tên": "Mai"}'])
@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]
)
def test_another_encoding_than_utf_8_is_named(document, encoding):
    """H17"""
    assert refused(document.encode(encoding)) == (400, "not_utf8")


@pytest.mark.parametrize(
    "data", [b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\xaf"', b'"\xf4\x90\x80\x80"']
)
def test_what_is_no_utf_8_is_refused(data):
    assert refused(data) == (400, "invalid_encoding")


@pytest.mark.parametrize(
    "data", [b'{"a": 1, "a": 1}', b'[{"b": {"a": 1, "\\u0061": 2}}]', b'{"": 1, "": 2}']
)
def test_a_key_that_stands_twice_is_refused(data):
    assert refused(data) == (400, "duplicate_key")


@pytest.mark.parametrize("data", [b"NaN", b"[Infinity]", b'{"a": -Infinity}', b"1e400", b"-1e999"])
def test_what_is_not_finite_is_refused(data):
    assert refused(data) == (400, "not_finite")


def test_thirty_two_levels_are_read_and_thirty_three_are_too_deep():
    assert strict_json.loads(b"[" * 32 + b"]" * 32)
    assert refused(b"[" * 33 + b"]" * 33) == (400, "too_deep")
    assert refused(b'{"a":' * 33 + b"1" + b"}" * 33) == (400, "too_deep")


#: The highest cost of the refusal, as a multiple of reading without depth.
DEEP_TIMES_MAX = 2
DEEP = [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 100_000 + b"]" * 100_000]


@pytest.mark.parametrize("data", DEEP)
def test_any_depth_is_refused(data):
    assert refused(data) == (400, "too_deep")


@pytest.mark.slow
@pytest.mark.parametrize("data", DEEP)
def test_any_depth_is_refused_cheaply(data):
    """Compared with reading as many bytes without depth, by processor time; the least of three."""
    flat = b"[" + b",".join([b'"aaaaa"'] * (len(data) // 8)) + b"]"
    assert least_seconds(refused, data) < DEEP_TIMES_MAX * least_seconds(strict_json.loads, flat)


def least_seconds(read, data):
    costs = []
    for _ in range(3):
        begun = time.process_time()
        read(data)
        costs.append(time.process_time() - begun)
    return min(costs)


def test_brackets_in_strings_are_no_levels():
    value = ["[" * 50, '{"' * 50, '\\"[' * 50, "\\" * 9, {"[" * 40: "]" * 40}]
    assert strict_json.loads(json.dumps(value).encode()) == value


@given(st.lists(st.text('[]{}"\\', max_size=30), min_size=1, max_size=8))
def test_only_brackets_outside_of_strings_count(texts):
    assert strict_json.loads(json.dumps([texts] * 9).encode()) == [texts] * 9


@pytest.mark.parametrize("data", [b"-0", b"1.0", b"1e2", b"-0.0"])
def test_no_other_notation_than_digits_is_an_integer(data):
    assert type(strict_json.loads(data)) is float


def test_a_number_of_any_length_is_read_at_once():
    assert strict_json.loads(b"9" * 500_000) > 2**63
    assert strict_json.loads(b"-" + b"9" * 500_000) < -(2**63)
