"""RFC 3339 timestamps with an offset, and nothing else, become milliseconds."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.validation import fields

NOON_MS = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp() * 1000)


@given(
    st.datetimes(datetime(2000, 1, 2), datetime(2100, 12, 30)),
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
def test_every_moment_is_read_in_every_offset(moment, offset_minutes):
    zone = timezone(timedelta(minutes=offset_minutes))
    written = moment.replace(tzinfo=zone).isoformat()
    exact = (moment.replace(tzinfo=zone) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        milliseconds=1
    )
    assert fields.parse(written) == exact


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20T12:00:00Z",
        "2026-11-20t12:00:00z",
        "2026-11-20T12:00:00-00:00",
        "2026-11-20T12:00:00.0Z",
        "2026-11-20T12:00:00.000999999Z",
        "2026-11-21T02:00:00+14:00",
        "2026-11-19T22:00:00-14:00",
        "2026-11-20T17:30:00.000000000000+05:30",
    ],
)
def test_notations_of_the_same_moment_are_read_alike(text):
    assert fields.parse(text) == NOON_MS


def test_finer_digits_are_cut_off():
    assert fields.parse("2026-11-20T12:00:00.123999999Z") == NOON_MS + 123
    assert fields.parse("2026-11-20T12:00:00.1Z") == NOON_MS + 100


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-11-20",
        "2026-11-20T12:00:00",
        "2026-11-20T12:00Z",
        "2026-W47-5T12:00:00Z",
        "20261120T120000Z",
        "2026-11-20 12:00:00Z",
        "2026-11-20T12:00:00+0700",
        "2026-11-20T12:00:00+07",
        "2026-11-20T12:00:00+24:00",
        "2026-11-20T12:00:00+05:60",
        "2026-11-20T12:00:00,5Z",
        "2026-11-20T12:00:00.Z",
        "2026-02-30T12:00:00Z",
        "2026-13-01T12:00:00Z",
        "2026-11-20T24:00:00Z",
        "2026-11-20T12:60:00Z",
        "2026-11-20T12:00:61Z",
        "2026-11-20T12:00:60Z",
        "1763640000",
        "1763640000000",
        " 2026-11-20T12:00:00Z",
        "2026-11-20T12:00:00Z\n",
        "２０２６-11-20T12:00:00Z",
        "2026-11-20T12:00:00." + "0" * 100 + "Z",
    ],
)
def test_everything_else_is_refused(text):
    with pytest.raises(fields.TimestampError):
        fields.parse(text)


def test_a_leap_second_is_the_second_that_follows():
    new_year = fields.parse("2017-01-01T00:00:00Z")
    assert fields.parse("2016-12-31T23:59:60Z") == new_year
    assert fields.parse("2017-01-01T06:59:60.5+07:00") == new_year + 500


@pytest.mark.parametrize(
    "text",
    [
        "1970-01-01T00:00:00Z",
        "1999-12-31T23:59:59.999Z",
        "2000-01-01T00:00:00+00:01",
        "2101-01-01T00:00:00Z",
        "9999-12-31T23:59:60Z",
        "0001-01-01T00:00:00+14:00",
        "0000-01-01T00:00:00Z",
    ],
)
def test_years_before_2000_and_after_2100_are_out_of_range(text):
    with pytest.raises(fields.TimestampRangeError):
        fields.parse(text)


def test_the_first_and_the_last_moment_are_taken():
    assert fields.parse("2000-01-01T00:00:00Z") == 946_684_800_000
    assert fields.parse("2100-12-31T23:59:59.999Z") == 4_133_980_799_999
    assert fields.parse("1999-12-31T23:00:00-02:00") == 946_688_400_000
