"""Finding threads through the dashboard's API."""

import time

import pytest
from sqlalchemy import update

from dashboard.db.accounts import admin_desks
from dashboard.db.last_seen import save_customers
from dashboard.db.models.threads import threads
from dashboard.db.search import search as stored_search
from presence.outbox import Departure

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


def test_a_customer_whom_presence_knew_first_is_found(dashboard, mai):
    dashboard.say("t-0")
    seen = Departure("shop/visitor-7", 50, 50)
    dashboard.database.write(lambda connection: save_customers(connection, [seen]))
    content = {"customer": {"id": "visitor-7"}, "role": "client", "body": "Hi"}
    thread_id = dashboard.happens("message", "t-1", **content)
    assert [each["row"]["id"] for each in search(mai, q="visitor-7").json["results"]] == [thread_id]


def test_a_customer_whom_presence_knew_is_found_also_in_a_thread_of_before(dashboard, mai):
    """The chatbot hands over first, or the customer was anonymous until now."""
    dashboard.say("t-0")
    seen = [Departure(f"shop/visitor-{number}", 50, 50) for number in (8, 9)]
    dashboard.database.write(lambda connection: save_customers(connection, seen))
    first = dashboard.happens("thread.handoff", "t-1")
    second = dashboard.say("t-2", customer="anonymous")
    for thread, number in (("t-1", 8), ("t-2", 9)):
        content = {"customer": {"id": f"visitor-{number}"}, "role": "client", "body": "Hi"}
        dashboard.happens("message", thread, **content)
    for number, thread_id in ((8, first), (9, second)):
        found = search(mai, q=f"visitor-{number}").json["results"]
        assert [each["row"]["id"] for each in found] == [thread_id]


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


def test_the_matches_of_a_thread_are_exact_and_marked(dashboard, mai, monkeypatch):
    """Each match is a message of the thread; a new message is in the next answer."""
    file = {"url": "https://x.example/a.pdf", "type": "application/pdf", "name": "not arrived.pdf"}
    bodies = ["It has 😀 not arrived", "has it not yet arrived?", "Not\narrived!", "not arrived"]
    for body in bodies:
        id = dashboard.say("t-1", body=body)
    content = {"customer": {"id": "kim"}, "role": "client", "body": "see", "attachments": [file]}
    dashboard.happens("message", "t-1", **content)
    dashboard.say("t-2", body="not arrived")

    def found(query: str) -> tuple[list[list[list[int]]], int]:
        answer = mai.get(f"{API}/threads/{id}/matches", query_string={"q": query}).json
        times = [(match["at"], match["id"]) for match in answer["matches"]]
        assert times == sorted(times)
        return [match["marks"] for match in answer["matches"]], answer["total"]

    assert found('"not arrived"') == ([[[9, 20]], [[0, 11]], [[0, 11]], [[4, 15]]], 4)
    assert found("arrived not yet") == ([[[7, 10], [11, 14], [15, 22]]], 1)
    dashboard.say("t-1", body="still not arrived")
    assert found('"not arrived')[1] == 5
    monkeypatch.setattr(stored_search, "THREAD_MATCHES_MAX", 2)
    assert found('"not arrived"') == ([[[4, 15]], [[6, 17]]], 5)
    (result,) = [each for each in search(mai, q='"not arrived"').json["results"]
                 if each["row"]["id"] == id]  # fmt: skip
    url = f"{API}/threads/{id}/matches"
    newest = mai.get(url, query_string={"q": '"not arrived"'}).json["matches"][-1]
    assert result["message"]["id"] == newest["id"]
    assert mai.get(f"{API}/threads/999/matches?q=a").status_code == 404
    assert mai.get(url).status_code == 422
    assert mai.get(f"{url}?q=%22").json == {"matches": [], "total": 0}


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ({}, "/q", "missing_field"),
        ({"q": " "}, "/q", "empty_text"),
        ({"q": "\u200b"}, "/q", "empty_text"),
        ({"q": "x" * 1001}, "/q", "too_long"),
        ({"q": "a\x00b"}, "/q", "forbidden_character"),
        ({"q": "a", "limit": 0}, "/limit", "number_out_of_range"),
        ({"q": "a", "limit": 101}, "/limit", "number_out_of_range"),
        ({"q": "a", "cursor": "!"}, "/cursor", "unknown_value"),
    ],
)
def test_an_invalid_search_is_refused(mai, query, pointer, code):
    answer = search(mai, **query)
    assert answer.status_code == 422
    assert [(each["pointer"], each["code"]) for each in answer.json["errors"]] == [(pointer, code)]


def test_the_panel_shows_the_customer_and_all_their_threads(dashboard, mai):
    ids = [dashboard.say(f"t-{number}", customer="kim") for number in range(22)]
    dashboard.say("t-other")
    answer = mai.get(f"{API}/threads/{ids[0]}/customer").json
    assert answer["customer"]["id"] == "shop/kim"
    assert set(answer["customer"]) == {
        *("id", "name", "avatar_url", "member_status", "locale", "created_at"),
        *("attributes", "note"),
    }
    assert [row["id"] for row in answer["threads"]] == ids[:1:-1]
    assert answer["total"] == 22


@pytest.mark.parametrize(
    ("change", "shown"), [({"customer_id": 2}, "shop/an"), ({"desk": "sales"}, None)]
)
def test_the_panel_is_of_one_customer(dashboard, mai, monkeypatch, change, shown):
    """The thread goes to another customer or desk between two statements of PostgreSQL."""
    id = dashboard.say("t-1", customer="kim")
    dashboard.say("t-2", customer="an")
    dashboard.database.write(lambda connection: admin_desks.add(connection, "sales", 0))
    read = stored_search.rows
    changes = [update(threads).where(threads.c.id == id).values(change)]

    def rows(connection, *given):
        if changes:
            connection.execute(changes.pop())
        return read(connection, *given)

    monkeypatch.setattr(stored_search, "rows", rows)
    with dashboard.database.engine.begin() as connection:
        panel, again = (
            stored_search.panel(connection, id, 20, frozenset({"main"})) for _ in range(2)
        )
    assert (panel and panel["customer"]["id"]) == shown
    assert panel == again


def test_a_customer_is_known_since_their_first_event_not_since_its_import(dashboard, mai):
    def says(thread: str, customer: str, at: str) -> int:
        content = {"customer": {"id": customer}, "role": "client", "body": "Hi"}
        return dashboard.happens("message", thread, occurred_at=at, **content)

    imported = says("t-1", "kim", "2026-01-02T03:04:05Z")
    says("t-2", "kim", "2025-12-02T03:04:05Z")
    says("t-3", "an", "2099-01-01T00:00:00Z")
    kim = mai.get(f"{API}/threads/{imported}/customer").json["customer"]
    assert kim["created_at"] == 1764644645000
    an = mai.get(f"{API}/threads/{imported + 2}/customer").json["customer"]
    assert an["created_at"] == dashboard.clock(), "a time that is ahead counts as that of receipt"


def test_a_thread_without_messages_has_no_customer(dashboard, mai):
    thread_id = dashboard.happens("thread.handoff", "t-1")
    answer = mai.get(f"{API}/threads/{thread_id}/customer").json
    assert answer == {"customer": None, "threads": [], "total": 0}


def test_the_panel_of_an_unknown_thread_is_404(mai):
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
    assert elsewhere == {"messages": [], "acts": [], "more": False, "later": False}
    both = mai.get(f"{url}?around={id}&after={id}")
    assert (both.status_code, both.json["code"]) == (422, "unknown_field")


def test_conditions_beside_words_narrow_a_search(dashboard, mai):
    """Without words they find threads; a mistake is told with its place."""
    for name, locale, body in [
        ("t-1", "vi-VN", "refund (order 4)"),
        ("t-2", "ja", "refund"),
        ("t-3", "vi", "hello"),
    ]:
        customer = {"id": f"c-{name}", "locale": locale}
        dashboard.happens("message", name, customer=customer, role="client", body=body)

    def found(query: str) -> set[str]:
        answer = search(mai, q=query, timezone="Asia/Tokyo").json
        assert answer["total"] == len(answer["results"]) and answer["whole"]
        return {result["row"]["thread"] for result in answer["results"]}

    assert found("refund lang:vi") == found("-lang:ja ref") == {"t-1"}
    assert found('lang:vi "(order 4)" "refund') == {"t-1"}
    assert found('is:open "refund (ord') == {"t-1"}
    assert found("(order 4)") == {"t-1"}
    assert found("lang:vi is:open -assigned:me") == {"t-1", "t-3"}
    assert found("refund created:<2020-01-01") == set()
    (result,) = search(mai, q="lang:vi order").json["results"]
    assert result["message"]["marks"] == [[8, 13]]
    matches = f"{API}/threads/{result['row']['id']}/matches"
    assert mai.get(matches, query_string={"q": "lang:vi refund"}).json["total"] == 1
    assert mai.get(matches, query_string={"q": "lang:vi"}).json["total"] == 0
    for query, at in [("refund asigned:me", 9), ("x assigned:who@where", 11), ('x source:"y', 11)]:
        answer = search(mai, q=query)
        assert (answer.status_code, answer.json["code"]) == (422, "invalid_query")
        assert (answer.json["at"], answer.json["pointer"]) == (at, "/q")
    assert search(mai, q="is:open", timezone="Mars/Base").status_code == 422


def test_the_days_of_a_search_are_by_default_those_of_the_profile(dashboard, mai):
    dashboard.say("t-1")
    day = time.strftime("%Y-%m-%d", time.gmtime(dashboard.clock() / 1000))
    totals = {}
    for zone in ("UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"):
        totals[zone] = search(mai, q=f"created:{day}", timezone=zone).json["total"]
    assert totals["UTC"] == 1 and sum(totals.values()) < 3
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        profile = {"name": "Mai", "locale": "vi", "timezone": zone}
        mai.put("/admin/api/profile", json=profile)
        assert search(mai, q=f"created:{day}").json["total"] == totals[zone]
