"""Views are saved, edited and deleted during a fault; then every list and badge must be exact."""

import random
import threading
from collections.abc import Callable, Sequence

import requests
from sqlalchemy import Connection, select, update

from dashboard.db.lists import entries, query_lists, sorts
from dashboard.db.lists import kept_lists as built_in_lists
from dashboard.db.models.threads import epochs
from dashboard.db.models.views import query_lists as kept_lists
from dashboard.db.models.views import views
from dashboard.redis_clients import RedisClients
from scoring.keys import is_query_list
from scoring.ranking import Ranking
from tests.live.faults.scene import Scene
from tests.support import now_ms, wait_until

QUERIES = (
    "is:open",
    "is:waiting priority:urgent,high",
    "member:0,1,2",
    "-member:none is:answered",
    "waits:<2s",
    "quiet:>1s is:open",
    "last:bot",
    "is:closed",
    "assigned:me",
)
SORTS = ("arrival", "longest_wait", "priority", "member_status")
#: From the end of a fault until every list and badge is right: a worker restarts, and a list is
#: searched for foreign members at most every 15 s.
EXACT_SECONDS = 60
#: Changes of views before a fault and after it.
CHANGES = 6


class Editor:
    """An admin who saves, edits and deletes views, whatever the server answers."""

    def __init__(self, scene: Scene, seed: int):
        self._url = f"{scene.server.url}/admin/api/views"
        self._session = scene.server.sign_in(scene.server.create_admin("Lan", "supervisor"))
        self._random = random.Random(seed)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.changes = 0
        self._thread.start()

    def stop(self) -> None:
        self._is_over.set()
        self._thread.join(60)
        assert not self._thread.is_alive()

    def go_on(self) -> None:
        """Returns when some more views were changed."""
        wanted = self.changes + CHANGES
        wait_until(lambda: self.changes >= wanted, 30, "changes of views")

    def totals(self) -> dict[str, int | None]:
        answer = self._session.get(self._url, timeout=10)
        saved = (view for view in answer.json()["views"] if view["owner"] != "built-in")
        return {view["id"]: view["total"] for view in saved}

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                self._change()
            except (requests.RequestException, ValueError):
                # The server was killed: only a later read tells whether the change was made.
                self._is_over.wait(0.05)

    def _change(self) -> None:
        found = [*self.totals()]
        body = {"name": "A view", "query": self._random.choice(QUERIES)}
        # A list of everybody's view that names `me` is kept for each admin with an open dashboard.
        owner = "me" if ":me" in body["query"] else self._random.choice(["me", "all"])
        body |= {"sort": self._random.choice(SORTS), "owner": owner}
        kind = self._random.choice(["save", "save", "edit", "delete"]) if found else "save"
        one = f"{self._url}/{self._random.choice(found)}" if found else ""
        if kind == "save" and len(found) < 12:
            answer = self._session.post(self._url, json=body, timeout=10)
        elif kind == "delete":
            headers = {"Content-Type": "application/json"}
            answer = self._session.delete(one, timeout=10, headers=headers)
        else:
            answer = self._session.put(one, json=body, timeout=10)
        # 503: Redis or SQL are away.
        assert answer.status_code in (200, 201, 204, 503), answer.text
        self.changes += answer.ok


class Lists:
    """The lists of queries in SQL and in Redis."""

    def __init__(self, scene: Scene):
        self._scene = scene
        self.wrong = ""

    def are_exact(self, editor: Editor, *, whole: bool = False) -> bool:
        """Whether every list and badge is right and nothing is left over; `wrong`: the first error.

        `whole`: there must be no list that no view needs.
        """
        try:
            self.wrong = self._first_wrong(editor, whole)
        except Exception as error:  # of a server that is on its way up
            self.wrong = repr(error)
        return not self.wrong

    def let_unneeded_go(self) -> None:
        """Ends the minute for which lists are kept after nobody needs them."""
        table = kept_lists
        statement = update(table).where(table.c.kept_until.is_not(None)).values(kept_until=1)
        self._scene.database.write(lambda connection: connection.execute(statement))

    def _first_wrong(self, editor: Editor, whole: bool) -> str:
        client = RedisClients(self._scene.redis.url).new()
        ranking = Ranking(client)
        with self._scene.database.read() as connection:
            needed = {*connection.scalars(select(views.c.list_id))} - {None}
            needed |= built_in_lists.ids_in(connection, sorts.known(connection))
            table = kept_lists
            kept = {*connection.scalars(select(table.c.id).where(table.c.kept_until.is_(None)))}
            if kept != needed:
                return f"lists that are kept: {kept ^ needed}"
            lists = query_lists.current(connection).lists
            if whole and lists.keys() != needed:
                return f"lists that nobody needs: {lists.keys() - needed}"
            stored = {id: self._stored(connection, id) for id in lists}
            known = {id for id in connection.scalars(select(epochs.c.list_id)) if is_query_list(id)}
            saved = dict(connection.execute(select(views.c.id, views.c.list_id)).all())
        keys = [key.decode() for key in client.keys("*|q:*")]
        if left := {key.split("|")[1] for key in keys} - lists.keys() | known - lists.keys():
            return f"keys or epochs of lists that are no more: {left}"
        if half := [key for key in keys if "|next" in key]:
            return f"half-built lists: {half}"
        for id in lists:
            head = ranking.head(id, lists[id].sort, 1_000)
            if [tuple(entry) for entry in head.entries] != stored[id]:
                return f"the list {lists[id]}"
        for view, total in editor.totals().items():
            # A view that names `me` has a list for each admin who looks.
            list_id = saved[int(view[1:])]
            if list_id is not None and total != len(stored[list_id]):
                return f"the total of {view}: {total} of {len(stored[list_id])}"
        return ""

    def _stored(self, connection: Connection, list_id: str) -> list[tuple[int, int]]:
        query_list = query_lists.current(connection).lists[list_id]
        return [tuple(e) for e in entries.entries(connection, query_list, now_ms(), 1_000)]


def go_through(scene: Scene, faults: Sequence[Callable[[Scene], object]]) -> None:
    """Runs one fault after the other while views are changed and events are posted. After each one
    every list and badge must be exact, and in the end nothing may be lost."""
    for seed, fault in enumerate(faults):
        editor = Editor(scene, seed)
        try:
            scene.under_load(lambda: _while_changing(editor, fault, scene), events=100)  # noqa: B023
        finally:
            editor.stop()
        lists = Lists(scene)
        try:
            wait_until(lambda: lists.are_exact(editor), EXACT_SECONDS)  # noqa: B023
            lists.let_unneeded_go()
            wait_until(lambda: lists.are_exact(editor, whole=True), EXACT_SECONDS)  # noqa: B023
        except AssertionError as error:
            raise AssertionError(lists.wrong) from error
    for dashboard in scene.dashboards:
        if not dashboard.client.connected:
            dashboard.connect()
    scene.check_nothing_is_lost()


def _while_changing(editor: Editor, fault: Callable[[Scene], object], scene: Scene) -> None:
    editor.go_on()
    fault(scene)
    editor.go_on()
