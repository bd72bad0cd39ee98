"""Tables of customers, threads, events, mentions and files."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    false,
)

from dashboard.db.models.base import Id, Json, OrderedJson, metadata
from scoring.sorts import SORTS

#: `attributes` holds what the chatbot tells about the person: {"Plan": "Pro", …}; NULL for nothing.
#: `note` is what admins keep in mind about the person, last written by `note_by_id`.
#: `stamps` holds the last writer of each field: {"name": [ranked_at, "event id"], …}.
customers = Table(
    "customers",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("external_id", String(128), nullable=False),
    Column("name", Text),
    Column("avatar_url", Text),
    Column("member_status", SmallInteger, nullable=False, server_default="-1"),
    Column("locale", String(35)),
    Column("attributes", OrderedJson),
    Column("note", Text),
    Column("note_by_id", Id),
    Column("note_at", BigInteger),
    Column("stamps", Json, nullable=False, server_default="{}"),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("source_id", "external_id"),
    sqlite_autoincrement=True,
)

#: The customers of each language, for building lists of `lang:`.
Index(
    "ix_customers_locale",
    customers.c.locale,
    sqlite_where=customers.c.locale.is_not(None),
    postgresql_where=customers.c.locale.is_not(None),
)

#: Threads with their facts and scores, written in the transaction that changes them: the lists in
#: Redis are derived from this table alone. `revision` grows by one with each change; revisions up
#: to `placed_revision` are known to be in Redis. `last_message_id` is the highest id of its
#: messages except notes, `last_role` the role of the newest of them by time.
#: `listed_at` is the moment that its lists of queries reflect, and `next_change_at` the next moment
#: at which time changes anything about it. A snooze by `snoozed_by_id` lasts from `snoozed_at` to
#: `snoozed_until`; all three stay while the thread is closed. `wake` says whether the customer ends
#: it, too: `reply` or `never`. `woken_at` and `woken_reason` (`time`, `reply`, `admin`) say how the
#: last one ended, until somebody has dealt with the thread. `due_at` is the time to answer it by,
#: under the policies of `due_version`; `due_told_for` is the `waiting_since` of the wait that was
#: announced to be late. `tags` has them in order, with a blank before and after each; NULL without
#: any. `desk` is the name of its desk. `mentioned` has, like `tags`, the ids of admins with unread
#: mentions in notes: a copy of `mentions`, for conditions. `has_file`: somebody ever sent a
#: file. `archived`: it was closed so long ago that no list holds it any more. `queue_id` is the
#: queue that gave it to its assignee, if one did; `take_until` is the time by which the assignee
#: must open it, NULL once that has happened.
threads = Table(
    "threads",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("external_id", String(128), nullable=False),
    Column("customer_id", Id, ForeignKey("customers.id"), index=True),
    Column("created_at", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("placed_revision", BigInteger, nullable=False, server_default="0"),
    Column("stamps", Json, nullable=False, server_default="{}"),
    Column("priority", String(8), nullable=False, server_default="normal"),
    Column("assignee_id", Id, ForeignKey("admins.id")),
    Column("assigned_at", BigInteger),
    Column("first_event_at", BigInteger),
    Column("last_client_at", BigInteger),
    Column("last_admin_at", BigInteger),
    Column("closed_at", BigInteger),
    Column("reopened_at", BigInteger),
    Column("handoff_at", BigInteger),
    Column("first_call_at", BigInteger, key="first_request_at"),
    Column("next_call_at", BigInteger, key="unanswered_since"),
    Column("unanswered", Integer, nullable=False, server_default="0"),
    Column("api_answered_at", BigInteger),
    Column("answer_seen_id", Id),
    Column("api_closed_at", BigInteger),
    Column("close_seen_id", Id),
    Column("last_message_id", Id),
    Column("preview_role", String(8)),
    Column("preview_body", Text),
    Column("preview_at", BigInteger),
    Column("preview_event_id", Id),
    Column("last_role", String(8)),
    Column("listed_at", BigInteger, nullable=False, server_default="0"),
    Column("next_change_at", BigInteger),
    Column("snoozed_until", BigInteger),
    Column("snoozed_at", BigInteger),
    Column("snoozed_by_id", Id),
    Column("wake", String(5)),
    Column("woken_at", BigInteger),
    Column("woken_reason", String(5)),
    Column("due_at", BigInteger),
    Column("due_version", BigInteger, nullable=False, server_default="0"),
    Column("due_told_for", BigInteger),
    Column("tags", Text),
    Column("desk", String(32), nullable=False, server_default="main"),
    Column("mentioned", Text),
    Column("has_file", Boolean, nullable=False, server_default=false()),
    Column("queue_id", Id),
    Column("take_until", BigInteger),
    Column("closed", Boolean, nullable=False),
    Column("archived", Boolean, nullable=False, server_default=false()),
    Column("recent_at", BigInteger, nullable=False),
    Column("waiting_since", BigInteger),
    *(Column(f"score_{name}", BigInteger, nullable=False) for name in SORTS),
    UniqueConstraint("source_id", "external_id"),
    sqlite_autoincrement=True,
)

#: Covering indexes: the first three columns give a list or the archive in order; arrival and
#: not_respond also test `snoozed_until` and `waiting_since` without reading the table.
for _name in SORTS:
    Index(
        f"ix_threads_{_name}",
        threads.c.archived,
        threads.c.closed,
        threads.c[f"score_{_name}"],
        threads.c.id,
        threads.c.waiting_since,
        threads.c.snoozed_until,
    )
#: Unplaced threads: committed, but not known to be in Redis, for example after a crash.
Index(
    "ix_threads_unplaced",
    threads.c.id,
    sqlite_where=threads.c.placed_revision != threads.c.revision,
    postgresql_where=threads.c.placed_revision != threads.c.revision,
)

#: Threads that lists may hold, by id, for building and comparing lists.
Index("ix_threads_live", threads.c.archived, threads.c.id)

#: The threads of each admin, for building the lists of `assigned:` and reading their archive.
Index("ix_threads_assigned", threads.c.assignee_id, threads.c.archived)

#: The open threads that admins have, for counting their loads.
_HELD = (
    threads.c.assignee_id.is_not(None),
    threads.c.closed.is_(False),
    threads.c.snoozed_until.is_(None),
)
Index(
    "ix_threads_load",
    threads.c.assignee_id,
    threads.c.waiting_since,
    threads.c.desk,
    sqlite_where=and_(*_HELD),
    postgresql_where=and_(*_HELD),
)
#: The open threads that queues gave to admins.
_GIVEN = threads.c.queue_id.is_not(None), threads.c.closed.is_(False)
Index(
    "ix_threads_given",
    threads.c.assignee_id,
    threads.c.queue_id,
    threads.c.waiting_since,
    sqlite_where=and_(*_GIVEN),
    postgresql_where=and_(*_GIVEN),
)

#: The customers of each desk; partial, or SQLite would take it for other queries of a desk, too.
Index(
    "ix_threads_desk",
    threads.c.desk,
    threads.c.customer_id,
    sqlite_where=threads.c.customer_id.is_not(None),
    postgresql_where=threads.c.customer_id.is_not(None),
)

#: Closed threads by the time of their close, to archive them and to bring them back.
Index(
    "ix_threads_closed",
    threads.c.archived,
    threads.c.closed,
    threads.c.closed_at,
    threads.c.mentioned,
)

#: The next change by time, for the queue of due changes.
Index(
    "ix_threads_next_change",
    threads.c.next_change_at,
    sqlite_where=threads.c.next_change_at.is_not(None),
    postgresql_where=threads.c.next_change_at.is_not(None),
)

#: The newest threads with tags, for proposing tags.
Index(
    "ix_threads_tagged",
    threads.c.id,
    sqlite_where=threads.c.tags.is_not(None),
    postgresql_where=threads.c.tags.is_not(None),
)

#: Waiting threads, for finding the ones that follow older policies.
Index(
    "ix_threads_due_version",
    threads.c.due_version,
    threads.c.id,
    sqlite_where=threads.c.waiting_since.is_not(None),
    postgresql_where=threads.c.waiting_since.is_not(None),
)

#: Every accepted event, kept forever; messages are the events with a role. `fingerprint` is a hash
#: of the content: it distinguishes a repeated event from another one with the same id. `seen_id` is
#: the id up to which the author of an answer or close on the dashboard had seen the thread's
#: events; `undoes_id` the id of the close, reopen or change of tags on the dashboard which this one
#: undoes. `edit_id` of a message is the id of the edit or deletion of it that counts.
events = Table(
    "events",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("external_id", String(256), nullable=False),
    Column("fingerprint", LargeBinary(32), nullable=False),
    Column("type", String(32), nullable=False),
    Column("thread_id", Id, ForeignKey("threads.id")),
    Column("customer_id", Id, ForeignKey("customers.id"), index=True),
    Column("occurred_at", BigInteger, nullable=False),
    Column("received_at", BigInteger, nullable=False),
    Column("ranked_at", BigInteger, nullable=False),
    Column("role", String(8)),
    Column("private", Boolean, nullable=False, server_default=false()),
    Column("body", Text),
    Column("attachments", Json),
    Column("author_id", Id, ForeignKey("admins.id")),
    Column("data", Json),
    Column("seen_id", Id),
    Column("undoes_id", Id),
    Column("edit_id", Id),
    UniqueConstraint("source_id", "external_id"),
    sqlite_autoincrement=True,
)
#: The events of a thread by time: for conversations, and for counting later events in a fold.
Index("ix_events_conversation", events.c.thread_id, events.c.ranked_at, events.c.id)

#: Acts on threads, for conversations; kept as long as the thread. `admin_id` is null if the chatbot
#: or the customer acted. `event_id` is the close or reopen in `events`. `data` holds the values
#: set, and the values before.
thread_acts = Table(
    "thread_acts",
    metadata,
    Column("id", Id, primary_key=True),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("type", String(32), nullable=False),
    Column("admin_id", Id, ForeignKey("admins.id")),
    Column("event_id", Id),
    Column("data", Json),
    sqlite_autoincrement=True,
)
Index("ix_thread_acts_conversation", thread_acts.c.thread_id, thread_acts.c.at, thread_acts.c.id)

#: Replies that chatbots suggested, the ones of `events`. `message_id` is the message that each
#: answers. `outcome` is null until an admin answers or dismisses it, then used, edited or ignored;
#: `reason` says why it was ignored, `reply_id` is the answer.
suggestions = Table(
    "suggestions",
    metadata,
    Column("event_id", Id, ForeignKey("events.id"), primary_key=True, autoincrement=False),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("message_id", Id, nullable=False),
    Column("outcome", String(7)),
    Column("reason", String(9)),
    Column("decided_at", BigInteger),
    Column("decided_by_id", Id, ForeignKey("admins.id")),
    Column("reply_id", Id),
)
Index("ix_suggestions_of_thread", suggestions.c.thread_id, suggestions.c.event_id)

#: The summary of each thread that is shown, and the last message that it covers.
summaries = Table(
    "summaries",
    metadata,
    Column(
        "thread_id",
        Id,
        ForeignKey("threads.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("event_id", Id, ForeignKey("events.id"), nullable=False),
    Column("message_id", Id, nullable=False),
)

#: The epoch of each list id that the last rebuild wrote; lists in Redis with another are ignored.
epochs = Table(
    "epochs",
    metadata,
    Column("list_id", String(64), primary_key=True),
    Column("epoch", String(64), nullable=False),
)

#: Customers and threads that were erased, by hashes of their source's ids.
erasures = Table(
    "erasures",
    metadata,
    Column("source_id", Id, ForeignKey("sources.id"), primary_key=True, autoincrement=False),
    Column("name_hash", LargeBinary(32), primary_key=True),
    Column("erased_at", BigInteger, nullable=False),
)

#: `id` is random. `admin_id` uploaded it for a message in `thread_id`; `event_id` is that message,
#: null while the file is attached to none.
files = Table(
    "files",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("admin_id", Id, ForeignKey("admins.id"), nullable=False),
    Column("event_id", Id, ForeignKey("events.id")),
    Column("name", String(128), nullable=False),
    Column("type", String(127), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)
Index("ix_files_thread", files.c.thread_id)
#: Files attached to no message: counted for the quota, and removed after a day.
Index(
    "ix_files_unattached",
    files.c.created_at,
    sqlite_where=files.c.event_id.is_(None),
    postgresql_where=files.c.event_id.is_(None),
)

#: `event_id` is the note, `name` the admin's name in its text; `read_at` is null until the admin
#: has read it. `threads.mentioned` repeats the admins with unread ones.
mentions = Table(
    "mentions",
    metadata,
    Column("event_id", Id, ForeignKey("events.id"), primary_key=True, autoincrement=False),
    Column("admin_id", Id, ForeignKey("admins.id"), primary_key=True, autoincrement=False),
    Column("thread_id", Id, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("read_at", BigInteger),
)
Index("ix_mentions_of_thread", mentions.c.thread_id, mentions.c.admin_id)
#: Unread mentions of an admin, newest first.
Index(
    "ix_mentions_unread",
    mentions.c.admin_id,
    mentions.c.event_id,
    sqlite_where=mentions.c.read_at.is_(None),
    postgresql_where=mentions.c.read_at.is_(None),
)
