"""Demo conversations: complete, correct, and the same each time."""

from collections import Counter
from datetime import datetime
from itertools import pairwise

import pytest

from dashboard.ingest.schema import parse
from demo.conversation import iso
from demo.stories import DAY_MS, LONG_MESSAGES, SCENARIOS, Story, stories
from scoring.conditions.subject import MEMBER_STATUSES, PRIORITIES
from scoring.facts import Facts, ThreadEvent, fold
from scoring.views import VIEWS, views_of

NOW_MS = 1_790_000_000_000
SCENARIO_NAMES = {scenario.name for scenario in SCENARIOS}


def occurred_ms(event: dict) -> int:
    return round(datetime.fromisoformat(event["occurred_at"]).timestamp() * 1000)


def folded(story: Story) -> Facts:
    def kind(event):
        if event["type"] == "message":
            role = "note" if event.get("private") else event["role"]
            return role if role in ("client", "admin", "note") else "other"
        name = event["type"].removeprefix("thread.")
        return name if name in ("close", "reopen", "handoff") else "other"

    return fold(
        ThreadEvent(kind(event), occurred_ms(event))
        for event in story.events
        if event["type"] != "customer"
    )


def count_messages(story: Story) -> int:
    return sum(event["type"] == "message" for event in story.events)


@pytest.fixture(scope="module")
def many() -> list[Story]:
    return list(stories(3000, 8, 7, NOW_MS))


@pytest.mark.parametrize("random_seed", range(5))
def test_fifty_threads_have_every_page_tier_priority_locale_and_state(random_seed):
    drawn = list(stories(50, 4, random_seed, NOW_MS))
    assert {view for story in drawn for view in views_of(folded(story))} == set(VIEWS)
    assert {story.customer.member_status for story in drawn} == set(MEMBER_STATUSES)
    assert {story.customer.locale for story in drawn} == {"en", "vi", "ja"}
    assert {story.scenario for story in drawn} == SCENARIO_NAMES
    set_to = {event["priority"] for story in drawn for event in story.events if "priority" in event}
    assert set_to | {"normal"} == set(PRIORITIES)
    assert len({story.customer.id for story in drawn}) < len(drawn)


@pytest.mark.parametrize(
    ("scenario", "open", "waiting", "answered"),
    [
        ("never answered", True, True, False),
        ("bot answered", True, True, False),
        ("handed off", True, True, False),
        ("handed off, no customer yet", True, True, False),
        ("answered, wrote again", True, True, True),
        ("closed, wrote again", True, True, True),
        ("close undone", True, True, False),
        ("answered", True, False, True),
        ("answered with a note", True, False, True),
        ("handed off, answered", True, False, True),
        ("reopened, answered", True, False, True),
        ("bot only", True, False, False),
        ("resolved", False, False, True),
        ("thanked and closed", False, False, True),
        ("closed with a note", False, False, True),
        ("closed unanswered", False, False, False),
        ("closed twice", False, False, True),
    ],
)
def test_a_scenario_ends_in_the_state_that_its_name_says(many, scenario, open, waiting, answered):
    found = [folded(story) for story in many if story.scenario == scenario]
    assert found, scenario
    for facts in found:
        state = (not facts.closed, facts.waiting_since is not None, facts.last_admin_at is not None)
        assert state == (open, waiting, answered)


def test_the_table_of_states_above_names_every_scenario():
    mark = test_a_scenario_ends_in_the_state_that_its_name_says.pytestmark[0]
    assert {row[0] for row in mark.args[1]} == SCENARIO_NAMES


def test_sixty_in_a_hundred_are_open_and_a_quarter_of_these_wait(many):
    pages = Counter(view for story in many for view in views_of(folded(story)))
    assert 0.56 < pages["arrival"] / len(many) < 0.64
    assert 0.20 < pages["not_respond"] / pages["arrival"] < 0.30


def test_waits_are_of_minutes_to_days_and_all_times_in_the_last_weeks(many):
    facts = [folded(story) for story in many]
    waits = [NOW_MS - known.waiting_since for known in facts if known.waiting_since is not None]
    assert min(waits) < 15 * 60_000
    assert max(waits) > 2 * DAY_MS
    times = [occurred_ms(event) for story in many for event in story.events]
    assert max(times) <= NOW_MS
    assert min(times) > NOW_MS - 300 * DAY_MS


def test_the_events_of_a_thread_follow_one_another_in_time(many):
    for story in many:
        times = [occurred_ms(event) for event in story.events]
        assert all(earlier < later for earlier, later in pairwise(times))


@pytest.mark.parametrize("messages", [4, 8, 20])
def test_threads_have_as_many_messages_as_asked_for_on_average(messages):
    drawn = list(stories(3000, messages, 1, NOW_MS))
    assert sum(map(count_messages, drawn)) / len(drawn) == pytest.approx(messages, rel=0.1)


def test_some_threads_have_one_message_and_a_few_two_hundred(many):
    sizes = Counter(map(count_messages, many))
    assert sizes[1] > 50
    assert 3 <= sizes[LONG_MESSAGES] <= 10


def test_the_same_seed_gives_the_same_stories_and_a_shorter_run_the_first_of_them():
    assert list(stories(80, 5, 3, NOW_MS)) == list(stories(80, 5, 3, NOW_MS))
    assert list(stories(30, 5, 3, NOW_MS)) == list(stories(80, 5, 3, NOW_MS))[:30]


def test_another_seed_gives_other_stories_under_other_ids():
    first, second = list(stories(20, 5, 3, NOW_MS)), list(stories(20, 5, 4, NOW_MS))
    ids = [{event["id"] for story in drawn for event in story.events} for drawn in (first, second)]
    assert not ids[0] & ids[1]
    assert [story.customer.name for story in first] != [story.customer.name for story in second]


def test_another_now_moves_all_times_and_nothing_else():
    def moved(event):
        return event | {"occurred_at": iso(occurred_ms(event) + 60_000)}

    earlier, later = list(stories(60, 5, 3, NOW_MS)), list(stories(60, 5, 3, NOW_MS + 60_000))
    assert [story.events for story in later] == [
        [moved(event) for event in story.events] for story in earlier
    ]


def test_one_thread_works():
    (story,) = stories(1, 1, 0, NOW_MS)
    assert folded(story).waiting_since is not None


def test_every_event_is_taken_by_the_schema_under_an_id_of_its_own(many):
    parsed = [parse(event) for story in many for event in story.events]
    assert len({event.id for event in parsed}) == len(parsed)


def test_a_raised_customer_ends_with_the_status_that_the_customer_has(many):
    raised = [story for story in many if any(e["type"] == "customer" for e in story.events)]
    assert len(raised) > 50
    for story in raised:
        statuses = [
            event["customer"]["member_status"]
            for event in story.events
            if "member_status" in event.get("customer", {})
        ]
        assert statuses[0] != statuses[-1] == story.customer.member_status


def test_few_questions_of_thousands_are_the_same(many):
    questions = Counter(story.events[0].get("body") for story in many)
    del questions[None]
    assert len(questions) > 0.55 * len(many)
