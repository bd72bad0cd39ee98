"""An admin of one desk knows when customers of that desk were here, and nobody else."""

import pytest
from sqlalchemy import update

from dashboard.db.models.threads import threads
from dashboard.errors import StorageUnavailable
from dashboard.presence.service import KNOWN_MS
from presence.people import Connection
from presence.states import UNSET
from tests.dashboard.desks.test_moves import moves
from tests.dashboard.desks.world import BOSS, LAN, OTHER, World

ONLINE = "/admin/api/presence/online?within=86400"
OF_LAN = [f"shop/c-t-{number}" for number in range(1, 7)]
ELSEWHERE = [f"shop/only-{number}" for number in range(30)]


@pytest.fixture(params=["few customers", "many"])
def world(worlds, request, monkeypatch) -> World:
    """A few customers are read by name; of many, each one on the list is checked."""
    if request.param == "many":
        monkeypatch.setattr("dashboard.presence.service._FEW", 5)
    world = worlds[1]
    known_customers = world.services.presence_service.known_customers
    monkeypatch.setattr(known_customers, "_monotonic", lambda: world.seconds)
    for number in range(30):
        name = f"elsewhere-{number}"
        world.site.happens("thread.handoff", name, desk=OTHER)
        customer = {"id": f"only-{number}"}
        world.site.happens("message", name, customer=customer, role="client", body="hello")
    come(world, *OF_LAN, *ELSEWHERE, "shop/nobody-s")
    return world


def come(world: World, *people: str) -> None:
    opened = [(Connection(person, "d", "web", "d"), UNSET, None) for person in people]
    world.services.presence_service.customers.open_all(opened)


def go(world: World, *people: str) -> None:
    world.services.presence_service.customers.close_all_of([(person, "d") for person in people])


def listed(client, limit: int = 100):
    """The ids of all pages, and the total."""
    ids, url = [], f"{ONLINE}&limit={limit}"
    while True:
        page = client.get(url).json
        ids += [each["id"] for each in page["customers"]]
        if page["next"] is None:
            return sorted(ids), page["total"]
        url = f"{ONLINE}&limit={limit}&cursor={page['next']}"


@pytest.mark.parametrize("limit", [100, 4])
def test_those_who_were_here_are_listed_and_counted_by_ones_own_threads(world, limit):
    assert listed(world.lan, limit) == (OF_LAN, 6)
    boss = world.site.sign_in("Boss2", "supervisor")
    assert listed(boss)[1] == 37, "supervisors see all, also who has no thread"


def test_a_thread_tells_of_its_customer_until_90_days_after_its_close(world):
    world._act("close", BOSS, 1)
    assert listed(world.lan)[0] == OF_LAN

    def closed(days: float):
        at = world.clock() - int(days * 86_400_000)
        world.database.write(
            lambda c: c.execute(update(threads).where(threads.c.id == 1).values(closed_at=at))
        )

    closed(89)
    assert listed(world.lan)[0] == OF_LAN
    closed(KNOWN_MS / 86_400_000 + 1)
    world.seconds += 6
    assert listed(world.lan) == (OF_LAN[1:], 5)


def test_of_a_long_list_nobody_is_shown_who_has_gone_to_another_desk_meanwhile(world):
    """Answers about many people may be seconds old in their total, but not in the people."""
    assert listed(world.lan) == (OF_LAN, 6)
    moves(world, 1, OTHER)
    assert listed(world.lan)[0] == OF_LAN[1:]
    world.seconds += 6
    assert listed(world.lan) == (OF_LAN[1:], 5)


def test_nobody_elses_customer_can_be_watched(world):
    lan, boss = world.connect(LAN), world.colleagues[1]
    asked = {"kind": "customer", "add": [*OF_LAN, *ELSEWHERE[:2], "shop/unknown"]}
    states = world.call(lan, "presence:watch", asked)["presence"]
    assert {person for person, state in states.items() if state["status"] == "online"} == {*OF_LAN}
    others = [states[person] | {"v": 0} for person in (ELSEWHERE[0], "shop/unknown")]
    assert others[0] == others[1], "as one whom nobody knows"
    assert world.call(boss, "presence:watch", asked)["presence"][ELSEWHERE[0]]["status"] == "online"
    world.settle()
    world.take(lan)
    go(world, ELSEWHERE[0], OF_LAN[0])
    world.settle()
    told = [data["presence"] for event, data in world.take(lan) if event == "presence:update"]
    assert [person for each in told for person in each] == [OF_LAN[0]]


def test_who_is_watched_is_told_of_until_the_thread_goes_to_another_desk(world):
    lan = world.connect(LAN)
    world.call(lan, "presence:watch", {"kind": "customer", "add": OF_LAN})
    world.settle()
    moves(world, 1, OTHER)
    world.settle()
    world.take(lan)
    go(world, *OF_LAN[:2])
    world.settle()
    told = [data["presence"] for event, data in world.take(lan) if event == "presence:update"]
    assert [person for each in told for person in each] == [OF_LAN[1]]


def test_what_could_not_be_told_while_sql_was_away_is_told_then(world, monkeypatch):
    """T38: nothing is told while it is unknown who may know; nothing is lost either."""
    lan = world.connect(LAN)
    world.call(lan, "presence:watch", {"kind": "customer", "add": OF_LAN})
    world.settle()
    world.take(lan)

    def away(people, desks):
        raise StorageUnavailable

    go(world, OF_LAN[0])
    with monkeypatch.context() as broken:
        broken.setattr(world.services.presence_service.known_customers, "among", away)
        world.settle()
        assert "presence:update" not in [event for event, _ in world.take(lan)]
    world.settle()
    told = [data["presence"] for event, data in world.take(lan) if event == "presence:update"]
    assert [(person, state["status"]) for each in told for person, state in each.items()] == [
        (OF_LAN[0], "offline")
    ]
