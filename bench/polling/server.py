"""Polling: the browser asks every 10 s, SQL orders by an indexed score, 50 rows come.

python -m bench.polling.server --port P --database PATH
"""

# Comes before all other imports, because it changes what they import.
# ruff: noqa: E402
import warnings

warnings.filterwarnings("ignore", message="\\s*Eventlet is deprecated")
import eventlet

eventlet.monkey_patch()

import argparse
import json
from datetime import datetime
from typing import Any

from eventlet import wsgi
from flask import Flask, Response, request

from bench.dataset import all_threads
from bench.recipe.store import Store

HEAD = 50

app = Flask(__name__)


def routes(store: Store) -> None:
    newest = [0]

    @app.post("/api/v1/events")
    def post() -> tuple[dict[str, str], int]:
        event: dict[str, Any] = request.get_json()
        at = int(datetime.fromisoformat(event["occurred_at"]).timestamp() * 1000)
        store.record(event, at)
        newest[0] = max(newest[0], at)
        return {"status": "created", "id": event["id"]}, 201

    @app.get("/lists/<view>/<sort>")
    def head(view: str, sort: str) -> Response:
        rows = store.listed(view, sort, HEAD)
        found = [{"id": id, "preview": preview, "at": at} for id, preview, at in rows]
        body = json.dumps({"at": newest[0], "threads": found}, separators=(",", ":"))
        return Response(body, content_type="application/json")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--database", required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--newest-ms", type=int, default=0)
    args = parser.parse_args()
    store = Store(args.database)
    store.fill(all_threads(args.threads, args.newest_ms))
    routes(store)
    wsgi.server(eventlet.listen(("127.0.0.1", args.port)), app, log_output=False)


if __name__ == "__main__":
    main()
