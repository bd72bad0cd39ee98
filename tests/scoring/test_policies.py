"""The first policy whose query holds counts; time alone may change which one that is."""

import pytest

from scoring.calendar import read_calendar
from scoring.conditions.language.query import QueryError
from scoring.conditions.subject import Subject
from scoring.policies import Policies, Policy, read_query, resolve_query

NOW = 1_795_437_780_123
MINUTE = 60_000
ALWAYS = {name: [["00:00", "24:00"]] for name in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
WAITS = Subject(waiting_since=NOW - 10 * MINUTE, first_event_at=NOW - 10 * MINUTE)


def policy(query, first=30, next=60, week=None, timezone="UTC"):
    calendar = read_calendar(timezone, ALWAYS if week is None else week)
    when = resolve_query(query, timezone, {"mai@desk.example": 1}.get)
    return Policy(query, when, calendar, first, next)


def test_the_first_policy_whose_query_holds_counts():
    policies = Policies([policy("priority:urgent", 5), policy("member:0,1", 15), policy("")])
    promise = policies.promise(WAITS._replace(priority="urgent", member_status=0), NOW)
    assert (promise.due_at, promise.policy.name) == (NOW - 5 * MINUTE, "priority:urgent")
    assert policies.promise(WAITS._replace(member_status=1), NOW).minutes == 15
    assert policies.promise(WAITS, NOW).minutes == 30
    assert Policies([policy("is:closed")]).promise(WAITS, NOW) is None
    assert Policies().promise(WAITS, NOW) is None
    assert not Policies()


def test_an_answered_thread_has_the_target_of_the_next_reply():
    policies = Policies([policy("")])
    assert policies.promise(WAITS, NOW)[2] == "first_reply"
    promise = policies.promise(WAITS._replace(answered=True), NOW)
    assert (promise.target, promise.due_at) == ("next_reply", NOW + 50 * MINUTE)


def test_a_thread_that_does_not_wait_has_no_target():
    assert Policies([policy("")]).promise(WAITS._replace(waiting_since=None), NOW) is None


def test_a_policy_that_promises_nothing_counts_all_the_same():
    nothing = policy("priority:low", None, None)
    policies = Policies([nothing, policy("")])
    assert policies.promise(WAITS._replace(priority="low"), NOW) is None
    only_next = Policies([policy("", None, 60)])
    assert only_next.promise(WAITS, NOW) is None
    assert only_next.promise(WAITS._replace(answered=True), NOW) is not None
    assert Policies([policy("", week={}), policy("")]).promise(WAITS, NOW) is None


def test_time_alone_changes_which_policy_counts():
    policies = Policies([policy("waits:>15m", 20), policy("")])
    assert policies.promise(WAITS, NOW).minutes == 30
    changes_at = policies.next_change(WAITS, NOW)
    assert changes_at == WAITS.waiting_since + 15 * MINUTE + 1
    assert policies.first(WAITS, changes_at - 1).name == ""
    assert policies.promise(WAITS, changes_at).minutes == 20
    assert policies.next_change(WAITS, changes_at) is None


def test_a_threshold_at_which_no_other_policy_counts_changes_nothing():
    policies = Policies([policy("priority:urgent"), policy("waits:>15m"), policy("")])
    assert policies.next_change(WAITS._replace(priority="urgent"), NOW) is None
    assert policies.next_change(WAITS._replace(waiting_since=None), NOW) is None
    assert Policies([policy("")]).next_change(WAITS, NOW) is None


def test_days_are_those_of_the_calendars_time_zone():
    day = "created:2026-11-23"
    in_tokyo = Policies([policy(day, timezone="Asia/Tokyo")])
    in_berlin = Policies([policy(day, timezone="Europe/Berlin")])
    began = WAITS._replace(first_event_at=1_795_363_200_000)  # 2026-11-22 16:00 UTC
    assert in_tokyo.promise(began, NOW) is not None
    assert in_berlin.promise(began, NOW) is None


@pytest.mark.parametrize(
    ("query", "at", "expected"),
    [
        ("is:open is:late", 11, "waiting"),
        ("-is:waiting,late", 12, "closed"),
        ("priority:urgent due:<30m", 16, "waits:"),
        ("(is:open or -due:>1h)", 13, "quiet:"),
        ("assigned:none,me", 14, "anyone"),
    ],
)
def test_what_follows_from_policies_and_who_looks_is_refused(query, at, expected):
    with pytest.raises(QueryError) as refused:
        read_query(query)
    assert refused.value.at == at
    assert expected in refused.value.expected
    assert not {"late", "due:", "me"} & {*refused.value.expected}
    assert refused.value.reason


def test_words_and_unknown_addresses_are_refused():
    with pytest.raises(QueryError) as refused:
        read_query("is:open refund")
    assert refused.value.at == 8
    with pytest.raises(QueryError) as refused:
        resolve_query("assigned:lan@desk.example", "UTC", {"mai@desk.example": 1}.get)
    assert refused.value.at == 9
