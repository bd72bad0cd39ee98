"""The usual recipe for a live-sorted list, as people build it, in the same stack as Lineup.

A score for each message, a ZADD for each list, a keyspace listener, ZRANGE 0 -1, and the whole list
as JSON to every admin who looks at it. In its favour: only ids are sent, no rows; each list goes
only to admins who have it open; facts and SQL are Lineup's own, with one commit per message.

    python -m bench.recipe.server --port P --redis URL --database PATH [--gather]

With `--gather` the listener takes all waiting notifications before it reads and sends a list: the
usual fix when sending a list for each notification takes too long.
"""

# Comes before all other imports, because it changes what they import.
# ruff: noqa: E402
import warnings

warnings.filterwarnings("ignore", message="\\s*Eventlet is deprecated")
import eventlet

eventlet.monkey_patch()

import argparse
from datetime import datetime
from pathlib import Path
from typing import Any

import redis
from flask import Flask, Response, request
from flask_socketio import SocketIO, join_room

from bench.dataset import all_threads
from bench.recipe.scores import placed
from bench.recipe.store import Store

PAGE = Path(__file__).with_name("page.html")
_FILL_SLICE = 2_000

app = Flask(__name__, root_path=str(PAGE.parents[2]), static_folder="static")
socketio = SocketIO(app, async_mode="eventlet", cors_allowed_origins="*")


class Recipe:
    """Sends lists. `newest`: time of the newest message in the lists, for benches."""

    def __init__(self, client: redis.Redis, store: Store):
        self.client = client
        self.store = store
        self.newest = 0

    def fill(self, count: int, newest_ms: int) -> None:
        self.store.fill(all_threads(count, newest_ms))
        pipeline = self.client.pipeline(transaction=False)
        for number, (id, facts) in enumerate(self.store.facts(), 1):
            for key, score in placed(facts).items():
                pipeline.zadd(key, {id: score})
            if number % _FILL_SLICE == 0:
                pipeline.execute()
        pipeline.execute()

    def take(self, event: dict[str, Any]) -> None:
        at = int(datetime.fromisoformat(event["occurred_at"]).timestamp() * 1000)
        before, after = self.store.record(event, at)
        now_on = placed(after)
        pipeline = self.client.pipeline()
        for key in placed(before).keys() - now_on.keys():
            pipeline.zrem(key, event["thread"])
        for key, score in now_on.items():
            pipeline.zadd(key, {event["thread"]: score})
        pipeline.execute()
        self.newest = max(self.newest, at)

    def push(self, key: str, to: str | None = None) -> None:
        threads = self.client.zrange(key, 0, -1)
        content = {"at": self.newest, "list": key, "threads": threads}
        socketio.emit("thread_list_updated", content, to=to or key)

    def listen(self, gather: bool) -> None:
        subscription = self.client.pubsub(ignore_subscribe_messages=True)
        subscription.psubscribe("__keyspace@0__:list:*")
        for message in subscription.listen():
            keys = [_key_of(message)]
            while gather and (more := subscription.get_message(timeout=0)) is not None:
                keys.append(_key_of(more))
            for key in dict.fromkeys(keys):
                if socketio.server.manager.rooms.get("/", {}).get(key):
                    self.push(key)


def _key_of(message: dict[str, Any]) -> str:
    return message["channel"].split(":", 1)[1]


def routes(recipe: Recipe) -> None:
    @app.post("/api/v1/events")
    def post() -> tuple[dict[str, str], int]:
        event = request.get_json()
        recipe.take(event)
        return {"status": "created", "id": event["id"]}, 201

    @app.get("/threads")
    def previews() -> dict[str, str]:
        return recipe.store.previews(request.args["ids"].split(","))

    @app.get("/")
    def page() -> Response:
        return Response(PAGE.read_text(), mimetype="text/html")

    @socketio.on("watch_list")
    def watch(key: str) -> None:
        join_room(key)
        recipe.push(key, to=request.sid)  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--redis", required=True)
    parser.add_argument("--database", required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--newest-ms", type=int, default=0)
    parser.add_argument("--gather", action="store_true")
    args = parser.parse_args()
    client = redis.Redis.from_url(args.redis, decode_responses=True)
    client.config_set("notify-keyspace-events", "Kz")
    recipe = Recipe(client, Store(args.database))
    recipe.fill(args.threads, args.newest_ms)
    routes(recipe)
    eventlet.spawn(recipe.listen, args.gather)
    socketio.run(app, "127.0.0.1", args.port, log_output=False)


if __name__ == "__main__":
    main()
