"""Workers, and people who come, go, hide and vanish: every watcher holds what the model says."""

from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lua_scripts.servers import Client
from presence.people import Connection
from presence.settings import STATUSES, VISIBILITIES, Settings
from presence.states import State
from tests.presence.model import Model, Truth
from tests.presence.world import FRIEND, OUTSIDER, TRUSTED, Watcher, World, fake
from tests.support import examples

#: More than there are shards, so that some share one.
PEOPLE = ("ann", "bob", "cat")
CONNECTIONS = ("c1", "c2")
NEVER: tuple[object, ...] = ("offline", (), "", "", None)

people = st.sampled_from(PEOPLE)
connections = st.sampled_from(CONNECTIONS)
kinds = st.sampled_from(("web", "mobile"))
changes = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(STATUSES),
        "text": st.sampled_from(("", "lunch")),
        "activity": st.sampled_from(("", "in a call")),
        "visibility": st.sampled_from(VISIBILITIES),
        "show_last_seen": st.booleans(),
    },
)


class Presence(RuleBasedStateMachine):
    """Actions on the code under test and on the model; `client` is set by the test."""

    client: Client

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.worlds = [World(self.client, shards=2)]
        self.worlds.append(World(self.client, clock=self.worlds[0].clock, shards=2))
        self.clock = self.worlds[0].clock
        self.model = Model(self.worlds[0].timing)
        self.settings = {person: Settings() for person in PEOPLE}
        self.history = {person: [Settings()] for person in PEOPLE}
        self.watchers = [
            Watcher(self.worlds[0], OUTSIDER, PEOPLE),
            Watcher(self.worlds[0], TRUSTED, PEOPLE),
            Watcher(self.worlds[1], FRIEND, PEOPLE),
        ]
        self.turn = 0

    @property
    def now(self) -> int:
        return self.clock()

    @property
    def world(self) -> World:
        """Returns another worker at each action."""
        self.turn += 1
        return self.worlds[self.turn % 2]

    @initialize()
    def everybody_comes(self) -> None:
        for person in PEOPLE:
            self.connect(person, "c1", "web", True, True)
            self.clock.advance(1_000)

    @rule(
        person=people, connection=connections, kind=kinds, active=st.booleans(), known=st.booleans()
    )
    def connect(self, person: str, connection: str, kind: str, active: bool, known: bool) -> None:
        opened = Connection(person, connection, kind, active=active)
        loaded = self.settings[person] if known else None
        self.world.people.open(opened, loaded)
        self.model.open(self.now, opened, loaded)

    @rule(person=people, connection=connections, active=st.sampled_from((None, True, False)))
    def beat(self, person: str, connection: str, active: bool | None) -> None:
        unknown = self.world.beat(person, connection, active)
        assert self.model.beat(self.now, person, connection, active) == (not unknown)

    @rule(person=people, connection=connections, active=st.booleans())
    def idle(self, person: str, connection: str, active: bool) -> None:
        self.world.people.idle(person, connection, active)
        self.model.idle(self.now, person, connection, active)

    @rule(person=people, connection=connections, grace=st.sampled_from((0, 5_000, 10_000)))
    def drop(self, person: str, connection: str, grace: int) -> None:
        self.world.people.close(person, connection, grace)
        self.model.close(self.now, person, connection, grace)

    @rule(
        dropped=st.lists(st.tuples(people, connections), min_size=2, max_size=5),
        grace=st.sampled_from((0, 0, 5_000)),
    )
    def drop_many(self, dropped: list[tuple[str, str]], grace: int) -> None:
        """Drops connections in one call, some of them twice."""
        self.world.people.close_all_of(dropped, grace)
        for person, connection in dropped:
            self.model.close(self.now, person, connection, grace)

    @rule(person=people)
    def sign_out(self, person: str) -> None:
        held = [one.id for one in self.world.people.connections_of(person)]
        self.world.sign_out(person)
        for connection in held:
            self.model.close(self.now, person, connection, 0)

    @rule(
        person=people,
        changes=changes,
        ends=st.sampled_from((None, 1_000, 30_000, 200_000)),
    )
    def override(self, person: str, changes: dict[str, Any], ends: int | None) -> None:
        until = None if ends is None else self.now + ends
        changed = self.settings[person].changed({**changes, "until": until}, self.now)
        self.settings[person] = changed
        self.history[person].append(changed)
        self.world.people.set(person, changed)
        self.model.set(self.now, person, changed)

    @rule(person=people, hidden=st.booleans())
    def hide_or_show(self, person: str, hidden: bool) -> None:
        self.override(person, {"status": "invisible" if hidden else "auto"}, None)

    @rule(person=people, back=st.integers(1, 3))
    def an_old_change_arrives_late(self, person: str, back: int) -> None:
        old = self.history[person][-back:][0]
        self.world.people.set(person, old)
        self.model.set(self.now, person, old)

    @rule(
        milliseconds=st.sampled_from((1, 1_000, 4_000, 9_000, 9_000, 30_000, 95_000, 310_000)),
        often=st.sampled_from((True, True, False)),
    )
    def time_passes(self, milliseconds: int, often: bool) -> None:
        """Lets time pass, often with the sweepers at work; else they are away, as in an outage."""
        step = self.model.timing.outage_after_ms if often else milliseconds
        while milliseconds > 0:
            self.clock.advance(min(step, milliseconds))
            milliseconds -= step
            if often:
                self.sweep()

    @rule()
    def sweep(self) -> None:
        for world in self.worlds:
            world.sweeper.sweep_once()
        self.model.sweep(self.now)

    @rule(which=st.integers(0, 2))
    def a_worker_misses_messages(self, which: int) -> None:
        pubsub: Any = self.watchers[which].feed._pubsub
        while pubsub.get_message(timeout=0):
            pass

    @rule(which=st.integers(0, 2))
    def a_worker_loses_its_subscription(self, which: int) -> None:
        """Redis may have come back with an older dump: lost devices count only after recovery."""
        self.watchers[which].feed.close()
        self.watchers[which].settle()
        self.time_passes(self.model.timing.recovery_grace_ms, True)

    @precondition(lambda self: self.turn % 8 == 0)
    @rule(back=st.sets(st.tuples(people, connections)))
    def flush(self, back: set[tuple[str, str]]) -> None:
        """Redis comes back empty; some connections send heartbeats, and then time passes."""
        self.check_announcements()
        self.clock.advance(1)
        self.client.flushall()
        self.model.flush()
        for watcher in self.watchers:
            watcher.settle()
            assert watcher.lost
        for person, connection in sorted(back):
            self.connect(person, connection, "web", True, True)
        self.time_passes(self.model.timing.recovery_grace_ms, True)
        for watcher in self.watchers:
            watcher.settle()

    @invariant()
    def every_watcher_holds_what_the_model_says(self) -> None:
        for watcher in self.watchers:
            watcher.settle()
        outsider, trusted, friend = (watcher.states for watcher in self.watchers)
        for name in PEOPLE:
            person = self.model.person(name)
            public = expected(person.public.truth, person.public.last_seen)
            if person.public.truth.status != "offline" and not person.public.shows_last_seen:
                assert outsider[name]["last_seen"] is None
            audience = person.public.audience
            assert shown(trusted[name]) == expected(person.truth, person.last_seen)
            assert shown(outsider[name]) == (public if audience == "everyone" else NEVER)
            assert shown(friend[name]) == (public if audience else NEVER)
            assert shown(self.worlds[0].look_up(name)) == shown(outsider[name])
            assert shown(self.worlds[1].look_up(name, FRIEND)) == shown(friend[name])
            assert shown(self.worlds[1].look_up(name, TRUSTED)) == shown(trusted[name])

    @invariant()
    def check_announcements(self) -> None:
        """Checks that every change is announced once, and nothing else."""
        assert sorted(self.worlds[0].announced()) == sorted(self.model.announced)

    @invariant()
    def lists_and_counts_agree(self) -> None:
        world = self.worlds[0]
        for viewer, truth in ((OUTSIDER, False), (TRUSTED, True)):
            page = world.listing.page((0, self.now), viewer=viewer)
            seen = {name: world.look_up(name, viewer)["last_seen"] for name in PEOPLE}
            assert {one.id: one.last_seen for one in page.people} == {
                name: last for name, last in seen.items() if last is not None
            }
            assert page.total == len(page.people)
            statuses = [world.status(name, viewer) for name in PEOPLE]
            if not truth:
                assert world.people.counts() == {
                    status: statuses.count(status) for status in ("online", "away", "busy", "dnd")
                }

    def teardown(self) -> None:
        for watcher in self.watchers:
            watcher.feed.close()


def expected(truth: Truth, last_seen: int | None) -> tuple[object, ...]:
    last = last_seen if truth.status == "offline" else None
    return (truth.status, truth.devices, truth.text, truth.activity, last)


def shown(state: State) -> tuple[object, ...]:
    last = state["last_seen"] if state["status"] == "offline" else None
    return (state["status"], tuple(state["devices"]), state["text"], state["activity"], last)


def run(client: Client, count: int) -> None:
    machine = type("Machine", (Presence,), {"client": client})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=count,
            stateful_step_count=50,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_every_watcher_holds_what_the_slow_model_says() -> None:
    """Random sequences give the same states, lists and announcements as the model."""
    run(fake(), examples(100, gate=4))


@pytest.mark.real_redis
def test_every_watcher_holds_what_the_slow_model_says_on_a_real_server(real: redis.Redis) -> None:
    run(real, examples(100, gate=5))
