"""The dashboard's own API: the calls by which a signed-in admin reads and acts.

In this order: the admin and their threads, mentions of the admin in notes.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any

from flask import Response
from pydantic import Field
from redis.exceptions import RedisError
from sqlalchemy import Connection

from dashboard.db import policies
from dashboard.db.accounts import admins
from dashboard.db.conditions import subjects
from dashboard.db.history import changes, lists, states
from dashboard.db.lists import named_lists
from dashboard.db.lists.named_lists import ListName, NamedList
from dashboard.db.lists.query_lists import QueryList
from dashboard.db.queues.standing import Reader
from dashboard.db.threads import conversations, thread_rows, threads
from dashboard.db.threads.thread_rows import ThreadRow
from dashboard.errors import NotFound
from dashboard.ingest import matching
from dashboard.ingest.assigning import HandOver
from dashboard.ingest.replies import Reply
from dashboard.ingest.tagging import TagNames
from dashboard.services import Services
from dashboard.validation.field_errors import field_error
from dashboard.validation.fields import MessageId, Strict, shows_something
from dashboard.validation.tags import check_change
from dashboard.web.admin import preferences, requests, responses
from dashboard.web.admin.bulk import WITHOUT_BODY, ActingAdmin
from dashboard.web.admin.lists.views import ViewProblem
from dashboard.web.admin.pages import Pages, describe, keep_for_signed_out
from dashboard.web.admin.requests import SeenMessageId
from dashboard.web.admin.responses import Answer
from dashboard.web.http.bodies import document
from dashboard.web.http.identity import current
from dashboard.web.http.queries import only_one_of
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import Documented, PathParameter, done, route
from scoring.conditions.subject import Subject

#: Names of times that differ on the wire, because the code renamed them later.
_WIRE_NAMES = {"first_request_at": "first_call_at"}
#: The name of a rule without a condition; a saved rule is named by its condition.
_OTHERS = "others"


class Explainer:
    """Explains places on lists. Ranks come from Redis, like lists; while it is away, from SQL."""

    def __init__(self, services: Services):
        self._database = services.database
        self._ranking = services.ranking
        self._clock = services.clock

    def explain(self, thread_id: int, name: ListName, reader: Reader) -> dict[str, object]:
        """Explains a thread's place on a list, and what a queue has done with it. `rank` counts
        from 0; None if it is not on the list.

        Raises NotFound for an unknown thread, and the errors of `named_lists.find`.
        """
        now = self._clock()
        with self._database.read() as connection:
            by_id = subjects(connection, [thread_id])
            if thread_id not in by_id:
                raise NotFound("There is no such thread.")
            named = named_lists.find(connection, name, reader.id)
            today = policies.current(connection).policies
            due = policies.explained(today, by_id[thread_id], now)
            queue = matching.explained(connection, thread_id, reader, now)
        rank, total = self._rank(thread_id, named)
        return _explanation(named.query_list, by_id[thread_id], now) | {
            "rank": rank,
            "total": total,
            "due": due,
            "queue": queue,
        }

    def explain_past(
        self, thread_id: int, name: ListName, admin_id: int, at: int
    ) -> dict[str, object]:
        """Explains a thread's place on a list as it was; no queue is named. Raises Invalid for an
        unknown moment, and the errors of `explain`."""
        now = self._clock()
        with self._database.read() as connection:
            states.check_moment(connection, at, now, "at")
            query_list = named_lists.find_at(connection, name, admin_id, at)
            found = changes.subject_at(connection, thread_id, at)
            if found is None:
                raise NotFound("There was no such thread.")
            then = policies.at(connection, at)
            due = policies.explained(then, *found)
        rank, total = lists.rank(self._database, query_list, at, thread_id)
        return _explanation(query_list, *found) | {
            "rank": rank,
            "total": total,
            "due": due,
            "queue": None,
        }

    def _rank(self, thread_id: int, named: NamedList) -> tuple[int | None, int]:
        """Returns rank and total; from SQL if Redis is away or does not have the list. No
        connection to SQL is held meanwhile: Redis may take seconds to answer."""
        if named.epoch is not None:
            with suppress(RedisError):
                return self._ranking.rank(named.list_id, named.name.sort, thread_id)
        now = self._clock()
        with self._database.read() as connection:
            _, total = named.listed(connection, now, limit=0)
            return named.rank(connection, now, thread_id), total


def _explanation(query_list: QueryList, subject: Subject, now: int) -> dict[str, object]:
    explanation = query_list.order.explain(subject, now)
    return asdict(explanation) | {
        "fact": _WIRE_NAMES.get(explanation.fact, explanation.fact),
        "rule": explanation.rule or _OTHERS,
    }


_ACTION = PathParameter({"enum": list(WITHOUT_BODY)}, "claim", f"any({', '.join(WITHOUT_BODY)})")


class AdminApi:
    """The calls below /admin/api; `current()` gives the admin who makes them."""

    def __init__(self, services: Services):
        self._database = services.database
        self._admin = ActingAdmin(services)
        self._explainer = Explainer(services)
        self._pages = Pages(services)

    @route("GET", "/me", "getMe", summary="Read the signed-in admin", answers=done(responses.Me))
    def me(self) -> Response:
        identity = current()
        return json_response(
            describe(identity) | {"preferences": self._pages.preferences(identity)}
        )

    @route(
        "PATCH",
        "/me/preferences",
        "patchPreferences",
        summary="Change preferences",
        body=(preferences.PreferencesRequest,),
        reads_body=False,
        example={"theme": "dark"},
        answers=done(responses.Preferences),
    )
    def prefer(self) -> Response:
        """Changes some preferences; answers all of them."""
        identity, change = current(), preferences.check(document())

        def write(connection: Connection) -> None:
            preferences.check_sorts(connection, change)
            admins.lock_for_change(connection, identity.admin_id)
            old = admins.preferences(connection, identity.admin_id)
            chosen = preferences.merged(preferences.known(old), change)
            admins.save_preferences(connection, identity.admin_id, chosen)

        self._database.write(write)
        values = self._pages.preferences(identity)
        return keep_for_signed_out(json_response(values), change | {"theme": values["theme"]})

    @route(
        "GET",
        "/threads",
        "getThreads",
        summary="Read the rows of threads",
        query=requests.RowsQuery,
        answers=done(responses.Rows),
    )
    def rows(self, query: requests.RowsQuery) -> Response:
        ids = query.ids
        rows = self._rows(ids)
        return json_response(
            {
                "rows": [rows[id] for id in ids if id in rows],
                "missing": [id for id in ids if id not in rows],
            }
        )

    @route(
        "GET",
        "/threads/{thread_id}/messages",
        "getMessages",
        summary="Read a part of a conversation",
        query=requests.MessagesQuery,
        answers=done(responses.Messages),
    )
    def messages(self, thread_id: int, query: requests.MessagesQuery) -> Response:
        where, message_id = only_one_of(query, ("before", "after", "around"))
        with self._database.read() as connection:
            if not threads.names(connection, [thread_id]):
                raise NotFound("There is no such thread.")
            part = conversations.part(connection, thread_id, where, message_id, query.limit)
        return json_response(part.to_json())

    @route(
        "POST",
        "/threads/{thread_id}/replies",
        "postReply",
        summary="Reply to the customer, or write a note",
        description="A repeated `token` means the same message.",
        body=(requests.ReplyRequest,),
        example={"body": "Hello!", "token": "a-1", "seen_message_id": 310},
        answers={
            200: Documented("The token was used before.", (responses.OneMessage,)),
            201: Documented("The message was stored.", (responses.OneMessage,)),
        },
        problems=(409,),
        problem=responses.ActionProblem,
    )
    def reply(self, thread_id: int, body: requests.ReplyRequest) -> Response:
        if body.mentions and not body.private:
            raise field_error("/mentions", "unknown_field", "is allowed only in notes")
        if not body.files and not shows_something(body.body):
            raise field_error("/body", "empty_text", "is empty, and nothing is attached")
        reply = Reply(
            body.body,
            body.token,
            body.private,
            body.seen_message_id,
            body.confirm,
            body.files,
            body.mentions,
            body.suggestion,
        )
        replied = self._admin.act(self._admin.actions.reply, thread_id, reply)
        return json_response({"message": replied.message}, 201 if replied.created else 200)

    @route(
        "POST",
        "/threads/{thread_id}/messages/{message_id}/send-again",
        "postSendAgain",
        summary="Resend a reply that did not arrive",
        body=(requests.EmptyRequest,),
        answers=done(responses.OneMessage),
        problems=(409,),
    )
    def send_again(self, thread_id: int, message_id: int) -> Response:
        message = self._admin.act(self._admin.actions.send_again, thread_id, message_id)
        return json_response({"message": message})

    @route(
        "DELETE",
        "/threads/{thread_id}/suggestions/{suggestion_id}",
        "deleteSuggestion",
        summary="Dismiss a suggestion of the chatbot",
        answers={204: Documented("It is no longer shown.")},
    )
    def dismiss(self, thread_id: int, suggestion_id: int) -> Response:
        """Dismisses a suggestion for all admins. One that has an outcome already stays as it is."""
        self._admin.act(self._admin.actions.dismiss_suggestion, thread_id, suggestion_id)
        return Response(status=204)

    @route(
        "POST",
        "/threads/{thread_id}/{action}",
        "postAction",
        summary="Claim, reopen or wake a thread",
        path_parameters={"action": _ACTION},
        body=(requests.EmptyRequest,),
        answers=done(responses.ChangedRow),
        problems=(409,),
        problem=responses.ActionProblem,
    )
    def act(self, thread_id: int, action: str) -> Response:
        return self._changed(thread_id, self._admin.act_simply(action, thread_id))

    @route(
        "POST",
        "/threads/{thread_id}/release",
        "postRelease",
        summary="Give a thread back",
        body=(requests.ReleaseRequest,),
        answers=done(responses.ChangedRow),
        problems=(409,),
        problem=responses.ActionProblem,
    )
    def release(self, thread_id: int, body: requests.ReleaseRequest) -> Response:
        """Unassigns the thread, which keeps its place. No queue gives it to the same admin again
        for ten minutes, while another one could take it."""
        act_id = self._admin.act(self._admin.actions.release, thread_id, body.reason)
        return self._changed(thread_id, act_id)

    @route(
        "POST",
        "/threads/{thread_id}/close",
        "postClose",
        summary="Close a thread",
        body=(requests.CloseRequest,),
        example={"seen_message_id": 311},
        answers=done(responses.ChangedRow),
        problems=(404,),
    )
    def close(self, thread_id: int, body: requests.CloseRequest) -> Response:
        """Closes the thread. It stays open if the customer wrote something unseen: see the row."""
        act_id = self._admin.act(self._admin.actions.close, thread_id, body.seen_message_id)
        return self._changed(thread_id, act_id)

    @route(
        "POST",
        "/threads/{thread_id}/snooze",
        "postSnooze",
        summary="Snooze a thread until a moment",
        body=(requests.SnoozeRequest,),
        example={"until": "2026-11-23T09:00:00+07:00", "wake": "reply"},
        answers=done(responses.ChangedRow),
        problems=(409,),
    )
    def snooze(self, thread_id: int, body: requests.SnoozeRequest) -> Response:
        """Snoozes the thread or changes its snooze: it leaves `arrival` and `not_respond` until the
        moment, at most five years away, or until the customer writes, unless `wake` is `never`."""
        snoozing = self._admin.snoozing
        return self._changed(
            thread_id, self._admin.act(snoozing.snooze, thread_id, body.until, body.wake)
        )

    @route(
        "POST",
        "/threads/{thread_id}/assign",
        "postAssign",
        summary="Hand a thread over to an admin or a desk, or give it back",
        body=(requests.AssignRequest,),
        example={"admin_id": 2, "note": "She has called twice."},
        answers=done(responses.ChangedRow),
        problems=(409,),
        problem=responses.ActionProblem,
    )
    def assign(self, thread_id: int, body: requests.AssignRequest) -> Response:
        """Hands a thread over; its place and wait stay. Only supervisors hand over a colleague's.
        If the new assignee has the thread already, no note is written."""
        hand_over = self._admin.assigning.hand_over
        handover = HandOver(body.admin_id, body.note, body.desk)
        return self._changed(thread_id, self._admin.act(hand_over, thread_id, handover))

    @route(
        "PUT",
        "/threads/{thread_id}/priority",
        "putPriority",
        summary="Set the priority of a thread",
        body=(requests.PriorityRequest,),
        example={"priority": "high"},
        answers=done(responses.ChangedRow),
    )
    def prioritise(self, thread_id: int, body: requests.PriorityRequest) -> Response:
        act_id = self._admin.act(self._admin.actions.set_priority, thread_id, body.priority)
        return self._changed(thread_id, act_id)

    @route(
        "PUT",
        "/threads/{thread_id}/tags",
        "putTags",
        summary="Add tags to a thread, and remove some",
        body=(requests.TagsRequest,),
        example={"add": ["refund"], "remove": ["vip"]},
        answers=done(responses.ChangedRow),
    )
    def tag(self, thread_id: int, body: requests.TagsRequest) -> Response:
        """Adds and removes tags. A thread has at most 20 tags (`too_many_tags`)."""
        check_change(body.add, body.remove)
        names = TagNames(body.add, body.remove)
        act_id = self._admin.act(self._admin.tagging.change, thread_id, names)
        return self._changed(thread_id, act_id)

    @route(
        "GET",
        "/threads/{thread_id}/explain",
        "getExplanation",
        summary="Explain a thread's place on a list",
        query=requests.ExplainQuery,
        answers=done(responses.Explanation),
        problem=ViewProblem,
    )
    def explain(self, thread_id: int, query: requests.ExplainQuery) -> Response:
        identity = current()
        list = query.list_of(identity.desks)
        if query.at is not None:
            past = self._explainer.explain_past(thread_id, list, identity.admin_id, query.at)
            return json_response(past)
        reader = Reader(identity.admin_id, identity.role, identity.desks)
        return json_response(self._explainer.explain(thread_id, list, reader))

    def _rows(self, ids: list[int]) -> dict[int, ThreadRow]:
        with self._database.read() as connection:
            return thread_rows.rows(connection, ids, current().desks)

    def _changed(self, thread_id: int, act_id: int | None) -> Response:
        """Answers the changed row; null if the thread is at a desk that the admin does not see."""
        return json_response({"row": self._rows([thread_id]).get(thread_id), "act": act_id})


class ReadMentionsRequest(Strict):
    """The newest message that was on screen: later mentions stay unread."""

    through: SeenMessageId


class UnreadMentionRequest(Strict):
    """The note with the mention that counts as unread again."""

    message_id: MessageId


class UnreadMentions(Answer):
    """The notes of the thread with unread mentions of the admin."""

    unread: Annotated[list[int], Field(description="Ids of messages, in order.")]


class MentionsApi:
    """Calls below /admin/api/threads/ID/mentions."""

    def __init__(self, services: Services):
        self._admin = ActingAdmin(services)
        self._mentioning = services.mentioning

    @route(
        "POST",
        "/threads/{thread_id}/mentions/read",
        "postMentionsRead",
        summary="Mark your mentions in a thread as read",
        body=(ReadMentionsRequest,),
        example={"through": 311},
        answers=done(UnreadMentions),
    )
    def read(self, thread_id: int, body: ReadMentionsRequest) -> Response:
        """Marks mentions up to a message; without unread ones the thread leaves `mentions`."""
        return self._answer(self._mentioning.read, thread_id, body.through)

    @route(
        "POST",
        "/threads/{thread_id}/mentions/unread",
        "postMentionUnread",
        summary="Mark a mention of you as unread",
        body=(UnreadMentionRequest,),
        example={"message_id": 311},
        answers=done(UnreadMentions),
        problems=(404,),
    )
    def unread(self, thread_id: int, body: UnreadMentionRequest) -> Response:
        """Marks a mention as unread; the thread is in the view `mentions` again."""
        return self._answer(self._mentioning.unread, thread_id, body.message_id)

    def _answer(self, action: Callable[..., Any], thread_id: int, message_id: int) -> Response:
        return json_response({"unread": self._admin.act(action, thread_id, message_id)})
