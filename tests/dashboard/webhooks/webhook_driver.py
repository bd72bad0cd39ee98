"""A source with threads, an admin who acts in them, webhooks, and their dispatchers."""

from itertools import count
from typing import Any

from sqlalchemy import select

from dashboard.db.database import Database
from dashboard.db.models.webhooks import deliveries
from dashboard.db.outbox import webhooks
from dashboard.db.threads import messages
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.webhooks.dispatcher import WebhookDispatcher
from dashboard.webhooks.service import WebhookService
from tests.dashboard.ingest.shop import Shop, new_admin
from tests.dashboard.webhooks.fake_poster import FakePoster, run_here
from tests.drivers.audit import OPERATOR
from tests.support import SettableClock

URL = "https://bot.example/hook"
OTHER_URL = "https://other.example/hook"


class WebhookDriver:
    """Time moves only by `later`; deliveries run only in `settle`."""

    def __init__(self, database: Database, clock: SettableClock):
        self.database = database
        self.clock = clock
        self.shop = Shop(database, clock)
        self.poster = FakePoster()
        self.webhooks = WebhookService(database, clock, self.poster)
        self.dispatcher = self.new_dispatcher()
        self.actions = Actions(database, clock)
        self.linh = Admin(new_admin(database, "Linh"), "Linh")
        self.threads: dict[str, int] = {}
        self._tokens = count(1)

    def new_dispatcher(self, poster: Any = None, **options: Any) -> WebhookDispatcher:
        options = {"spawn": run_here, "jitter": lambda: 0.0} | options
        return WebhookDispatcher(self.database, self.clock, poster or self.poster, **options)

    def webhook(self, url: str = URL, events: list[str] | None = None) -> int:
        return self.webhooks.create(OPERATOR, "shop", url, events).id

    def thread(self, name: str = "t") -> int:
        if name not in self.threads:
            self.threads[name] = self.shop.says(0, thread=name).thread_id
        return self.threads[name]

    def reply(self, body: str, thread: str = "t") -> int:
        """An admin's reply; the message's id."""
        said = Reply(body, f"tok-{next(self._tokens)}", confirm=True)
        return self.actions.reply(self.linh, self.thread(thread), said)[0].message["id"]

    def settle(self, turns: int = 12) -> None:
        """Lets the dispatcher deliver all that is due now."""
        for _ in range(turns):
            self.dispatcher.turn()

    def later(self, milliseconds: int) -> None:
        self.clock.advance(milliseconds)
        self.settle()

    def said(self, url: str = URL) -> list[str]:
        """Returns the texts that an address received, in order."""
        return [body["data"].get("body", body["type"]) for body in self.poster.bodies(url)]

    def delivery(self, message_id: int) -> tuple[str, str]:
        with self.database.read() as connection:
            delivery = messages.one(connection, message_id)["delivery"]
        return delivery["state"], delivery["to"]

    def failing(self) -> dict[str, int]:
        """Source name to the time since when its deliveries fail."""
        with self.database.read() as connection:
            return webhooks.failing(connection)

    def states(self) -> list[str]:
        with self.database.read() as connection:
            return list(
                connection.scalars(select(deliveries.c.state).order_by(deliveries.c.position))
            )
