"""The recipe computes as its users do: right by the rule, and inexact beyond 53 bits."""

from bench.recipe import scores
from bench.recipe.store import Store
from scoring.facts import Facts

HOUR_MS = 3_600_000
NOW_MS = 1_790_000_000_000


def arrived(at_ms):
    return Facts(first_event_at=at_ms, last_client_at=at_ms, first_request_at=at_ms)


def test_members_stand_before_others_and_first_the_lower_status():
    member, other = Facts(member_status=1, last_client_at=1), Facts(last_client_at=2)
    assert scores.member_status(member) < scores.member_status(other)


def test_arrival_is_exact():
    assert scores.arrival(arrived(NOW_MS + 1)) < scores.arrival(arrived(NOW_MS))


def test_behind_two_to_the_63_a_quarter_of_a_second_is_lost():
    now, soon, later = (
        scores.unanswered_first(arrived(NOW_MS + after)) for after in (0, 250, HOUR_MS)
    )
    assert now == soon
    assert later < now


def test_a_stored_message_moves_its_thread_to_the_head(tmp_path):
    store = Store(str(tmp_path / "recipe.sqlite"))
    for number in (1, 2):
        event = {"id": f"m-{number}", "thread": f"t-{number}", "role": "client", "body": "hello"}
        store.record(event, NOW_MS + number)
    store.record({"id": "m-3", "thread": "t-1", "role": "client", "body": "again"}, NOW_MS + 3)
    assert store.listed("arrival", "arrival", 5) == [
        ("t-1", "again", NOW_MS + 3),
        ("t-2", "hello", NOW_MS + 2),
    ]
    assert store.previews(["t-2"]) == {"t-2": "hello"}
