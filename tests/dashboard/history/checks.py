"""What the past says of a random day, against plain recounts."""

import random
from collections import Counter
from typing import Any

from sqlalchemy import select

from dashboard.db.history import lists
from dashboard.db.lists import named_lists
from dashboard.db.models.history import history_state
from dashboard.db.models.history import thread_history as ended
from dashboard.db.models.threads import customers, threads
from dashboard.db.threads.thread_tags import tags_in
from dashboard.errors import Problem
from tests.dashboard.history.desk import LISTS, HistoryDesk, moment

#: The largest page of changes.
ALL = 100


def check_explanations(desk: HistoryDesk, chosen: random.Random, count: int) -> None:
    """A thread has the rank, the total and the score that the list had."""
    since = desk.since()
    held_lists = [held for held in desk.held if held.at >= since and held.rows]
    for held in chosen.sample(held_lists, min(count, len(held_lists))):
        entries, total, _ = desk.without_erased(held)
        places = {id: (rank, score) for rank, (score, id) in enumerate(entries)}
        for id in chosen.sample(range(1, 8), 3):
            query = held.list | {"at": moment(held.at)}
            path = f"/admin/api/threads/{id}/explain"
            answer = getattr(desk, held.admin).get(path, query_string=query)
            if answer.status_code == 404:
                # It is gone, or at another desk by now, or had not begun.
                continue
            said = answer.json
            assert answer.status_code == 200 and said["total"] == total, (held[:3], id)
            assert said["rank"] == places.get(id, (None, 0))[0], (held[:3], id)
            assert id not in places or said["score"] == places[id][1], (held[:3], id)


def check_changes(desk: HistoryDesk, chosen: random.Random) -> None:
    """Pages join; each change has what was stored with it; together they lead to today."""
    with desk.database.read() as connection:
        whole_since = connection.scalar(select(history_state.c.since))
        joined = threads.outerjoin(customers)
        rows = connection.execute(select(threads, customers).select_from(joined)).mappings().all()
    for row in rows:
        id = row[threads.c.id]
        changes = pages(desk, id, ALL)
        assert pages(desk, id, chosen.randint(1, 4)) == changes
        times = [change["at"] for change in changes]
        assert times == sorted(set(times), reverse=True)
        revisions = [change["rev"] for change in changes]
        assert revisions == sorted(set(revisions), reverse=True)
        assert revisions[0] == row[threads.c.revision]
        check_behind(desk, id, changes, whole_since)
        check_fold(changes, row)


def pages(desk: HistoryDesk, thread_id: int, limit: int) -> list[dict[str, Any]]:
    """Returns all changes of a thread, read in pages."""
    changes, before = [], {}
    while True:
        query = {"limit": limit, **before}
        part = desk.sue.get(f"/admin/api/threads/{thread_id}/history", query_string=query).json
        changes += part["changes"]
        assert len(part["changes"]) == limit or part["next"] is None
        if part["next"] is None:
            return changes
        before = {"before": part["next"]}


def check_behind(
    desk: HistoryDesk, id: int, changes: list[dict[str, Any]], whole_since: int
) -> None:
    """Each act and message of the time that is known stands once, with its own change."""
    told = Counter[tuple[str, int]]()
    place: dict[tuple[str, int], int] = {}
    for change in changes:
        for kind in ("act", "message"):
            for one in change[f"{kind}s"]:
                told[kind, one["id"]] += 1
                place[kind, one["id"]] = change["rev"]
    assert set(told.values()) <= {1}, "each once"
    revisions = [change["rev"] for change in changes]
    for note in desk.noted.of_threads[id]:
        # Changes in one millisecond are one change, with the last revision of them.
        own = min(revision for revision in revisions if revision >= note.after)
        for one in note.stored:
            if one in place:
                assert note.before < place[one] <= own, (id, one, note, place[one])
            else:
                assert whole_since and note.before <= revisions[-1], (id, one, note)


def check_fold(changes: list[dict[str, Any]], row: Any) -> None:
    """Each value goes on from the one before; the last ones are those of today."""
    today: dict[str, Any] = {}
    for change in reversed(changes):
        for name, (before, after) in change["changed"].items():
            assert today.get(name, before) == before, name
            assert before != after
            today[name] = after
    for name, value in today.items():
        column = customers.c[name] if name in ("member_status", "locale") else threads.c[name]
        stored = row[column]
        if name == "tags":
            stored = sorted(tags_in(stored))
        if name == "snoozed_until" and row[threads.c.closed]:
            stored = None
        assert value == stored, name


def check_marks(desk: HistoryDesk, chosen: random.Random, count: int) -> None:
    """Each step counts the changes of threads that were on the list before or after, and has the
    moments of the first and the last one."""
    moments = sorted({held.at for held in desk.held if held.at >= desk.since()})
    for _ in range(count if len(moments) > 1 else 0):
        admin, listed = chosen.choice([*desk.people]), chosen.choice(LISTS)
        first = chosen.randrange(len(moments) - 1)
        since = moments[first]
        until = moments[min(first + chosen.randint(1, 8), len(moments) - 1)]
        steps = chosen.choice((1, 7, 400))
        query = listed | {"since": moment(since), "until": moment(until), "steps": steps}
        answer = getattr(desk, admin).get("/admin/api/history/marks", query_string=query)
        if answer.status_code == 200:
            expected = recounted(desk, admin, listed, since, until, answer.json["step"])
            told = {number: tuple(found) for number, *found in answer.json["counts"]}
            assert told == expected, (admin, listed, since, until)
            assert answer.json["step"] == -(-(until - since) // steps)


def check_lengths(desk: HistoryDesk, chosen: random.Random, count: int) -> None:
    """The length of a list over time is that of the list at each moment."""
    since = desk.since()
    times = sorted({held.at for held in desk.held if held.at >= since})
    for listed in chosen.sample(LISTS, count):
        moments = sorted(chosen.sample(times, min(6, len(times))))
        with desk.database.read() as connection:
            name = desk.name_of("sue", listed)
            try:
                query_list = named_lists.find_at(connection, name, 1, moments[-1])
            except Problem:
                # The view or the sort was not there.
                continue
        totals = [lists.part(desk.database, query_list, at, 100, None).total for at in moments]
        assert lists.lengths(desk.database, query_list, moments) == totals, (listed, moments)


def recounted(
    desk: HistoryDesk, admin: str, listed: dict[str, str], since: int, until: int, step: int
) -> dict[int, tuple[int, int, int]]:
    """Counts the changes in each step by asking for the list before and after each change; returns
    the number of them, and the moments of the first and the last one."""
    with desk.database.read() as connection:
        name, admin_id = desk.name_of(admin, listed), desk.people[admin]
        query_list = named_lists.find_at(connection, name, admin_id, until)
        began = ended.c.until - ended.c.lasted
        changes = [
            *connection.execute(select(ended.c.thread_id, began)),
            *connection.execute(select(threads.c.id, threads.c.listed_at)),
        ]

    def held(at: int) -> set[int]:
        return set(lists.part(desk.database, query_list, at, 100, None).ids)

    moments: dict[int, list[int]] = {}
    for at in {at for _, at in changes if since < at <= until}:
        changed = {id for id, moment in changes if moment == at}
        on_list = changed & (held(at - 1) | held(at))
        moments.setdefault((at - since - 1) // step, []).extend([at] * len(on_list))
    return {number: (len(ats), min(ats), max(ats)) for number, ats in moments.items() if ats}
