"""Mentions are stored with their note, and are unread until the mentioned admin has read them."""

import pytest
from sqlalchemy import select

from dashboard.db.accounts import admin_desks, admins
from dashboard.db.models.threads import mentions, threads
from dashboard.errors import Invalid, NotFound, Problem
from dashboard.ingest.actions import Actions, Admin
from dashboard.ingest.assigning import Assigning, HandOver
from dashboard.ingest.mentioning import Mentioning
from dashboard.ingest.replies import Reply
from tests.dashboard.ingest.shop import Shop, new_admin


class Team:
    """A thread, and three admins; Linh writes the notes."""

    def __init__(self, database, clock):
        self.database, self.clock = database, clock
        self.shop = Shop(database, clock)
        self.actions, self.mentioning = Actions(database, clock), Mentioning(database, clock)
        self.assigning = Assigning(database, clock)
        self.linh, self.ken, self.ana = (
            Admin(new_admin(database, name), name) for name in ("Linh", "Ken", "Ana")
        )
        thread = self.shop.says(0).thread_id
        assert thread is not None
        self.thread: int = thread
        self.written = 0

    def note(self, body: str, chosen=(), by: Admin | None = None, private=True):
        """Writes a note; the message as the dashboard gets it, and the placements."""
        self.written += 1
        self.clock.advance(1)
        reply = Reply(body, f"n-{self.written}", private, None, True, mentions=chosen)
        result, placements = self.actions.reply(by or self.linh, self.thread, reply)
        return result.message, placements

    def unread(self, admin: Admin) -> list[int]:
        return self.mentioning.read(admin, self.thread, 0)[0]

    @property
    def column(self) -> str | None:
        with self.database.read() as connection:
            return connection.scalar(select(threads.c.mentioned).where(threads.c.id == self.thread))

    def ids(self, *who: Admin) -> str:
        return f" {' '.join(sorted(str(admin.id) for admin in who))} "


@pytest.fixture
def team(any_database, clock) -> Team:
    return Team(any_database, clock)


def test_a_note_mentions_whom_it_names(team):
    revision = team.shop.row()["rev"]
    message, placements = team.note("@Ken and @ana: she has called. @Linh")
    assert message["mentions"] == [
        {"id": team.ken.id, "name": "Ken"},
        {"id": team.ana.id, "name": "ana"},
    ]
    assert team.column == team.ids(team.ken, team.ana)
    assert team.unread(team.ken) == team.unread(team.ana) == [message["id"]]
    assert team.unread(team.linh) == [], "nobody mentions themselves"
    assert placements[-1].revision == team.shop.row()["rev"] > revision
    assert team.shop.conversation()[-1] == message


def test_a_name_is_called_in_other_signs_and_widths(team):
    pat = Admin(new_admin(team.database, "Pat O’Brien–Lê"), "Pat O’Brien–Lê")
    message, _ = team.note("＠ＰＡＴ　O'Brien-Le\u0302, look")
    assert message["mentions"] == [{"id": pat.id, "name": "ＰＡＴ　O'Brien-Le\u0302"}]
    assert team.unread(pat) == [message["id"]]


def test_of_several_who_are_called_alike_those_who_are_meant(team):
    namesake = Admin(new_admin(team.database, "Ken2"), "Ken")
    team.database.write(
        lambda connection: connection.exec_driver_sql(
            f"UPDATE admins SET name = 'Ken' WHERE id = {namesake.id}"
        )
    )
    both, _ = team.note("@Ken")
    assert [each["id"] for each in both["mentions"]] == [team.ken.id, namesake.id]
    one, _ = team.note("@Ken", [namesake.id, namesake.id])
    assert [each["id"] for each in one["mentions"]] == [namesake.id]
    others, _ = team.note("@Ken and @Ana", [namesake.id])
    assert [each["id"] for each in others["mentions"]] == [team.ana.id, namesake.id]
    assert team.unread(team.ken) == [both["id"]]


def test_who_cannot_be_mentioned_is_refused_and_no_note_is_stored(team):
    count = len(team.shop.conversation())
    for chosen in ([team.ana.id], [team.linh.id], [999]):
        with pytest.raises(Invalid) as caught:
            team.note("@Ken and @Linh", [team.ken.id, *chosen])
        [error] = caught.value.errors
        assert (error.pointer, error.code) == ("/mentions/1", "unknown_value")
    assert len(team.shop.conversation()) == count and team.column is None


def test_who_does_not_see_the_thread_or_is_disabled_is_not_mentioned(team):
    def change(connection):
        admin_desks.add(connection, "billing", 0)
        admin_desks.save(connection, team.ken.id, ["billing"])
        admins.disable(connection, team.ana.id, 1)

    team.database.write(change)
    message, _ = team.note("@Ken @Ana")
    assert "mentions" not in message and team.column is None
    for admin in (team.ken, team.ana):
        with pytest.raises(Invalid):
            team.note("@Ken @Ana", [admin.id])


def test_a_reply_to_the_customer_mentions_nobody(team):
    message, _ = team.note("@Ken answers soon", private=False)
    assert "mentions" not in message and team.column is None


def test_the_note_of_a_hand_over_mentions_too(team):
    given = HandOver(team.ana.id, "@Ken knows more")
    team.assigning.hand_over(team.linh, team.thread, given)
    [message] = [each for each in team.shop.conversation() if each["private"]]
    assert message["mentions"] == [{"id": team.ken.id, "name": "Ken"}]
    assert team.unread(team.ken) == [message["id"]]


def test_what_was_read_leaves_and_later_mentions_stay(team):
    first, _ = team.note("@Ken @Ana")
    second, _ = team.note("@Ken again")
    unread, placements = team.mentioning.read(team.ken, team.thread, first["id"])
    assert unread == [second["id"]]
    assert team.column == team.ids(team.ken, team.ana), "he has another one"
    team.clock.advance(1)
    unread, placements = team.mentioning.read(team.ken, team.thread, second["id"])
    assert unread == [] and [each.thread_id for each in placements] == [team.thread]
    assert team.column == team.ids(team.ana)
    assert team.mentioning.read(team.ken, team.thread, second["id"]) == ([], []), "nothing more"


def test_a_mention_is_unread_again(team):
    message, _ = team.note("@Ken")
    other, _ = team.note("@Ana")
    team.mentioning.read(team.ken, team.thread, message["id"])
    assert team.column == team.ids(team.ana)
    unread, placements = team.mentioning.unread(team.ken, team.thread, message["id"])
    assert (unread, len(placements)) == ([message["id"]], 1)
    assert team.column == team.ids(team.ken, team.ana)
    for note in (other["id"], 999):
        with pytest.raises(NotFound):
            team.mentioning.unread(team.ken, team.thread, note)


def test_a_thread_that_is_not_seen_is_none(team):
    message, _ = team.note("@Ken")
    outsider = team.ken._replace(desks=frozenset({"billing"}))
    for work in (team.mentioning.read, team.mentioning.unread):
        with pytest.raises(NotFound):
            work(outsider, team.thread, message["id"])


def test_the_same_token_is_the_same_note_with_the_same_mentions(team):
    reply = Reply("@Ken", "once", True, mentions=[team.ken.id])
    first, _ = team.actions.reply(team.linh, team.thread, reply)
    again, placements = team.actions.reply(team.linh, team.thread, reply)
    assert (again.message, again.created, placements) == (first.message, False, [])
    with pytest.raises(Problem) as caught:
        team.actions.reply(team.linh, team.thread, reply._replace(mentions=[team.ana.id]))
    assert caught.value.code == "event_id_conflict"
    assert team.shop.count(mentions) == 1
