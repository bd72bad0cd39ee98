"""The note that admins keep on a customer, for all of the customer's threads."""

import pytest

from dashboard.db.accounts import admin_desks

API = "/admin/api"
PERSON = {"customer": "shop/kim"}


@pytest.fixture
def thread(dashboard) -> int:
    return dashboard.say("t-1", customer="kim")


def write(client, thread: int, text: str, changed_at: int | None = None, **other):
    body = PERSON | {"text": text, "changed_at": changed_at} | other
    return client.put(f"{API}/threads/{thread}/customer/note", json=body)


def note(client, thread: int):
    return client.get(f"{API}/threads/{thread}/customer").json["customer"]["note"]


def test_a_note_is_the_same_in_all_threads_with_its_author_and_time(dashboard, mai, thread):
    other = dashboard.say("t-2", customer="kim")
    unrelated = dashboard.say("t-3", customer="lee")
    assert note(mai, thread) is None
    dashboard.clock.advance(5_000)
    answer = write(mai, thread, "  Prefers to be called.\nSpeaks Korean.  ")
    expected = {
        "text": "Prefers to be called.\nSpeaks Korean.",
        "by": {"id": 1, "name": "Mai"},
        "at": dashboard.clock(),
    }
    assert (answer.status_code, answer.json) == (200, {"note": expected})
    assert note(mai, thread) == note(mai, other) == expected
    assert note(mai, unrelated) is None


def test_pages_are_told_by_a_new_revision_of_each_thread(dashboard, mai, thread):
    other = dashboard.say("t-2", customer="kim")
    unrelated = dashboard.say("t-3", customer="lee")
    ids = f"{thread},{other},{unrelated}"

    def revisions():
        return [row["rev"] for row in mai.get(f"{API}/threads?ids={ids}").json["rows"]]

    before = revisions()
    at = write(mai, thread, "Calls back").json["note"]["at"]
    assert revisions() == [before[0] + 1, before[1] + 1, before[2]]
    assert write(mai, thread, "Calls back", at).json["note"]["at"] == at, "the same again"
    assert write(mai, thread, "Calls back").status_code == 200, "a lost answer, and once more"
    assert revisions() == [before[0] + 1, before[1] + 1, before[2]]


def test_of_two_changes_the_second_is_told_of_the_first(dashboard, mai, thread):
    linh = dashboard.sign_in("Linh")
    first = write(mai, thread, "From Mai").json["note"]
    refused = write(linh, thread, "From Linh")
    assert (refused.status_code, refused.json["code"]) == (409, "changed_meanwhile")
    assert refused.json["note"] == first == note(mai, thread)
    second = write(linh, thread, "From Linh", first["at"]).json["note"]
    assert second["by"]["name"] == "Linh" and second["at"] > first["at"], "also at once"
    assert write(mai, thread, "", first["at"]).json["note"] == second
    assert write(mai, thread, "  ", second["at"]).json == {"note": None}
    assert note(mai, thread) is None
    gone = write(linh, thread, "From Linh again", second["at"])
    assert (gone.status_code, gone.json["note"]) == (409, None)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"text": "x" * 2_001}, 422, "too_long"),
        ({"text": "a\x00b"}, 422, "forbidden_character"),
        ({"text": None}, 422, "missing_field"),
        ({"customer": "kim"}, 422, "invalid_id"),
        ({"customer": "shop/a/b"}, 422, "invalid_id"),
        ({"customer": "\x00"}, 422, "forbidden_character"),
        ({"customer": "shop/lee"}, 404, "not_found"),
        ({"customer": "blog/kim"}, 404, "not_found"),
    ],
)
def test_what_is_no_note_on_this_customer_is_refused(mai, thread, body, status, code):
    answer = write(mai, thread, body.pop("text", "Hi"), **body)
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert note(mai, thread) is None
    assert write(mai, thread, "x" * 2_000).status_code == 200


def test_a_note_is_seen_and_written_only_by_admins_who_see_a_thread_of_the_customer(
    dashboard, mai, thread
):
    dashboard.database.write(lambda c: admin_desks.add(c, "sales", 0))
    linh = dashboard.sign_in("Linh")
    dashboard.database.write(lambda c: admin_desks.save(c, 2, ["sales"]))
    at = write(mai, thread, "Secret").json["note"]["at"]
    assert linh.get(f"{API}/threads/{thread}/customer").status_code == 404
    assert write(linh, thread, "Mine", at).status_code == 404
    own = dashboard.happens("thread.handoff", "t-2", desk="sales")
    assert write(linh, own, "Mine", at).status_code == 404, "a thread without a customer"
    dashboard.say("t-2", customer="kim")
    assert note(linh, own)["text"] == "Secret"
    assert write(linh, own, "Ours", at).status_code == 200
    assert note(mai, thread)["text"] == "Ours"
