"""Finding threads through the dashboard's API."""

import pytest

API = "/admin/api"


def search(client, **query):
    return client.get(f"{API}/search", query_string=query)


def test_a_search_answers_rows_and_marked_excerpts(dashboard, mai):
    thread_id = dashboard.say("t-1", body="Xin chào 😀 chào")
    dashboard.say("t-2", body="tạm biệt")
    answer = search(mai, q="chao").json
    assert (answer["total"], answer["next"], answer["whole"]) == (1, None, True)
    (result,) = answer["results"]
    assert result["row"] == mai.get(f"{API}/threads?ids={thread_id}").json["rows"][0]
    assert set(result["message"]) == {"id", "role", "private", "at", "excerpt", "marks"}
    assert result["message"]["marks"] == [[4, 8], [11, 15]]


def test_a_search_goes_on_where_it_stopped(dashboard, mai):
    ids = [dashboard.say(f"t-{number}", body="walk") for number in range(5)]
    walked, cursor = [], None
    while True:
        more = {"cursor": cursor} if cursor else {}
        answer = search(mai, q="walk", limit=2, **more).json
        walked += [result["row"]["id"] for result in answer["results"]]
        cursor = answer["next"]
        if cursor is None:
            break
    assert walked == ids[::-1]


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ({}, "/q", "missing_field"),
        ({"q": " "}, "/q", "empty_text"),
        ({"q": "x" * 201}, "/q", "too_long"),
        ({"q": "a\x00b"}, "/q", "forbidden_character"),
        ({"q": "a", "limit": 0}, "/limit", "number_out_of_range"),
        ({"q": "a", "limit": 101}, "/limit", "number_out_of_range"),
        ({"q": "a", "cursor": "!"}, "/cursor", "unknown_value"),
    ],
)
def test_a_search_that_is_none_is_refused(mai, query, pointer, code):
    answer = search(mai, **query)
    assert answer.status_code == 422
    assert [(each["pointer"], each["code"]) for each in answer.json["errors"]] == [(pointer, code)]


def test_the_panel_shows_the_customer_and_all_their_threads(dashboard, mai):
    ids = [dashboard.say(f"t-{number}", customer="kim") for number in range(22)]
    dashboard.say("t-other")
    answer = mai.get(f"{API}/threads/{ids[0]}/customer").json
    assert answer["customer"]["id"] == "shop/kim"
    assert set(answer["customer"]) == {
        *("id", "name", "avatar_url", "member_status", "locale", "created_at")
    }
    assert [row["id"] for row in answer["threads"]] == ids[:1:-1]
    assert answer["total"] == 22


def test_a_thread_in_which_nobody_wrote_has_no_customer(dashboard, mai):
    thread_id = dashboard.happens("thread.handoff", "t-1")
    answer = mai.get(f"{API}/threads/{thread_id}/customer").json
    assert answer == {"customer": None, "threads": [], "total": 0}


def test_there_is_no_panel_of_no_thread(mai):
    for thread_id in (999, 2**63):
        assert mai.get(f"{API}/threads/{thread_id}/customer").status_code == 404


def test_a_conversation_is_read_around_a_message_that_was_found(dashboard, mai):
    for number in range(9):
        thread_id = dashboard.say("t-1", body=f"message {number}")
    url = f"{API}/threads/{thread_id}/messages"
    (result,) = search(mai, q="message 4").json["results"]
    id = result["message"]["id"]
    around = mai.get(f"{url}?around={id}&limit=4").json
    assert [each["body"][-1] for each in around["messages"]] == ["2", "3", "4", "5"]
    assert (around["more"], around["later"]) == (True, True)
    after = mai.get(f"{url}?after={around['messages'][-1]['id']}&limit=2").json
    assert [each["body"][-1] for each in after["messages"]] == ["6", "7"]
    assert (after["more"], after["later"]) == (True, True)
    rest = mai.get(f"{url}?after={after['messages'][-1]['id']}").json
    assert [each["body"][-1] for each in rest["messages"]] == ["8"]
    assert rest["later"] is False
    newest = mai.get(f"{url}?limit=3").json
    assert (newest["more"], newest["later"]) == (True, False)
    elsewhere = mai.get(f"{url}?around=999").json
    assert elsewhere == {"messages": [], "more": False, "later": False}
    both = mai.get(f"{url}?around={id}&after={id}")
    assert (both.status_code, both.json["code"]) == (422, "unknown_field")
