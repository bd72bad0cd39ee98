"""The costs of one event, frame and the like, from results of several scenarios."""

from bench.measure.accept import Accept
from bench.measure.lists import Lists
from bench.measure.live import Live
from bench.report.costs import costs
from tests.bench.report.test_bars import result_of

PRESENCE = {
    "connect": {"bytes_a_person": 540.4},
    "seen": {"bytes_each": 136.6},
    "beats": {"redis_core": 0.25, "beats_a_second": 25_000},
    "leaving": {"redis_cpu_seconds": 5.5, "people": 250_000},
    "http": {"cpu_us_a_beat": 12.89, "redis_cpu_us_a_beat": 6.47},
}
SIZES = {
    database: {"customers_bytes": 70, "threads_bytes": 1_042, "events_bytes": 380}
    for database in ("sqlite", "postgres")
}
MEMORY = {
    "servers": [
        {"server": "redis 7", "bytes_an_open_thread": 1_295.2, "bytes_an_entry": 121.5},
        {"server": "valkey 9", "bytes_an_open_thread": 902.2, "bytes_an_entry": 82.5},
    ]
}


def rows(*results):
    found = costs(list(results), {"results": PRESENCE}, SIZES, MEMORY)
    return {cost.what: [cell.strip() for cell in cost.row.split("|")[2:6]] for cost in found}


def live(dashboards, cpu_us, resident, rate=100):
    side = {"cpu_us_server": cpu_us, "cpu_us_redis": 480.0, "frames_a_second": 20}
    result = result_of("live", Live(10_000, dashboards, rate), {"lineup": side})
    return result | {"memory": {"lineup": {"server": resident}}}


def accept(database, single_us, **more):
    used = {"cpu_us_server": single_us, "cpu_us_redis": 80.0, **more}
    return result_of("accept", Accept(10_000, database=database), {"single": used})


def test_an_event_costs_what_its_server_its_redis_and_its_database_used():
    found = rows(accept("sqlite", 924.6), accept("postgres", 1_086, cpu_us_postgres=512.4))
    assert found["an event posted alone, SQLite"] == ["925", "80", "", ""]
    assert found["an event posted alone, PostgreSQL"] == ["1,090", "80", "512", ""]


def test_following_is_what_an_event_costs_beyond_being_posted():
    found = rows(accept("sqlite", 900.0), live(1, 2_700.0, 150_000_000))
    assert found["an event that a worker follows, at 100/s"] == ["1,800", "400", "", ""]


def test_at_more_events_frames_are_not_part_of_following():
    """100 dashboards, 20 frames a second of 100 µs each, by 500 events a second: 400 µs."""
    few, many, fast = live(1, 2_000, 0), live(100, 3_980, 0), live(100, 2_300, 0, rate=500)
    found = rows(accept("sqlite", 900.0), few, many, fast)
    assert found["an event that a worker follows, at 500/s"] == ["1,000", "400", "", ""]


def test_a_dashboard_costs_what_many_take_more_than_one():
    found = rows(live(1, 2_000, 150_000_000), live(500, 9_000, 199_900_000), live(100, 3_980, 0))
    assert found["a dashboard, in a worker"] == ["", "", "", "100,000"]
    assert found["a frame to a dashboard"] == ["100", "", "", ""]


def test_an_idle_dashboard_costs_a_second_and_coming_back_costs_once():
    idle = {"idle_us_server": 20.4, "idle_us_redis": 4.0}
    found = rows(
        result_of("lists", Lists(1_000, 500, idle_seconds=60.0), idle),
        result_of("lists", Lists(1_000_000, 500), {"reconnect_all_ms": 1_500.0}),
    )
    assert found["an idle dashboard, a second"] == ["20.4", "4", "", ""]
    assert found["a dashboard that comes back"] == ["3,000", "", "", ""]


def test_people_and_rows_come_from_their_own_files():
    found = rows()
    assert found["a thread in PostgreSQL"] == ["", "", "", "1,042"]
    assert found["a beat, posted in batches"] == ["12.9", "6.47", "", ""]
    assert found["a beat, of which 1 in 33 changes a state"] == ["", "10", "", ""]
    assert found["a sign-out"] == ["", "22", "", ""]
    assert found["a person online, in Redis"] == ["", "", "", "540"]


def test_what_was_not_measured_is_left_out():
    broken = accept("sqlite", 900.0) | {"rounds": []}
    assert [what for what in rows(broken) if "event posted" in what] == []


def test_memory_is_told_of_each_kind_of_server():
    found = rows()
    assert found["an open thread, on all built-in lists, in redis 7"][3] == "1,300"
    assert found["an entry of a saved view, in valkey 9"][3] == "82.5"
