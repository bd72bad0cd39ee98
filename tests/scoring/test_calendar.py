"""The parts and mistakes of calendars, and elapsed opening time, minute by minute."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scoring.calendar import (
    HORIZON_MS,
    Calendar,
    CalendarError,
    opening_time_after,
    read_calendar,
    read_date,
    read_interval,
)
from tests.scoring.opening_cases import case, zones
from tests.scoring.opening_walker import MINUTE, Walker


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


DAY = 86_400_000
OFFICE = {name: [["09:00", "17:30"]] for name in ("mon", "tue", "wed", "thu", "fri")}
NIGHTS = {name: [["22:00", "06:00"]] for name in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}


def at(text, zone="UTC", fold=0):
    local = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold)
    return round(local.timestamp() * 1_000)


def due(week, since, minutes, zone="UTC", exceptions=()):
    """Returns when the minutes have elapsed, as local time with its offset."""
    found = opening_time_after(read_calendar(zone, week, exceptions), at(since, zone), minutes)
    local = datetime.fromtimestamp(found // 1_000, ZoneInfo(zone))
    return local.isoformat(" ", "minutes") if found % 1_000 == 0 else found


def equals_the_walker(seed, longest, most):
    document, since, minutes = case(seed, longest)
    calendar = read_calendar(document["timezone"], document["week"], document["exceptions"])
    expected = Walker(document).after(since, minutes, most)
    found = opening_time_after(calendar, since, minutes)
    if expected is None:
        assert found is None or found > since // MINUTE * MINUTE + most * MINUTE, (seed, found)
    else:
        assert found == expected, (seed, document, since, minutes)


@pytest.mark.parametrize("part", range(4))
def test_due_times_equal_a_walk_minute_by_minute(part):
    """In every time zone of tzdata."""
    for seed in range(part, len(zones()), 4):
        equals_the_walker(seed, longest=600, most=2_000)


@pytest.mark.slow
@pytest.mark.cpu_bound
@pytest.mark.parametrize("part", range(20))
def test_ten_thousand_due_times_equal_a_walk_minute_by_minute(part):
    for seed in range(1_000_000 + part * 500, 1_000_000 + (part + 1) * 500):
        equals_the_walker(seed, longest=12_000, most=60_000)


def test_the_opening_time_after_one_evening_goes_on_the_next_morning():
    assert due(OFFICE, "2026-11-23 17:25", 30) == "2026-11-24 09:25+00:00"
    assert due(OFFICE, "2026-11-20 17:00", 60) == "2026-11-23 09:30+00:00", "over a weekend"
    assert due(OFFICE, "2026-11-23 03:00", 30) == "2026-11-23 09:30+00:00"


def test_what_ends_with_an_interval_is_due_at_its_end():
    assert due(OFFICE, "2026-11-23 17:00", 30) == "2026-11-23 17:30+00:00"
    assert due(OFFICE, "2026-11-23 17:30", 510) == "2026-11-24 17:30+00:00"


def test_milliseconds_are_kept():
    calendar = read_calendar("Asia/Ho_Chi_Minh", OFFICE)
    since = at("2026-11-23 17:29:59.999", "Asia/Ho_Chi_Minh")
    next_morning = at("2026-11-24 09:00:59.999", "Asia/Ho_Chi_Minh")
    assert opening_time_after(calendar, since, 1) == next_morning


def test_a_night_belongs_to_the_day_on_which_it_begins():
    assert due(NIGHTS, "2026-11-23 05:59", 2) == "2026-11-23 22:01+00:00"
    only_friday = {"fri": [["22:00", "06:00"]]}
    assert due(only_friday, "2026-11-21 05:00", 120) == "2026-11-27 23:00+00:00"
    closed_saturday = [{"date": "2026-11-21", "intervals": []}]
    assert due(only_friday, "2026-11-21 04:00", 120, "UTC", closed_saturday) == (
        "2026-11-21 06:00+00:00"
    ), "the night of Friday is not one of Saturday"
    closed_friday = [{"date": "2026-11-20", "intervals": []}]
    assert due(only_friday, "2026-11-20 12:00", 1, "UTC", closed_friday) == "2026-11-27 22:01+00:00"


def test_an_interval_may_end_a_day_or_be_a_whole_one():
    assert due({"mon": [["23:00", "24:00"]]}, "2026-11-23 12:00", 60) == "2026-11-24 00:00+00:00"
    assert due({"mon": [["23:00", "00:00"]]}, "2026-11-23 12:00", 60) == "2026-11-24 00:00+00:00"
    assert due({"mon": [["00:00", "24:00"]]}, "2026-11-23 00:00", 1_441) == "2026-11-30 00:01+00:00"
    assert due({"mon": [["09:00", "09:00"]]}, "2026-11-24 08:59", 2) == "2026-11-30 09:01+00:00"


def test_intervals_that_overlap_are_one():
    week = {"mon": [["09:00", "12:00"], ["10:00", "13:00"], ["12:30", "12:40"], ["22:00", "10:00"]]}
    week["tue"] = [["08:00", "11:00"]]
    assert due(week, "2026-11-23 00:00", 4 * 60) == "2026-11-23 13:00+00:00"
    assert due(week, "2026-11-23 00:00", 4 * 60 + 2 * 60 + 11 * 60) == "2026-11-24 11:00+00:00"


def test_an_hour_that_clocks_skip_is_no_opening_time():
    zone, nights = "Europe/Berlin", {"sun": [["01:00", "04:00"]]}
    assert due(nights, "2026-03-29 00:00", 120, zone) == "2026-03-29 04:00+02:00"
    only_the_gap = {"sun": [["02:00", "03:00"]]}
    assert due(only_the_gap, "2026-03-29 00:00", 1, zone) == "2026-04-05 02:01+02:00"


def test_an_hour_that_clocks_repeat_is_open_twice():
    zone, nights = "Europe/Berlin", {"sun": [["01:00", "04:00"]]}
    assert due(nights, "2026-10-25 00:00", 240, zone) == "2026-10-25 04:00+01:00"
    twice = {"sun": [["02:00", "02:30"]]}
    assert due(twice, "2026-10-25 00:00", 30, zone) == "2026-10-25 02:30+02:00"
    assert due(twice, "2026-10-25 00:00", 31, zone) == "2026-10-25 02:01+01:00"
    assert due(twice, "2026-10-25 00:00", 60, zone) == "2026-10-25 02:30+01:00"


def test_zones_with_odd_clocks():
    every_day = {name: [["00:00", "01:00"]] for name in NIGHTS}
    assert due(every_day, "2026-11-22 23:00", 1, "Asia/Kathmandu") == "2026-11-23 00:01+05:45"
    # Lord Howe changes its clocks by half an hour; Apia left out 30 December 2011.
    assert due({"sun": [["01:30", "02:30"]]}, "2026-10-04 00:00", 31, "Australia/Lord_Howe") == (
        "2026-10-11 01:31+11:00"
    )
    assert due({"fri": [["09:00", "10:00"]]}, "2011-12-29 12:00", 1, "Pacific/Apia") == (
        "2012-01-06 09:01+14:00"
    )
    assert due({"fri": [["22:00", "06:00"]]}, "2011-12-29 12:00", 60, "Pacific/Apia") == (
        "2011-12-31 01:00+14:00"
    ), "the morning after a Friday that there was not"


def test_thirty_closed_days():
    first = date(2026, 12, 1)
    closed = [
        {"date": (first + timedelta(days=day)).isoformat(), "intervals": []} for day in range(30)
    ]
    assert due(OFFICE, "2026-11-30 17:00", 60, "UTC", closed) == "2026-12-31 09:30+00:00"
    opened = [{"date": "2026-11-29", "intervals": [["10:00", "11:00"]]}]
    assert due(OFFICE, "2026-11-28 12:00", 30, "UTC", opened) == "2026-11-29 10:30+00:00"


def test_a_calendar_that_never_opens_again_promises_nothing():
    assert opening_time_after(read_calendar("UTC", {}), at("2026-11-23"), 1) is None
    assert opening_time_after(read_calendar("UTC", {"mon": []}), at("2026-11-23"), 1) is None
    once = [{"date": "2026-11-24", "intervals": [["23:00", "01:00"]]}]
    calendar = read_calendar("UTC", {}, once)
    assert opening_time_after(calendar, at("2026-11-23"), 120) == at("2026-11-25 01:00")
    assert opening_time_after(calendar, at("2026-11-23"), 121) is None
    assert opening_time_after(calendar, at("2026-11-25 01:00"), 1) is None


def test_what_takes_longer_than_fifty_years_is_never():
    since = at("2026-11-23")
    a_minute_a_week = read_calendar("Europe/Berlin", {"mon": [["09:00", "09:01"]]})
    assert opening_time_after(a_minute_a_week, since, 525_600) is None
    weeks = HORIZON_MS // (7 * DAY)
    found = opening_time_after(a_minute_a_week, since, weeks)
    assert found is not None and since + HORIZON_MS - 14 * DAY < found <= since + HORIZON_MS
    assert opening_time_after(a_minute_a_week, since, weeks + 2) is None


def test_a_year_of_opening_time_with_many_exceptions():
    exceptions = [
        {"date": (date(2027, 1, 1) + timedelta(days=2 * at)).isoformat(), "intervals": []}
        for at in range(1_000)
    ]
    document = {"timezone": "Europe/Berlin", "week": OFFICE, "exceptions": exceptions}
    calendar = read_calendar("Europe/Berlin", OFFICE, exceptions)
    since = at("2026-11-23 12:34:56.789", "Europe/Berlin")
    assert opening_time_after(calendar, since, 40_000) == Walker(document).after(
        since, 40_000, 600_000
    )


@pytest.mark.slow
@pytest.mark.cpu_bound
def test_every_clock_change_is_known():
    """Offsets that are looked up once a day are those of each instant, in every time zone."""
    for name in zones():
        zone, spans = ZoneInfo(name), read_calendar(name, {}).offsets.spans(at("1999-12-31"))
        end, offset = next(spans)
        for hours in range(0, 24 * 365 * 60, 47):
            instant = datetime(1999, 12, 31, tzinfo=UTC) + timedelta(hours=hours)
            while round(instant.timestamp() * 1_000) >= end:
                end, offset = next(spans)
            wanted = instant.astimezone(zone).utcoffset()
            assert timedelta(milliseconds=offset) == wanted, (name, instant)
