"""Two admins and a customer meet in one thread, through a real server."""

import threading
import uuid

import pytest

from tests.support import wait_until


@pytest.fixture(scope="module")
def bob(lineup):
    return lineup.server.sign_in(lineup.server.create_admin("Bob"))


def call(lineup, session, method, path, **body):
    return session.request(method, f"{lineup.server.url}/admin/api/{path}", json=body)


def reply(lineup, session, id, body="hi", **more):
    given = {"body": body, "token": uuid.uuid4().hex} | more
    return call(lineup, session, "POST", f"threads/{id}/replies", **given)


def newest(lineup, id):
    return lineup.mai.get(f"{lineup.server.url}/admin/api/threads/{id}/messages").json()["messages"]


def at_once(*works):
    """Runs all, begun at the same moment; returns their results."""
    barrier = threading.Barrier(len(works))
    given = [None] * len(works)

    def run(place, work):
        barrier.wait()
        given[place] = work()

    running = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(20)
    return given


def test_of_two_who_claim_at_once_one_wins_and_the_other_reads_who_and_when(lineup, bob):
    """Case E13."""
    ids = [lineup.say(f"race-{number}") for number in range(8)]
    for id in ids:
        answers = at_once(
            *(
                lambda session=session, id=id: call(lineup, session, "POST", f"threads/{id}/claim")
                for session in (lineup.mai, bob)
            )
        )
        won, lost = sorted(answers, key=lambda answer: answer.status_code)
        assert (won.status_code, lost.status_code) == (200, 409)
        problem, assignee = lost.json(), won.json()["row"]["assignee"]
        assert (problem["code"], problem["assignee"]) == ("already_claimed", assignee)
        assert abs(problem["assigned_at"] - newest(lineup, id)[-1]["at"]) < 60_000
        again = call(lineup, lost_session(lineup, bob, assignee), "POST", f"threads/{id}/release")
        assert (again.status_code, again.json()["code"]) == (409, "already_claimed")


def lost_session(lineup, bob, assignee):
    return bob if assignee["name"] == "Mai" else lineup.mai


def test_a_reply_to_what_moved_on_is_stopped_shown_and_sent_on_confirmation(lineup, bob):
    """Case E2."""
    id = lineup.say("stale", body="first")
    seen = newest(lineup, id)[-1]["id"]
    lineup.say("stale", body="second")
    stopped = reply(lineup, lineup.mai, id, "to the first", token="stale-1", seen_message_id=seen)
    assert (stopped.status_code, stopped.json()["code"]) == (409, "conversation_moved")
    assert [message["body"] for message in stopped.json()["unseen"]] == ["second"]
    assert [message["body"] for message in newest(lineup, id)] == ["first", "second"]
    sent = reply(
        lineup, lineup.mai, id, "to the first", token="stale-1", seen_message_id=seen, confirm=True
    )
    assert sent.status_code == 201
    by_bob = reply(lineup, bob, id, "me, too", seen_message_id=stopped.json()["unseen"][-1]["id"])
    assert [message["author"]["name"] for message in by_bob.json()["unseen"]] == ["Mai"]


def test_bots_and_notes_never_stop_a_reply(lineup, bob):
    id = lineup.say("quiet")
    seen = newest(lineup, id)[-1]["id"]
    lineup.say("quiet", role="bot")
    assert reply(lineup, bob, id, "between us", private=True).status_code == 201
    assert reply(lineup, lineup.mai, id, seen_message_id=seen).status_code == 201


def test_the_same_token_many_times_at_once_is_one_message(lineup):
    """Case F1."""
    id = lineup.say("token")
    seen = newest(lineup, id)[-1]["id"]
    answers = at_once(
        *[lambda: reply(lineup, lineup.mai, id, "once", token="tok-1", seen_message_id=seen)] * 6
    )
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
    assert len({answer.json()["message"]["id"] for answer in answers}) == 1
    assert [message["body"] for message in newest(lineup, id)][1:] == ["once"]
    other = reply(lineup, lineup.mai, id, "other words", token="tok-1", seen_message_id=seen)
    assert (other.status_code, other.json()["code"]) == (409, "event_id_conflict")


def test_of_two_who_answer_at_once_the_second_is_stopped(lineup, bob):
    id = lineup.say("both")
    seen = newest(lineup, id)[-1]["id"]
    answers = at_once(
        *(
            lambda session=session: reply(lineup, session, id, seen_message_id=seen)
            for session in (lineup.mai, bob)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409]


@pytest.mark.slow
def test_a_whole_case(lineup, bob):
    """Wait, claim, answer, note, close, reopen by the customer: both admins see each step."""
    id = lineup.say("case", body="help")
    with lineup.dashboard() as mine, lineup.dashboard(bob) as his:
        for dashboard in (mine, his):
            dashboard.open("arrival", "arrival")
            dashboard.open("not_respond", "longest_wait")
            dashboard.open("history", "arrival")
            assert dashboard.call("thread:open", {"id": id})["ok"]

        def on(view, sort, is_there=True):
            for dashboard in (mine, his):
                wait_until(
                    lambda b=dashboard: (id in b.ids(view, sort)) == is_there, what=f"{view} of all"
                )

        on("not_respond", "longest_wait")
        assert call(lineup, lineup.mai, "POST", f"threads/{id}/claim").status_code == 200
        seen = newest(lineup, id)[-1]["id"]
        assert reply(lineup, lineup.mai, id, "here I am", seen_message_id=seen).status_code == 201
        on("not_respond", "longest_wait", is_there=False)
        his.wait_for("thread:message", lambda frame: frame["message"]["body"] == "here I am")
        assert reply(lineup, bob, id, "a note", private=True).status_code == 201
        mine.wait_for("thread:message", lambda frame: frame["message"]["private"])
        assert call(lineup, lineup.mai, "POST", f"threads/{id}/close").status_code == 200
        on("history", "arrival")
        on("arrival", "arrival", is_there=False)
        lineup.say("case", body="one more thing")
        on("not_respond", "longest_wait")
        on("history", "arrival", is_there=False)
        his.wait_for("thread:message", lambda frame: frame["message"]["body"] == "one more thing")


def test_an_open_thread_gets_the_acts_of_others_with_their_names(lineup, bob):
    id = lineup.say("acted")
    with lineup.dashboard() as mine, lineup.dashboard(bob) as elsewhere:
        assert mine.call("thread:open", {"id": id})["ok"]
        for action in ("claim", "release", "close", "reopen"):
            assert call(lineup, bob, "POST", f"threads/{id}/{action}").status_code == 200
        mine.wait_for("thread:act", lambda frame: frame["type"] == "thread.reopened")
        lineup.close_thread("acted")
        mine.wait_for("thread:act", lambda frame: frame["by"] is None)
        acts = [(act["thread_id"], act["type"], act["by"]) for act in mine.of("thread:act")]
        by_bob = {"id": acts[0][2]["id"], "name": "Bob"}
        done = ("thread.assigned", "thread.released", "thread.closed", "thread.reopened")
        assert acts == [*((id, type, by_bob) for type in done), (id, "thread.closed", None)]
        assert elsewhere.of("thread:act") == []


def test_many_threads_are_closed_at_once_and_leave_every_list(lineup, bob):
    ids = [lineup.say(f"bulk-{number}") for number in range(20)]
    with lineup.dashboard(bob) as dashboard:
        dashboard.open("arrival", "arrival")
        answer = call(lineup, lineup.mai, "POST", "threads/bulk", ids=[*ids, 10**9], action="close")
        statuses = [each["status"] for each in answer.json()["results"]]
        assert statuses == ["done"] * 20 + ["rejected"]
        wait_until(lambda: not set(ids) & set(dashboard.ids("arrival", "arrival")), what="leaving")


def test_a_new_message_is_found_at_once(lineup):
    id = lineup.say("found", body="ご注文の配送料 Xin chào 100%")
    for query in ("配送", "xin cha", "100%"):
        url = f"{lineup.server.url}/admin/api/search"
        answer = lineup.mai.get(url, params={"q": query}).json()
        assert [result["row"]["id"] for result in answer["results"]] == [id], query
