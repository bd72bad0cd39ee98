"""Two admins and a customer meet in one thread, through a real server."""

import threading
import uuid

import pytest

from tests.support import wait_until

pytestmark = [pytest.mark.live, pytest.mark.real_redis]


@pytest.fixture(scope="module")
def bob(desk):
    return desk.server.sign_in(desk.server.create_admin("Bob"))


def call(desk, session, method, path, **body):
    return session.request(method, f"{desk.server.url}/admin/api/{path}", json=body)


def reply(desk, session, id, body="hi", **more):
    given = {"body": body, "token": uuid.uuid4().hex} | more
    return call(desk, session, "POST", f"threads/{id}/replies", **given)


def newest(desk, id):
    return desk.mai.get(f"{desk.server.url}/admin/api/threads/{id}/messages").json()["messages"]


def at_once(*works):
    """What each of them gives, begun at the same moment."""
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


def test_of_two_who_claim_at_once_one_wins_and_the_other_reads_who_and_when(desk, bob):
    """Case E13."""
    ids = [desk.say(f"race-{number}") for number in range(8)]
    for id in ids:
        answers = at_once(
            *(
                lambda session=session, id=id: call(desk, session, "POST", f"threads/{id}/claim")
                for session in (desk.mai, bob)
            )
        )
        won, lost = sorted(answers, key=lambda answer: answer.status_code)
        assert (won.status_code, lost.status_code) == (200, 409)
        problem, assignee = lost.json(), won.json()["row"]["assignee"]
        assert (problem["code"], problem["assignee"]) == ("already_claimed", assignee)
        assert abs(problem["assigned_at"] - newest(desk, id)[-1]["at"]) < 60_000
        again = call(desk, lost_session(desk, bob, assignee), "POST", f"threads/{id}/release")
        assert (again.status_code, again.json()["code"]) == (409, "already_claimed")


def lost_session(desk, bob, assignee):
    return bob if assignee["name"] == "Mai" else desk.mai


def test_a_reply_to_what_moved_on_is_stopped_shown_and_sent_on_confirmation(desk, bob):
    """Case E2."""
    id = desk.say("stale", body="first")
    seen = newest(desk, id)[-1]["id"]
    desk.say("stale", body="second")
    stopped = reply(desk, desk.mai, id, "to the first", token="stale-1", seen_message_id=seen)
    assert (stopped.status_code, stopped.json()["code"]) == (409, "conversation_moved")
    assert [message["body"] for message in stopped.json()["unseen"]] == ["second"]
    assert [message["body"] for message in newest(desk, id)] == ["first", "second"]
    sent = reply(
        desk, desk.mai, id, "to the first", token="stale-1", seen_message_id=seen, confirm=True
    )
    assert sent.status_code == 201
    by_bob = reply(desk, bob, id, "me, too", seen_message_id=stopped.json()["unseen"][-1]["id"])
    assert [message["author"]["name"] for message in by_bob.json()["unseen"]] == ["Mai"]


def test_bots_and_notes_never_stop_a_reply(desk, bob):
    id = desk.say("quiet")
    seen = newest(desk, id)[-1]["id"]
    desk.say("quiet", role="bot")
    assert reply(desk, bob, id, "between us", private=True).status_code == 201
    assert reply(desk, desk.mai, id, seen_message_id=seen).status_code == 201


def test_the_same_token_many_times_at_once_is_one_message(desk):
    """Case F1."""
    id = desk.say("token")
    seen = newest(desk, id)[-1]["id"]
    answers = at_once(
        *[lambda: reply(desk, desk.mai, id, "once", token="tok-1", seen_message_id=seen)] * 6
    )
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
    assert len({answer.json()["message"]["id"] for answer in answers}) == 1
    assert [message["body"] for message in newest(desk, id)][1:] == ["once"]
    other = reply(desk, desk.mai, id, "other words", token="tok-1", seen_message_id=seen)
    assert (other.status_code, other.json()["code"]) == (409, "event_id_conflict")


def test_of_two_who_answer_at_once_the_second_is_stopped(desk, bob):
    id = desk.say("both")
    seen = newest(desk, id)[-1]["id"]
    answers = at_once(
        *(
            lambda session=session: reply(desk, session, id, seen_message_id=seen)
            for session in (desk.mai, bob)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409]


def test_a_whole_case(desk, bob):
    """Wait, claim, answer, note, close, reopen by the customer: both admins see each step."""
    id = desk.say("case", body="help")
    with desk.browser() as mine, desk.browser(bob) as his:
        for browser in (mine, his):
            browser.open("arrival", "arrival")
            browser.open("not_respond", "longest_wait")
            browser.open("history", "arrival")
            assert browser.call("thread:open", {"id": id})["ok"]

        def on(page, sort, is_there=True):
            for browser in (mine, his):
                wait_until(
                    lambda b=browser: (id in b.ids(page, sort)) == is_there, what=f"{page} of all"
                )

        on("not_respond", "longest_wait")
        assert call(desk, desk.mai, "POST", f"threads/{id}/claim").status_code == 200
        seen = newest(desk, id)[-1]["id"]
        assert reply(desk, desk.mai, id, "here I am", seen_message_id=seen).status_code == 201
        on("not_respond", "longest_wait", is_there=False)
        his.wait_for("thread:message", lambda told: told["message"]["body"] == "here I am")
        assert reply(desk, bob, id, "a note", private=True).status_code == 201
        mine.wait_for("thread:message", lambda told: told["message"]["private"])
        assert call(desk, desk.mai, "POST", f"threads/{id}/close").status_code == 200
        on("history", "arrival")
        on("arrival", "arrival", is_there=False)
        desk.say("case", body="one more thing")
        on("not_respond", "longest_wait")
        on("history", "arrival", is_there=False)
        his.wait_for("thread:message", lambda told: told["message"]["body"] == "one more thing")


def test_who_has_a_thread_open_is_told_what_others_did_and_who(desk, bob):
    id = desk.say("acted")
    with desk.browser() as mine, desk.browser(bob) as elsewhere:
        assert mine.call("thread:open", {"id": id})["ok"]
        for action in ("claim", "release", "close", "reopen"):
            assert call(desk, bob, "POST", f"threads/{id}/{action}").status_code == 200
        mine.wait_for("thread:act", lambda told: told["type"] == "thread.reopened")
        desk.close("acted")
        mine.wait_for("thread:act", lambda told: told["by"] is None)
        told = [(act["thread_id"], act["type"], act["by"]) for act in mine.of("thread:act")]
        by_bob = {"id": told[0][2]["id"], "name": "Bob"}
        done = ("thread.assigned", "thread.released", "thread.closed", "thread.reopened")
        assert told == [*((id, type, by_bob) for type in done), (id, "thread.closed", None)]
        assert elsewhere.of("thread:act") == []


def test_many_threads_are_closed_at_once_and_leave_every_list(desk, bob):
    ids = [desk.say(f"bulk-{number}") for number in range(20)]
    with desk.browser(bob) as browser:
        browser.open("arrival", "arrival")
        answer = call(desk, desk.mai, "POST", "threads/bulk", ids=[*ids, 10**9], action="close")
        statuses = [each["status"] for each in answer.json()["results"]]
        assert statuses == ["done"] * 20 + ["rejected"]
        wait_until(lambda: not set(ids) & set(browser.ids("arrival", "arrival")), what="leaving")


def test_what_was_said_is_found_at_once(desk):
    id = desk.say("found", body="ご注文の配送料 Xin chào 100%")
    for query in ("配送", "xin cha", "100%"):
        url = f"{desk.server.url}/admin/api/search"
        answer = desk.mai.get(url, params={"q": query}).json()
        assert [result["row"]["id"] for result in answer["results"]] == [id], query
