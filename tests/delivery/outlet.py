"""A source with threads, an admin who acts in them, webhooks, and couriers that bring it out."""

from itertools import count
from typing import Any

from sqlalchemy import select

from dashboard.delivery.courier import Courier
from dashboard.delivery.desk import WebhookDesk
from dashboard.intake.actions import Actions, Admin, Reply
from dashboard.store import messages
from dashboard.store.database import Database
from dashboard.store.outbox_models import deliveries
from tests.delivery.stand_in import StandIn, run_here
from tests.intake.shop import Shop, new_admin
from tests.support import SettableClock

URL = "https://bot.example/hook"
OTHER_URL = "https://other.example/hook"


class Outlet:
    """Time stands still but for `later`; nothing runs by itself but in `settle`."""

    def __init__(self, database: Database, clock: SettableClock):
        self.database = database
        self.clock = clock
        self.shop = Shop(database, clock)
        self.poster = StandIn()
        self.desk = WebhookDesk(database, clock, self.poster)
        self.courier = self.new_courier()
        self.actions = Actions(database, clock)
        self.linh = Admin(new_admin(database, "Linh"), "Linh")
        self.threads: dict[str, int] = {}
        self._tokens = count(1)

    def new_courier(self, poster: Any = None, **options: Any) -> Courier:
        options = {"spawn": run_here, "jitter": lambda: 0.0} | options
        return Courier(self.database, self.clock, poster or self.poster, **options)

    def webhook(self, url: str = URL, events: list[str] | None = None) -> int:
        return self.desk.create("shop", url, events).id

    def thread(self, name: str = "t") -> int:
        if name not in self.threads:
            self.threads[name] = self.shop.says(0, thread=name).thread_id
        return self.threads[name]

    def reply(self, body: str, thread: str = "t") -> int:
        """An admin's reply; the message's id."""
        said = Reply(body, f"tok-{next(self._tokens)}", confirm=True)
        return self.actions.reply(self.linh, self.thread(thread), said)[0].message["id"]

    def settle(self, turns: int = 12) -> None:
        """Lets the courier do all that is due now."""
        for _ in range(turns):
            self.courier.turn()

    def later(self, milliseconds: int) -> None:
        self.clock.advance(milliseconds)
        self.settle()

    def said(self, url: str = URL) -> list[str]:
        """The texts that came in at an address, in their order."""
        return [body["data"].get("body", body["type"]) for body in self.poster.bodies(url)]

    def delivery(self, message_id: int) -> tuple[str, str]:
        with self.database.read() as connection:
            told = messages.one(connection, message_id)["delivery"]
        return told["state"], told["to"]

    def states(self) -> list[str]:
        with self.database.read() as connection:
            return list(
                connection.scalars(select(deliveries.c.state).order_by(deliveries.c.position))
            )
