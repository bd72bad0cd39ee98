"""The totals of saved views: each the length of its list, sent when it changes."""

import random

import fakeredis
import pytest

from dashboard.db.accounts import admin_desks
from dashboard.db.lists import kept_lists, query_lists, views
from dashboard.db.lists.named_lists import ListName
from dashboard.db.lists.views import Draft
from dashboard.ingest.actions import Admin
from dashboard.live.reads import Reads
from dashboard.live.socket_admins import SocketAdmins
from dashboard.live.view_totals import (
    READ_ALL_SECONDS,
    SEND_SECONDS,
    VERSIONED_SECONDS,
    Lengths,
    ListTotals,
    ViewTotals,
)
from scoring.views import FILTERS, VIEWS
from tests.dashboard.ingest.shop import new_admin
from tests.dashboard.live.emitter import FakeEmitter
from tests.dashboard.ordering.order import Order
from tests.support import SettableClock


class Scene:
    """An order, the views of two admins, and their sockets."""

    def __init__(self, database):
        self.order = Order(database, fakeredis.FakeRedis(), SettableClock())
        self.mai = new_admin(database, "Mai", "supervisor")
        self.ken = new_admin(database, "Ken", "admin")
        self.emitter = FakeEmitter()
        self.admins = SocketAdmins()
        reads, keeper = Reads(database, self.order.clock), self.order.services.list_keeper
        # Built by `tick`.
        self.list_totals = ListTotals(
            reads, self.emitter, keeper, lambda list_id: None, self.admins
        )
        lengths = Lengths(self.order.ranking, self.order.monotonic)
        self.totals = ViewTotals(
            lengths,
            reads,
            self.emitter,
            keeper,
            self.admins,
            self.list_totals,
            self.order.monotonic,
        )
        self.admins.add("mai", self.mai)
        self.admins.add("ken", self.ken)
        self.order.tick()

    def save(self, query, owner=None, desk=None):
        """Saves a view, and builds its list; returns the view's id."""
        draft = Draft("a view", query, "arrival", "UTC", owner, desk)
        made = self.order.database.write(
            lambda connection: views.create(connection, draft, self.mai, self.order.clock())
        )
        self.totals.views_changed()
        self.order.tick()
        self.totals.note()
        return made.public_id

    def post(self, *names, **fields):
        for name in names:
            self.order.post(name, **fields)
        self.totals.note()

    def claim(self, admin_id):
        claim = self.order.services.actions.claim
        self.order.ingest.act(claim, Admin(admin_id, "An admin"), 1)
        self.totals.note()

    def turn(self):
        """Runs a turn when totals are due to all sockets."""
        self.order.seconds += SEND_SECONDS
        self.totals.turn()

    def turn_with_lists(self):
        """Runs a turn, then builds the lists that it has asked for."""
        self.turn()
        self.order.tick()
        self.totals.note()

    def send_in(self, seconds):
        """Has each message take so long from now on."""

        def send(*message):
            self.order.seconds += seconds
            FakeEmitter.send(self.emitter, *message)

        self.emitter.send = send

    def filter_totals(self):
        """Returns the filter totals that the next turn sends."""
        self.turn()
        return self.emitter.take("list:totals")

    def sent(self):
        """Maps sockets to the totals that the next turn sends; leaves out `mentions`, which another
        file tests."""
        self.turn()
        found = {sid: data["totals"] for sid, event, data in self.emitter.sent}
        assert len(found) == len(self.emitter.sent)
        self.emitter.sent.clear()
        for totals in found.values():
            totals.pop("mentions", None)
        return {sid: totals for sid, totals in found.items() if totals}

    def looked_at(self):
        """Lists that are kept while somebody looks, except those of mentions."""
        with self.order.database.read() as connection:
            mentions = {
                query_lists.list_of(connection, listed).id
                for admin_id in (self.mai, self.ken)
                for listed in kept_lists.own(admin_id).values()
            }
        return {*self.totals.looked_at} - mentions


@pytest.fixture
def scene(database):
    return Scene(database)


def test_the_changed_totals_alone_are_sent_to_those_who_see_the_view(scene):
    """`views:totals` (docs/protocol.md)"""
    assert scene.sent() == {}
    waiting, everything, own = scene.save("is:waiting"), scene.save(""), scene.save("", scene.ken)
    assert scene.sent() == {
        "mai": {waiting: 0, everything: 0},
        "ken": {waiting: 0, everything: 0, own: 0},
    }
    scene.post("a", role="bot")
    assert scene.sent() == {"mai": {everything: 1}, "ken": {everything: 1, own: 1}}
    scene.post("a", "b")
    assert scene.sent() == {
        "mai": {waiting: 2, everything: 2},
        "ken": {waiting: 2, everything: 2, own: 2},
    }
    scene.post("a")
    assert scene.sent() == {}, "a change that leaves the lengths as they were"


def test_a_new_socket_gets_all_that_its_admin_sees(scene):
    view = scene.save("is:waiting")
    scene.post("a")
    scene.sent()
    scene.admins.add("second", scene.ken)
    assert scene.sent() == {"second": {view: 1}}
    scene.admins.drop("second")
    scene.admins.drop("ken")
    scene.post("b")
    assert scene.sent() == {"mai": {view: 2}}


def test_a_view_that_is_changed_has_the_total_of_what_it_is_now(scene):
    view = scene.save("is:waiting")
    scene.post("a", "b")
    scene.sent()
    with scene.order.database.read() as connection:
        found = views.find(connection, int(view[1:]), scene.mai, None)
    draft = Draft("a view", "is:closed", "arrival", "UTC", None)
    scene.order.database.write(
        lambda connection: views.change(connection, found, draft, scene.mai, 5)
    )
    scene.totals.views_changed()
    assert scene.sent() == {}, "the list is not there yet"
    scene.order.tick()
    scene.totals.note()
    assert scene.sent() == {"mai": {view: 0}, "ken": {view: 0}}


def test_a_view_of_everybody_that_names_me_is_another_list_for_each(scene):
    view = scene.save("assigned:me")
    scene.sent()
    scene.order.tick()
    scene.totals.note()
    assert scene.sent() == {"mai": {view: 0}, "ken": {view: 0}}
    scene.post("a")
    scene.claim(scene.ken)
    assert scene.sent() == {"ken": {view: 1}}
    assert len(scene.looked_at()) == 2


def test_the_totals_of_a_desks_views_are_sent_to_who_sees_the_desk(scene):
    scene.order.database.write(lambda c: admin_desks.add(c, "billing", 0))
    scene.admins.drop("ken")
    scene.admins.add("ken", scene.ken, frozenset(["main"]))
    main, billing = scene.save("", desk="main"), scene.save("", desk="billing")
    scene.post("a")
    scene.turn_with_lists()
    scene.emitter.sent.clear()
    scene.post("b", "c")
    scene.turn()
    [mai], [ken] = (scene.emitter.take("views:totals", sid) for sid in ("mai", "ken"))
    totals = {id: total for id, total in mai["totals"].items() if id != "mentions"}
    assert totals == {main: 3, billing: 3}
    assert {id: total for id, total in ken["totals"].items() if id in (main, billing)} == {main: 3}


def test_the_totals_of_a_desk_are_sent_when_all_of_a_filter_are_known(scene):
    """`pages:totals` is one message for each filter: a part of it would empty the other badges."""
    scene.admins.add("kim", scene.ken, frozenset(["main"]))
    scene.list_totals.look_up()
    first, *others = sorted(scene.list_totals.looked_at)
    scene.list_totals.send({first, *others}, dict.fromkeys(others, 3))
    sent = scene.emitter.take("pages:totals", "kim")
    assert len(sent) == len(FILTERS) - 1
    scene.list_totals.send({first}, dict.fromkeys([first, *others], 3))
    sent += scene.emitter.take("pages:totals", "kim")
    assert {totals["filter"] for totals in sent} == set(FILTERS)
    assert all(totals == {"filter": totals["filter"]} | dict.fromkeys(VIEWS, 3) for totals in sent)


def test_after_a_loss_of_data_no_total_is_sent_before_its_list_is_there(scene):
    view = scene.save("is:waiting")
    scene.post("a", "b")
    scene.sent()
    scene.order.client.flushall()
    scene.totals.note()
    scene.post("c")
    assert scene.sent() == {}
    scene.order.tick(2)
    scene.totals.note()
    assert scene.sent() == {"mai": {view: 3}, "ken": {view: 3}}


def test_all_lengths_are_read_every_few_seconds(scene):
    view = scene.save("is:waiting")
    scene.sent()
    scene.order.post("a")
    assert scene.sent() == {}, "the notification was lost"
    scene.order.seconds += READ_ALL_SECONDS
    assert scene.sent() == {"mai": {view: 1}, "ken": {view: 1}}


def test_a_socket_gets_the_totals_of_the_filters_of_one_list(scene):
    """`list:totals` (docs/protocol.md)"""
    view = scene.save("is:open")
    scene.post("a", "b")
    scene.sent()
    name = ListName(view, "arrival", "all")
    scene.list_totals.watch("ken", name)
    assert scene.filter_totals() == [], "the lists are not there yet"
    scene.order.tick()
    scene.totals.note()
    told = {"view": view, "sort": "arrival", "filter": "all"}
    assert scene.filter_totals() == [told | {"totals": {"unassigned": 2, "mine": 0}}]
    assert len(scene.looked_at()) == 2, "kept while somebody looks"
    scene.claim(scene.ken)
    assert scene.filter_totals() == [told | {"totals": {"unassigned": 1, "mine": 1}}]
    assert scene.filter_totals() == []
    scene.post("a")
    assert scene.filter_totals() == [], "a change that leaves the lengths as they were"
    scene.list_totals.watch("ken", ListName(None, "arrival", "all", "is:waiting"))
    scene.turn_with_lists()
    asked = {"query": "is:waiting", "sort": "arrival", "filter": "all"}
    assert scene.filter_totals() == [asked | {"totals": {"all": 2, "unassigned": 1, "mine": 1}}]
    scene.list_totals.close("ken", ListName(None, "arrival", "all", "is:waiting"))
    scene.post("c")
    assert scene.filter_totals() == []
    assert not scene.looked_at()


def test_the_totals_of_filters_follow_an_edited_view_and_end_with_a_deleted_one(scene):
    view = scene.save("is:open")
    scene.post("a", "b")
    scene.list_totals.watch("mai", ListName(view, "arrival", "all"))
    scene.turn_with_lists()
    assert scene.filter_totals()[-1]["totals"] == {"unassigned": 2, "mine": 0}
    number = int(view[1:])
    with scene.order.database.read() as connection:
        found = views.find(connection, number, scene.mai, None)
    draft = Draft("a view", "is:closed", "arrival", "UTC", None)
    edited = scene.order.database.write(lambda c: views.change(c, found, draft, scene.mai, 5))
    scene.list_totals.views_changed(lambda name: name.view == view)
    scene.turn_with_lists()
    assert scene.filter_totals()[-1]["totals"] == {"unassigned": 0, "mine": 0}
    scene.order.database.write(lambda c: views.remove(c, edited, 6))
    scene.list_totals.views_changed(lambda name: name.view == view)
    scene.turn()
    assert not scene.looked_at()


def test_a_closed_socket_gets_no_totals_of_filters(scene):
    view = scene.save("is:open")
    scene.list_totals.watch("mai", ListName(view, "arrival", "all"))
    scene.turn_with_lists()
    scene.filter_totals()
    scene.admins.drop("mai")
    scene.list_totals.drop("mai")
    scene.post("a")
    assert scene.filter_totals() == []
    assert not scene.looked_at()


def test_a_socket_that_asks_for_versions_gets_them_with_all_totals_and_then_with_changes(scene):
    view, other = scene.save("is:waiting"), scene.save("tag:vip")
    scene.sent()
    scene.totals.send_versions("ken")
    scene.turn()
    [first] = scene.emitter.take("views:totals")
    assert first["totals"].items() >= {view: 0, other: 0}.items()
    scene.post("a")
    scene.turn()
    [plain], [versioned] = (scene.emitter.take("views:totals", sid) for sid in ("mai", "ken"))
    assert plain == {"totals": {view: 1}}
    [number], [before] = versioned.pop("as_of"), first["as_of"]
    assert versioned == plain and number > before
    assert [number] == list(scene.order.ranking.totals(None).numbers)


def test_versions_come_ten_times_a_second_and_plain_totals_four_times(scene):
    view = scene.save("is:waiting")
    scene.sent()
    scene.totals.send_versions("ken")
    scene.turn()
    scene.emitter.sent.clear()
    came = {"mai": 0, "ken": 0}
    for number in range(200):
        scene.post(f"t-{number}")
        scene.order.seconds += 0.01
        scene.totals.turn()
        for sid, *_ in scene.emitter.sent:
            came[sid] += 1
        scene.emitter.sent.clear()
    assert came["mai"] == pytest.approx(2 / SEND_SECONDS, abs=1)
    assert came["ken"] == pytest.approx(2 / VERSIONED_SECONDS, abs=2)
    scene.post("last")
    scene.turn()
    assert {sid: data["totals"] for sid, _, data in scene.emitter.sent} == {
        "mai": {view: 201},
        "ken": {view: 201},
    }


@pytest.mark.parametrize(
    "happens",
    [
        lambda scene: scene.post("t-1"),
        lambda scene: scene.admins.add("new", scene.ken),
        lambda scene: scene.save("is:waiting"),
        lambda scene: scene.list_totals.watch("mai", ListName("arrival", "arrival", "all")),
    ],
    ids=("a change", "a socket", "a view of a known list", "a list"),
)
def test_a_turn_that_comes_too_early_leaves_no_longer_pause(scene, happens):
    scene.save("is:waiting")
    scene.turn_with_lists()
    scene.turn()
    due_at = scene.order.seconds + SEND_SECONDS
    happens(scene)
    scene.order.seconds = due_at - 0.05
    scene.totals.turn()
    assert scene.totals._task._interval_seconds() == pytest.approx(0.05)
    scene.order.seconds = due_at
    scene.totals.turn()
    assert scene.totals._task._interval_seconds() == SEND_SECONDS


def test_versions_come_less_often_while_sending_takes_long(scene):
    scene.save("is:waiting")
    scene.totals.send_versions("ken")
    scene.send_in(0.05)
    sent = 0
    for number in range(100):
        scene.post(f"t-{number}")
        scene.totals.turn()
        sent += len(scene.emitter.take("views:totals", "ken"))
    assert sent <= 5 / SEND_SECONDS + 2


class Pause:
    """An event of a task. Waiting for it passes the time of a scene, and posts what is due."""

    def __init__(self, running):
        self.running = running
        self.is_set = lambda: self.was_set
        self.clear()

    def set(self):
        self.was_set = True

    def clear(self):
        self.was_set = False

    def wait(self, seconds):
        order, moments = self.running.scene.order, self.running.moments
        end = order.seconds + seconds
        while moments and moments[0] <= end and not self.was_set:
            order.seconds = max(order.seconds, moments.pop(0))
            self.running.post()
        if not self.was_set:
            order.seconds = max(order.seconds, end)


class Running:
    """The task of a scene, with messages of customers at the given moments."""

    def __init__(self, scene, moments):
        self.scene, self.moments = scene, moments
        self.task = scene.totals._task
        self.task._wake, self.task._stopped = Pause(self), Pause(self)
        self.posted = 0
        #: How many messages were posted before each message to Ken, and when it came.
        self.came = []

    def post(self):
        self.posted += 1
        self.scene.post(f"t-{self.posted}")

    def turn(self, seconds):
        """Runs a turn whose messages to two sockets take so long together, and the pause."""
        self.scene.send_in(seconds / 2)
        self.scene.totals.turn()
        if self.scene.emitter.take("views:totals", "ken"):
            self.came.append((self.posted, self.scene.order.seconds))
        self.task._wait()


@pytest.mark.parametrize("seed", range(8))
def test_a_changed_badge_waits_for_one_pause_and_two_turns(scene, seed):
    """Whatever turns took before: a slow one must not make the next ones late."""
    chance = random.Random(seed)
    scene.save("is:waiting")
    scene.totals.send_versions("ken")
    scene.sent()
    begin = scene.order.seconds
    moments = sorted(begin + chance.uniform(0, 6) for _ in range(chance.choice((20, 60))))
    running, longest = Running(scene, [*moments]), 0.02
    while running.moments or running.posted > running.came[-1][0]:
        running.turn(chance.choice((0.002, 0.01, longest)))
    for number, at in enumerate(moments, 1):
        came = next(moment for count, moment in running.came if count >= number)
        assert came - at <= VERSIONED_SECONDS + 2 * longest + 0.001
