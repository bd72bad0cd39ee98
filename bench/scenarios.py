"""The scenarios of each scale: a quick few, a bounded set, the standard set, or all."""

from typing import Any

from bench.drive.lines import LINES
from bench.measure.accept import Accept
from bench.measure.churn import Churn
from bench.measure.exact import Exact
from bench.measure.faults import FAULTS, Faults
from bench.measure.first_load import NETWORKS, FirstLoad
from bench.measure.idle import Idle
from bench.measure.lists import Lists
from bench.measure.live import SHORT, Live
from bench.measure.moments import Moments
from bench.measure.page_budget import PageBudget
from bench.measure.painted import Painted
from bench.measure.placing import Placing
from bench.measure.policies import Policies
from bench.measure.view_lists import ViewLists
from bench.measure.views import Views

Scenario = Any
RECIPES = ("recipe", "recipe, gathering")
ALL_SIDES = ("lineup", *RECIPES, "polling", "floor")
_QUICK_SIDES = ("lineup", "recipe", "polling", "floor")

_ONCE: dict[str, Any] = {"seconds": 8.0, "rounds": 1, "sides": ("lineup", "floor")}
_BUILDS: tuple[dict[str, Any], ...] = (
    {"workers": 2},
    {"async_mode": "gevent"},
    {"database": "postgres"},
    {"database": "postgres", "workers": 2},
    {"workers": 4},
    {"database": "postgres", "workers": 4},
)

#: Two minutes, to see whether the results are right.
QUICK: tuple[Scenario, ...] = (
    Live(300, 4, 20, "random", seconds=1.0, rounds=1, sides=_QUICK_SIDES, poll_seconds=0.5),
    Accept(300, seconds=0.5, rounds=1, connections=(8,), batch_connections=(2,)),
    Lists(300, dashboards=10, idle_seconds=0.5),
    PageBudget(300, rate=20, seconds=1.0, act_seconds=2.0, loads=1),
    FirstLoad(300, rounds=1, networks=NETWORKS[:1]),
    ViewLists(300, rounds=2, views=10),
    Idle(300, views=10, people=20, dashboards=2, seconds=0.5),
    Exact(300, views=10, points=((3, 20.0),), seconds=1.0),
    Exact(300, 10, ((3, 20.0),), 1.0, "counting", list_seconds=0.5, badge_seconds=1.0),
    Faults("Redis is killed and starts empty", rounds=1),
    Faults("one of two workers is killed", rounds=1),
)


def bounded() -> tuple[Scenario, ...]:
    """Returns scenarios for a quarter of an hour, on a shared machine."""
    return (
        *against_the_recipe(rounds=2),
        Live(100_000, 50, 100, "random", rounds=2, sides=("lineup", f"{SHORT}1000", "floor")),
        Live(100_000, 100, 200, "random", rounds=2, sides=("lineup",)),
        Accept(10_000),
        Placing(),
        Lists(100_000),
        Painted(10_000, 50, 10, rounds=1, sides=("lineup", "recipe")),
        Painted(100_000, 100, 200, rounds=1),
        FirstLoad(10_000),
        ViewLists(100_000, rounds=2),
    )


def standard() -> tuple[Scenario, ...]:
    """Returns scenarios for each bar and the ends of each dimension: 50 minutes on two quiet cores.

    The most decisive ones come first. Databases of a size are filled once.
    """
    short: dict[str, Any] = {"seconds": 8.0, "rounds": 2}
    million = {"sides": ("lineup", f"{SHORT}1000"), **short}
    recipes = ("lineup", *RECIPES)
    return (
        *page_on_its_own(),
        Painted(100_000, 100, 200, rounds=3),
        *(Live(1_000_000, 50, 100, kind, **million) for kind in ("screen", "random")),
        Lists(1_000_000, dashboards=500),
        *(Live(10_000, 50, 10, kind, sides=recipes, **short) for kind in ("screen", "below")),
        Live(10_000, 50, 10, "random", sides=ALL_SIDES, **short),
        *(Live(10_000, 50, 100, kind, sides=recipes, **short) for kind in ("screen", "below")),
        *(Painted(10_000, 50, rate, rounds=1, sides=("lineup", "recipe")) for rate in (10, 100)),
        *on_lines(rounds=1),
        *a_thousand_views(rounds=2),
        *time(rounds=2),
        *faults(rounds=2),
        *_ends_of_dimensions(short),
    )


def _ends_of_dimensions(short: dict[str, Any]) -> tuple[Scenario, ...]:
    return (
        _accept(10_000),
        Placing(rounds=2),
        *(Live(10_000, count, 100, **_ONCE) for count in (1, 10, 100, 500)),
        *(Live(10_000, 100, rate, **_ONCE) for rate in (10, 500)),
        Live(100_000, 100, 200, **_ONCE),
        *(
            scenario
            for build in _BUILDS
            for scenario in (
                Live(10_000, 100, 100, sides=("lineup",), **short, **build),
                _accept(10_000, **build),
            )
        ),
        _accept(1_000_000),
        # The full scale has the whole hour.
        Churn(10_000, minutes=3, samples=3),
        Lists(1_000, dashboards=500, idle_seconds=60.0),
        *idle(),
        Lists(100_000, dashboards=100),
        *(
            Live(threads, 10, 2, sides=("lineup", "recipe", "polling"), seconds=8.0, rounds=1)
            for threads in (1_000, 100_000)
        ),
        Live(1_000_000, 10, 2, sides=("polling", "recipe"), seconds=8.0, rounds=1),
    )


def on_lines(rounds: int) -> tuple[Scenario, ...]:
    """Returns scenarios like those on the loopback, with each dashboard on a usual network line."""
    sides = ("lineup", "recipe")
    return tuple(
        Live(10_000, 50, rate, "random", rounds=rounds, sides=sides, line=line)
        for line in LINES
        for rate in (10, 100)
    )


def a_thousand_views(rounds: int) -> tuple[Scenario, ...]:
    """Returns scenarios of saved views: their cost, and whether each badge and list is right."""
    worst = Views(10_000, 1_000, 10, 10, 40.0, 20.0, rounds=rounds, sides=("lineup",), worst=True)
    return Views(rounds=rounds), worst, ViewLists(rounds=rounds)


def exact() -> tuple[Scenario, ...]:
    """Returns the points of time to exact: from one, threads, views, dashboards and events a second
    grow one at a time; then together, up to where it is too late; and the other side's."""
    one = (50, 50.0)
    return (
        Exact(100_000, 100, (one, *EXACT_DASHBOARDS, *EXACT_RATES)),
        Exact(100_000, 1_000, (one, (100, 50.0), (50, 100.0), (100, 100.0), (200, 100.0))),
        *(Exact(100_000, views, (one,)) for views in (10, 300)),
        Exact(1_000_000, 100, (one, (100, 100.0), (200, 100.0), (100, 200.0))),
        # A thousand views of a million threads would take 20 GB of Redis.
        Exact(1_000_000, 10, (one,)),
        *(Exact(threads, 100, (one,)) for threads in (1_000, 10_000)),
        Exact(1_000, 100, (one,), side="counting"),
        *(Exact(100_000, views, (one,), side="counting") for views in (100, 1_000)),
    )


#: Dashboards at 50 events a second, and events a second with 50 dashboards.
EXACT_DASHBOARDS = ((10, 50.0), (100, 50.0), (200, 50.0), (500, 50.0))
EXACT_RATES = ((50, 10.0), (50, 100.0), (50, 200.0), (50, 400.0))


def faults(rounds: int) -> tuple[Scenario, ...]:
    """Returns scenarios of faults: the time until all lists are whole and live again."""
    return tuple(Faults(fault, rounds=rounds) for fault in FAULTS)


def idle() -> tuple[Scenario, ...]:
    """Returns scenarios of idle servers: with nothing, with much data, and with many workers."""
    return (
        Idle(),
        Idle(100_000, views=200, dashboards=100),
        Idle(workers=8, seconds=40.0),
    )


def time(rounds: int) -> tuple[Scenario, ...]:
    """Returns scenarios of threads that wait for a moment, and of events while a policy changes."""
    return Moments(rounds=rounds), Policies(rounds=rounds)


def _accept(threads: int, **build: Any) -> Accept:
    return Accept(threads, seconds=3.0, rounds=2, **build)


def page_on_its_own() -> tuple[Scenario, ...]:
    return PageBudget(100_000), FirstLoad(10_000)


def full() -> tuple[Scenario, ...]:
    """Returns all scenarios; from a base, one thing is changed at a time."""
    return (
        *against_the_recipe(rounds=3),
        *on_lines(rounds=3),
        *along_threads(),
        *along_dashboards_and_rates(),
        *along_builds(),
        Placing(threads=1_000_000),
        *(Painted(10_000, 50, rate, sides=("lineup", "recipe")) for rate in (10, 100)),
        Painted(100_000, 100, 200, rounds=3),
        *a_thousand_views(rounds=3),
        *time(rounds=3),
        *faults(rounds=5),
        PageBudget(100_000, rounds=3),
        FirstLoad(100_000),
        Churn(10_000),
    )


def against_the_recipe(rounds: int) -> tuple[Scenario, ...]:
    """Returns comparisons at 10 events a second, which the recipe withstands, and at 100."""
    return (
        *(
            Live(10_000, 50, 10, workload, rounds=rounds, sides=ALL_SIDES)
            for workload in ("screen", "random", "below")
        ),
        *(
            Live(10_000, 50, 100, workload, rounds=rounds, sides=("lineup", *RECIPES))
            for workload in ("screen", "below")
        ),
    )


def along_threads() -> tuple[Scenario, ...]:
    found: list[Scenario] = []
    for threads in (1_000, 10_000, 100_000, 1_000_000):
        sides: tuple[str, ...] = ("lineup", "recipe", "polling", "floor")
        found.append(Live(threads, 10, 2, "random", sides=sides))
        if threads > 1_000:
            pair = ("lineup", f"{SHORT}1000")
            found += [Live(threads, 50, 100, kind, sides=pair) for kind in ("screen", "random")]
        found += [Lists(threads, dashboards=500), Accept(threads)]
    return tuple(found)


def along_dashboards_and_rates() -> tuple[Scenario, ...]:
    sides = ("lineup", "recipe, gathering", "floor")
    return (
        *(Live(10_000, count, 100, "random", sides=sides) for count in (1, 10, 100, 500)),
        *(Live(10_000, 100, rate, "random", sides=sides) for rate in (10, 500)),
        Live(100_000, 100, 200, "random", sides=("lineup", "floor")),
        Live(100_000, 100, 300, "below", sides=("lineup", "floor")),
    )


def along_builds() -> tuple[Scenario, ...]:
    return tuple(
        scenario
        for build in _BUILDS
        for scenario in (
            Live(10_000, 100, 100, "random", sides=("lineup",), **build),
            Accept(10_000, **build),
        )
    )


SCALES = {
    "bounded": bounded,
    "standard": standard,
    "full": full,
    "quick": lambda: QUICK,
    "lines": lambda: on_lines(rounds=2),
    "exact": exact,
    "views": lambda: a_thousand_views(rounds=3),
    "idle": idle,
    "time": lambda: time(rounds=2),
    "faults": lambda: faults(rounds=5),
}
