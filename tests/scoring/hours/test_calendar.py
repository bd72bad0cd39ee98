"""What calendars are made of, and what is refused."""

import pytest

from scoring.calendar import Calendar, CalendarError, read_calendar, read_date, read_interval


def test_a_calendar_is_the_same_however_it_is_written():
    one = read_calendar(
        "Asia/Ho_Chi_Minh",
        {"mon": [["22:00", "06:00"], ["09:00", "12:00"]]},
        [{"date": "2026-12-26", "intervals": []}, {"date": "2026-12-25", "intervals": []}],
    )
    other = read_calendar(
        "Asia/Ho_Chi_Minh",
        {"tue": [], "mon": (("09:00", "12:00"), ("22:00", "06:00"), ("09:00", "12:00"))},
        [{"date": "2026-12-25", "intervals": []}, {"date": "2026-12-26", "intervals": []}],
    )
    assert one == other
    assert hash(one) == hash(other)
    monday = ((540, 720), (1_320, 1_800))
    day = read_date("2026-12-25")
    exceptions = ((day, ()), (day + 1, ()))
    assert one == Calendar("Asia/Ho_Chi_Minh", (monday, *((),) * 6), exceptions)


@pytest.mark.parametrize(
    ("begin", "end", "minutes"),
    [
        ("09:00", "12:00", (540, 720)),
        ("22:00", "06:00", (1_320, 1_800)),
        ("09:00", "09:00", (540, 1_980)),
        ("23:59", "00:00", (1_439, 1_440)),
        ("00:00", "24:00", (0, 1_440)),
        ("00:00", "00:00", (0, 1_440)),
        ("22:00", "24:00", (1_320, 1_440)),
    ],
)
def test_an_interval_that_ends_at_or_before_its_beginning_goes_over_midnight(begin, end, minutes):
    assert read_interval(begin, end) == minutes


@pytest.mark.parametrize(
    ("timezone", "week", "exceptions", "pointer"),
    [
        ("Asia/Nowhere", {}, [], "/timezone"),
        ("Asia", {}, [], "/timezone"),
        ("", {}, [], "/timezone"),
        ("../etc/passwd", {}, [], "/timezone"),
        ("UTC\0", {}, [], "/timezone"),
        (None, {}, [], "/timezone"),
        ("UTC", {"monday": []}, [], "/week/monday"),
        ("UTC", {"mon": None}, [], "/week/mon"),
        ("UTC", {"mon": ["09:00"]}, [], "/week/mon/0"),
        ("UTC", {"mon": [["09:00", "10:00", "11:00"]]}, [], "/week/mon/0"),
        ("UTC", {"mon": [["09:00", "10:00"], ["9:00", "10:00"]]}, [], "/week/mon/1/0"),
        ("UTC", {"mon": [["09:00", "24:01"]]}, [], "/week/mon/0/1"),
        ("UTC", {"mon": [["09:00", "10:60"]]}, [], "/week/mon/0/1"),
        ("UTC", {"mon": [["09:00", "10:00\n"]]}, [], "/week/mon/0/1"),
        ("UTC", {"mon": [["09:00", "١٠:٠٠"]]}, [], "/week/mon/0/1"),
        ("UTC", {"mon": [["24:00", "10:00"]]}, [], "/week/mon/0/0"),
        ("UTC", {"mon": [[9, 10]]}, [], "/week/mon/0/0"),
        ("UTC", {}, [{"date": "2026-02-29", "intervals": []}], "/exceptions/0/date"),
        ("UTC", {}, [{"date": "26-02-01", "intervals": []}], "/exceptions/0/date"),
        ("UTC", {}, [{"date": "20260201", "intervals": []}], "/exceptions/0/date"),
        ("UTC", {}, [{"date": "1999-12-31", "intervals": []}], "/exceptions/0/date"),
        ("UTC", {}, [{"date": "2026-12-25"}], "/exceptions/0/intervals"),
        ("UTC", {}, [{"date": "2026-12-25", "intervals": []}] * 2, "/exceptions/1/date"),
    ],
)
def test_what_is_no_calendar_is_refused_at_its_place(timezone, week, exceptions, pointer):
    with pytest.raises(CalendarError) as refused:
        read_calendar(timezone, week, exceptions)
    assert refused.value.pointer == pointer
