"""Threads come back from their owners to the desk."""

import fakeredis
import pytest

from dashboard.db.accounts import admins
from dashboard.db.threads import thread_rows
from dashboard.errors import Problem
from dashboard.ingest.actions import Admin
from dashboard.ingest.releases import release_all_of
from dashboard.presence.tasks import PresentAdmins
from presence.people import Connection
from presence.settings import Settings
from tests.dashboard.ordering.order import Order
from tests.drivers.bot import BotDriver, message


class Team:
    """A chatbot and two admins; an admin in `present` has a window open."""

    def __init__(self, database, clock):
        self.database, self.clock = database, clock
        order = Order(database, fakeredis.FakeRedis(), clock)
        clock.now_ms = 1_795_168_860_000  # 2026-11-20T10:01:00Z
        self.bot = BotDriver(order)
        self.services, self.order = order.services, order
        self.mai, self.ken = (
            Admin(
                database.write(
                    lambda c, name=name: admins.create(
                        c, f"{name}@example.com", name, "admin", "", 0
                    )
                ),
                name,
            )
            for name in ("Mai", "Ken")
        )
        order.tick()

    def says(self, thread: str) -> int:
        self.clock.now_ms += 1_000
        return self.bot.post(message(thread=thread, occurred_at="2030-01-01T00:00:00Z")).json[
            "thread_id"
        ]

    def act(self, action: str, admin: Admin, thread_id: int) -> None:
        self.clock.now_ms += 1_000
        self.services.ingest.act(getattr(self.services.actions, action), admin, thread_id)

    def row(self, thread_id: int) -> dict:
        with self.database.read() as connection:
            return thread_rows.rows(connection, [thread_id])[thread_id]

    def owner(self, thread_id: int) -> str | None:
        assignee = self.row(thread_id)["assignee"]
        return assignee and assignee["name"]

    def comes(self, admin: Admin) -> None:
        self.services.presence_service.admins.open(Connection(str(admin.id), "s"), Settings())

    def members(self, view: str) -> list[int]:
        found = self.order.ranking.head(view, "arrival", 100)
        return [entry.id for entry in found.entries]

    def counted(self, view: str) -> dict[int, int]:
        """Maps admins to their threads of the view, as counted in Redis; 0: nobody."""
        counts = self.order.ranking.counts([view])[view]
        return {id: count for id, count in counts.items() if count}


@pytest.fixture
def team(database, clock) -> Team:
    return Team(database, clock)


@pytest.mark.parametrize("kind", ["message", "thread.handoff", "thread.reopen"])
def test_a_closed_thread_of_an_absent_owner_comes_back_to_the_desk(team, kind):
    """H16, E7: when the customer writes, and with any other event that reopens it."""
    id = team.says("t")
    team.act("claim", team.mai, id)
    team.act("close", team.mai, id)
    team.services.present_admins.refresh()
    assert team.owner(id) == "Mai"
    if kind == "message":
        team.says("t")
    else:
        team.clock.now_ms += 1_000
        event = {"id": "x", "type": kind, "thread": "t", "occurred_at": "2030-01-01T00:00:00Z"}
        assert team.bot.post(event).status_code == 201
    assert team.row(id)["open"] and team.owner(id) is None
    assert (team.members("arrival"), team.counted("arrival")) == ([id], {0: 1})
    released = team.bot.get("events").json["events"][-1]
    assert (released["type"], released["data"]["by"]["name"]) == ("thread.released", "Mai")
    assert released["data"]["desk"] == "main", "it waits for another admin"


def test_it_stays_with_an_owner_who_is_here_and_where_that_is_not_known(team):
    """H16: invisible owners are here, too."""
    id = team.says("t")
    team.act("claim", team.mai, id)
    for known in (False, True):
        team.act("close", team.mai, id)
        team.comes(team.mai)
        team.services.presence_service.set_admin(team.mai.id, {"status": "invisible"})
        if known:
            team.services.present_admins.refresh()
        team.says("t")
        assert team.owner(id) == "Mai"


def test_an_open_thread_stays_with_its_owner(team):
    id = team.says("t")
    team.act("claim", team.mai, id)
    team.services.present_admins.refresh()
    team.says("t")
    assert team.owner(id) == "Mai"


def test_what_was_read_of_presence_counts_for_some_seconds_only(team):
    seconds = 0.0
    present = PresentAdmins(team.services.presence_service.admins, lambda: seconds)
    assert not present.is_absent(1)
    present.refresh()
    assert present.is_absent(1)
    seconds = 5.0
    assert not present.is_absent(1)
    present.refresh()
    present.forget()
    assert not present.is_absent(1)


def test_who_is_disabled_gives_back_all_threads_to_their_old_places(team):
    """H16: open and closed ones."""
    ids = [team.says(f"t-{number}") for number in range(4)]
    for id in ids[:3]:
        team.act("claim", team.mai, id)
    team.act("close", team.mai, ids[0])
    team.act("claim", team.ken, ids[3])
    before = team.members("arrival")
    for placements in release_all_of(team.database, team.mai.id, team.clock.now_ms):
        team.services.placer.place_now(placements)
    assert [team.owner(id) for id in ids] == [None, None, None, "Ken"]
    assert team.members("arrival") == before
    assert team.counted("arrival") == {0: 2, team.ken.id: 1}
    assert team.counted("history") == {0: 1}
    types = [event["type"] for event in team.bot.get("events").json["events"]]
    assert types.count("thread.released") == 3


def test_anybody_takes_what_a_disabled_admin_still_has(team):
    """H16: as if the command had been killed in the middle."""
    id = team.says("t")
    team.act("claim", team.mai, id)
    with pytest.raises(Problem, match="Mai has this thread"):
        team.act("claim", team.ken, id)
    team.database.write(lambda connection: admins.disable(connection, team.mai.id, 1))
    team.act("claim", team.ken, id)
    assert team.owner(id) == "Ken"
