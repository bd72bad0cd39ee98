"""The metrics of reports, each a row: what it counts, and what it may be divided by."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from sqlalchemy import ColumnElement

from dashboard.db.models.reports import report_facts
from dashboard.db.reports.facts import KINDS, WORK

#: What the number of a metric is: a count of facts or of threads, the durations of something, how
#: many threads wait at a moment, the time that admins spent, or how long a list was.
Measure = Literal["facts", "threads", "durations", "level", "time", "list"]


class Metric(NamedTuple):
    """A metric: its kinds of facts (of `level` those that add one and that take one away), and a
    sentence that says how it is counted. `hours`: the kind of the times of admins."""

    measure: Measure
    kinds: tuple[str, ...]
    about: str
    less: tuple[str, ...] = ()
    hours: str = ""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its kinds of facts."""
        return tuple(KINDS[kind] for kind in (*self.kinds, *self.less))


METRICS: Mapping[str, Metric] = {
    "new": Metric("facts", ("began",), "Threads, by the time of their first event."),
    "closed": Metric("facts", ("closed",), "Closes that were not undone."),
    "reopened": Metric(
        "facts",
        ("reopened",),
        "Threads that were opened again, by an admin, a message or a handoff.",
    ),
    "waiting": Metric(
        "level",
        ("waiting",),
        "Threads with a customer who waits for an answer, at the end of each step.",
        less=("waited",),
    ),
    "length": Metric(
        "list", (), "Threads on a list, as it was shown at the end of each step (31 days at most)."
    ),
    "first_reply": Metric(
        "durations",
        ("first_reply",),
        "From the first unanswered request to the first answer of an admin in its thread.",
    ),
    "next_reply": Metric(
        "durations",
        ("next_reply",),
        "From the first unanswered request to the answer, in threads that were answered before.",
    ),
    "close_time": Metric(
        "durations", ("closed",), "From the begin of a thread, or its last reopening, to its close."
    ),
    "met": Metric("facts", ("met",), "Answers by the time that a policy had promised."),
    "missed": Metric(
        "facts", ("missed",), "Promises of policies that had not been kept when they were due."
    ),
    "answers": Metric(
        "facts", ("first_reply", "next_reply", "message"), "Messages of admins to customers."
    ),
    "handled": Metric("threads", WORK, "Threads that admins answered or closed."),
    "online": Metric("time", (), "Time in which admins were here and not away.", hours="online"),
    "away": Metric("time", (), "Time in which admins were away.", hours="away"),
    "accepting": Metric(
        "time", (), "Time in which admins took threads from queues.", hours="accepting"
    ),
    "at_capacity": Metric(
        "time", (), "Time in which accepting admins had no free place.", hours="full"
    ),
    "given": Metric("facts", ("given",), "Threads that queues gave to admins."),
    "returned": Metric("facts", ("returned",), "Threads that went back to their queues."),
    "suggestions_used": Metric(
        "facts", ("used",), "Suggestions of chatbots that admins sent as they were."
    ),
    "suggestions_edited": Metric(
        "facts", ("edited",), "Suggestions of chatbots that admins took over, changed and sent."
    ),
    "suggestions_ignored": Metric(
        "facts",
        ("ignored",),
        "Suggestions of chatbots in threads that admins answered without them, or that admins "
        "dismissed.",
    ),
    "queue_time": Metric(
        "durations", ("given",), "From a thread's coming into a queue to its hand-out."
    ),
}

#: What a number may be divided by, and the column that says it; the parts of `view` follow from
#: queries.
By = Literal["desk", "admin", "source", "tag", "tier", "language", "queue", "view", "hour"]
COLUMNS: Mapping[str, ColumnElement[object]] = {
    "desk": report_facts.c.desk,
    "admin": report_facts.c.admin_id,
    "source": report_facts.c.source_id,
    "tag": report_facts.c.tags,
    "tier": report_facts.c.tier,
    "language": report_facts.c.language,
    "queue": report_facts.c.queue_id,
}
#: Of these, a thread may belong to several parts, or to none: the parts do not add up to the whole.
OVERLAPPING = ("tag", "view")
