"""A worker of either kind of green threads, run by test_green.py in a process of its own."""

import importlib
import sys

KIND, SOCKET = sys.argv[1:3]
if KIND == "eventlet":
    importlib.import_module("eventlet").monkey_patch()
else:
    importlib.import_module("gevent.monkey").patch_all()

import redis  # noqa: E402

from presence.feed import Feed  # noqa: E402
from presence.keys import Space  # noqa: E402
from presence.people import Connection, People  # noqa: E402
from presence.settings import Settings  # noqa: E402
from presence.states import Viewer  # noqa: E402
from presence.sweeper import Sweeper  # noqa: E402
from presence.watchers import Watchers  # noqa: E402

green = importlib.import_module(KIND)
client = redis.Redis(unix_socket_path=SOCKET)
people = People(client, Space(f"green-{KIND}"))
updates: list[str] = []
watchers = Watchers(people, lambda _, states: updates.extend(s["status"] for s in states.values()))
feed = Feed(client, [watchers])
sweeper = Sweeper([people], pause=lambda: green.sleep(0))
ticks = 0


def listen() -> None:
    while True:
        feed.pump(1.0)


def publish() -> None:
    while True:
        watchers.flush_once()
        green.sleep(0.02)


def sweep() -> None:
    while True:
        sweeper.sweep_once()
        green.sleep(0.05)


def tick() -> None:
    global ticks
    while True:
        ticks += 1
        green.sleep(0.01)


for loop in (listen, publish, sweep, tick):
    green.spawn(loop)
green.sleep(0.1)
watchers.watch("socket", Viewer("me"), ["ann"])
people.open(Connection("ann", "c1"), Settings(), lifetime_ms=300)
for _ in range(500):
    if updates == ["online", "offline"]:
        break
    green.sleep(0.01)
assert updates == ["online", "offline"], updates
assert ticks > 20, "a wait for Redis stopped the others"
print("done")
