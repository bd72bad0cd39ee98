"""Stores events until it is killed and prints each acknowledged batch: `python -m … FILE ROUND`."""

import sys

from dashboard.db.database import Database
from tests.dashboard.ingest.shop import Shop, message, thread_event
from tests.support import now_ms


def main(path: str, round: str) -> None:
    shop = Shop(Database(f"sqlite:///{path}"), now_ms)
    number = 0
    while True:
        names = [f"{round}-{number}-{part}" for part in range(3)]
        thread = f"t-{number % 7}"
        recorded = shop.send(
            message(number, id=names[0], thread=thread, fields={"name": names[0]}),
            message(number, id=names[1], thread=thread, role="admin"),
            thread_event("thread.close", number, id=names[2], thread=thread),
        )
        assert [outcome.status for outcome in recorded.outcomes] == ["created"] * 3
        print(number, flush=True)
        number += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
