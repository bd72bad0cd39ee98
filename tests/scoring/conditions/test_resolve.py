"""Queries get ids and instants; these identify a list."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from scoring.conditions.language.parser import parse
from scoring.conditions.language.query import QueryError
from scoring.conditions.resolve import day_after, day_begins_ms, resolve
from tests.scoring.conditions.oracle import ADMINS, day_of
from tests.scoring.conditions.worlds import DAYS

SAIGON = ZoneInfo("Asia/Ho_Chi_Minh")


def key(text: str, me: int | None = 1, zone: ZoneInfo = SAIGON) -> str:
    return resolve(parse(text), me, ADMINS.get, zone).key


def test_lists_that_are_the_same_have_one_key():
    assert key("assigned:me") == key("assigned:MAI@desk.example,me") != key("assigned:me", 2)
    assert key("is:open assigned:me") == key("assigned:mai@desk.example is:open is:open")
    assert key("assigned:me assigned:mai@desk.example") == key("assigned:me")
    assert key("due:<=0s") == key("is:late")
    assert key("created:2026-11-20") != key("created:2026-11-20", zone=ZoneInfo("UTC"))
    assert key("created:2026-11-20..2026-11-21") != key("created:2026-11-20,2026-11-21")
    assert (
        len({key(text) for text in ("", "is:open", "is:closed", "-is:open", "is:open,late")}) == 5
    )
    assert key("(is:open last:bot or is:late)") != key("is:open (last:bot or is:late)")
    assert key("source:mai@desk.example") != key("assigned:mai@desk.example")


@pytest.mark.parametrize(
    ("text", "me", "at"),
    [
        ("is:open assigned:none,who@desk.example", 1, 22),
        ("waits:>1m -assigned:zoe@x assigned:abe@x", 1, 20),
        ("is:open assigned:me", None, 17),
    ],
)
def test_who_is_not_known_is_told_by_the_place(text, me, at):
    with pytest.raises(QueryError) as raised:
        resolve(parse(text), me, ADMINS.get, SAIGON)
    assert raised.value.at == at
    assert raised.value.expected[-1] == "an e-mail address"
    assert "me" not in raised.value.expected


def test_a_day_begins_when_its_date_is_first_shown():
    for name, days in DAYS.items():
        zone = ZoneInfo(name)
        for day in (*days, *map(day_after, days)):
            begin = day_begins_ms(day, zone)
            assert day_of(begin, zone) >= day, (name, day)
            assert day_of(begin - 1, zone) < day, (name, day)


def test_the_days_of_every_zone_are_in_order_and_none_overlaps():
    for name in sorted(available_timezones()):
        zone = ZoneInfo(name)
        day = "2011-12-28"
        while day < "2012-01-02":
            begin, end = day_begins_ms(day, zone), day_begins_ms(day_after(day), zone)
            assert 0 <= end - begin <= 25 * 3_600_000, (name, day)
            shown = datetime.fromtimestamp(begin / 1_000, UTC).astimezone(zone)
            assert shown.date().isoformat() >= day
            assert (shown - timedelta(milliseconds=1)).date().isoformat() < day or begin == end
            day = day_after(day)
