"""A reply names the suggestion that was taken over into it, and an admin dismisses one."""

import pytest

from dashboard.db.threads import suggestions
from tests.drivers.application import ApplicationDriver


class Thread:
    """A thread with a suggestion, seen by Sue."""

    def __init__(self, app: ApplicationDriver):
        self.app, self.sue = app, app.sign_in("Sue", "supervisor")
        self.id = app.happens("message", "t-1", id="q-1", role="client", body="?", customer=C)
        self.suggestion = self.suggest("t-1", "q-1")

    def suggest(self, thread: str, message: str) -> int:
        id = self.app.happens("thread.suggestion", thread, body="Try this", for_message=message)
        with self.app.database.read() as connection:
            return suggestions.undecided(connection, id)[-1].id

    def reply(self, **body):
        path = f"/admin/api/threads/{self.id}/replies"
        return self.sue.post(path, json={"token": "k-1", "confirm": True} | body)

    def dismiss(self, thread: int, suggestion: int, by=None) -> int:
        path = f"/admin/api/threads/{thread}/suggestions/{suggestion}"
        return (by or self.sue).delete(path).status_code

    def told(self) -> list[str]:
        return [type for type in self.app.outgoing_types() if type.startswith("suggestion.")]


C = {"id": "c-1"}


@pytest.fixture
def thread(app) -> Thread:
    return Thread(app)


def test_a_reply_names_the_suggestion_that_was_taken_over(thread):
    body = {"body": "Try this", "suggestion": thread.suggestion}
    assert thread.reply(**body).status_code == 201
    assert thread.reply(**body).status_code == 200, "the same token is the same message"
    assert thread.told() == ["suggestion.used"]


def test_a_note_decides_nothing_and_a_wrong_name_stops_no_reply(thread):
    note = {"body": "Try this", "private": True, "suggestion": thread.suggestion}
    assert thread.reply(token="k-0", **note).status_code == 201
    assert thread.told() == []
    assert thread.reply(body="Hello", suggestion=999).status_code == 201
    assert thread.told() == ["suggestion.ignored"]
    assert thread.reply(token="k-2", body="Hello", suggestion="7").json["code"] == "wrong_type"


def test_a_dismissal_is_for_admins_who_see_the_thread_and_once(thread):
    other = thread.app.happens("message", "t-2", id="q-2", role="client", body="?", customer=C)
    there = thread.suggest("t-2", "q-2")
    assert thread.dismiss(thread.id, there) == 404
    assert thread.dismiss(999, thread.suggestion) == 404
    assert thread.dismiss(thread.id, thread.suggestion) == 204
    assert thread.dismiss(thread.id, thread.suggestion) == 204
    assert thread.told() == ["suggestion.ignored"]
    assert thread.dismiss(other, there, by=thread.app.client()) == 401
