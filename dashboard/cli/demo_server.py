"""The work of the command `demo`: a server with demo data, a demo admin, a simulator, a shop."""

import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256

import click

from dashboard import IS_CHECKOUT, ROOT, logs
from dashboard.cli.context import operator
from dashboard.cli.demo_access import SHOP_SOURCE, DemoAccess, demo_access
from dashboard.cli.demo_data import seed_threads
from dashboard.cli.demo_desk import DemoDesk, furnish, hire, share_out
from dashboard.cli.starting import Address, announce
from dashboard.cli.web_process import bring_order_to_date, open_web_services, run_web_process
from dashboard.db.outbox import webhooks
from dashboard.db.threads import threads
from dashboard.services import Services
from dashboard.settings import CustomerPage, Settings, is_loopback
from dashboard.tasks import Backoff, PeriodicTask
from dashboard.web.server.server import check_port, green
from demo.desk import Person
from demo.simulate import Others, simulate

log = logging.getLogger("lineup")

#: Pause before the simulator starts, and before it starts again after it failed.
SIMULATOR_START_SECONDS = 0.5
SIMULATOR_RETRY_SECONDS = 5.0
REPORT_SECONDS = 3.0
MESSAGES = 3
RANDOM_SEED = 1
#: The path of the shop's webhook.
HOOK = "/chat/hook"
DOCS = "README.md and docs/ describe the rest. " if IS_CHECKOUT else ""


class DemoShop:
    """The shop in which a visitor writes as a customer: a process of its own, on the port after
    the demo's, or on any free one."""

    def __init__(self, services: Services, access: DemoAccess, address: Address):
        self._services, self._access, self._lineup = services, access, address
        self.address = Address("127.0.0.1", _free_port(address.port + 1))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        given = {
            "LINEUP": self._lineup.program_url,
            "KEY": self._access.shop_key,
            "WEBHOOK_SECRET": self.webhook_secret(f"{self.address.url}{HOOK}"),
            "VISITOR_SECRET": sha256(f"visitors {self._access.secret_key}".encode()).hexdigest(),
            "PORT": str(self.address.port),
            "FILE": str(self._services.settings.instance / "shop.sqlite"),
            "PYTHONPATH": str(ROOT),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "demo.shop"],
            env=os.environ | given,
            stdin=subprocess.PIPE,
            # Ctrl+C is for the demo, which then ends the shop.
            start_new_session=True,
        )

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def webhook_secret(self, url: str) -> str:
        """Returns the secret of the webhook to this address, which is made if it is missing; those
        of the shop's earlier ports end."""
        services, now = self._services, self._services.clock()
        with services.database.read() as connection:
            all = [each for each in webhooks.listing(connection) if each.source == SHOP_SOURCE]
            targets = [webhooks.target(connection, each.id, now) for each in all if each.url == url]
        for earlier in all:
            if earlier.url != url and earlier.url.endswith(HOOK):
                services.webhooks.revoke(operator(), earlier.id)
        known = next((target for target in targets if target is not None), None)
        if known is not None:
            return known.secrets[0]
        return services.webhooks.create(operator(), SHOP_SOURCE, url, None).secret


def serve_demo(settings: Settings, address: Address, thread_count: int, rate: float) -> int:
    """Serves until a signal; returns the exit code."""
    _be_quiet(settings)
    check_port(address.host, address.port)
    with open_web_services(settings) as services:
        access = demo_access(settings.instance, services.database, services.clock)
        shop = shop_of(services, access, address)
        services.settings = replace(
            settings,
            secret_key=access.secret_key,
            customer_page=CustomerPage(shop.address.url, SHOP_SOURCE) if shop else None,
            # A visitor tries webhooks with a program on the same machine. If others can reach this
            # server, the machine's own services stay protected.
            webhook_private=settings.webhook_private or is_loopback(address.host),
        )
        people = hire(services)
        bring_order_to_date(services)
        set_up(services, people, thread_count)
        url = address.program_url
        desk = DemoDesk(services, people, url, address.port, access.api_key)
        simulator = _simulator(url, access.api_key, rate, services.clock, desk.others)

        def on_ready() -> None:
            announce(address)
            click.echo(_welcome(address, access, shop))
            if shop:
                shop.start()
            simulator.start()
            desk.start()

        try:
            return run_web_process(services, address, on_ready)
        finally:
            if shop:
                shop.stop()


def _be_quiet(settings: Settings) -> None:
    logs.install(settings.log_level, settings.log_format)
    if settings.log_level == "INFO":
        # Operators need to see how lists are rebuilt; a person who tries the demo does not.
        logging.getLogger("dashboard").setLevel(logging.WARNING)
    if settings.log_level != "DEBUG":
        logs.leave_out_traces()
        green(settings.async_mode).leave_out_traces()
        # The clients of the colleagues, which come back by themselves.
        for name in ("engineio.client", "socketio.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def set_up(services: Services, people: Sequence[Person], thread_count: int) -> None:
    """Fills the database if it is empty, or if an earlier start was cut off while it did so."""
    begun = services.settings.instance / "demo-begun.txt"
    with services.database.read() as connection:
        if threads.last_id(connection) == 0:
            begun.touch()
    is_begun = begun.exists()
    if is_begun:
        seed_threads(services, thread_count, MESSAGES, RANDOM_SEED, at_desk=True)
    share_out(services, people, again=is_begun)
    furnish(services, people, again=is_begun)
    begun.unlink(missing_ok=True)


def _welcome(address: Address, access: DemoAccess, shop: DemoShop | None) -> str:
    """Returns the text for the person who started the demo; programs read its first three lines."""
    customer = f"Write as a customer at {shop.address.url}, and answer.\n" if shop else ""
    return (
        f"email: {access.email}\n"
        f"password: {access.password}\n"
        f"key: {access.api_key}\n"
        f"{customer}"
        f"Post messages with the key: {address.url}/api/docs shows how.\n"
        f"{DOCS}Customers and four colleagues are simulated.\n"
        "Ctrl+C stops it; the data stays."
    )


def _simulator(
    url: str, key: str, rate: float, clock: Callable[[], int], desk: Others
) -> PeriodicTask:
    def wait(seconds: float) -> bool:
        time.sleep(seconds)
        return False

    def report(text: str) -> None:
        # Told a moment later: when the demo ends, its server is away before the simulator is.
        timer = threading.Timer(REPORT_SECONDS, log.info, ("%s", text))
        timer.daemon = True
        timer.start()

    return PeriodicTask(
        "the simulator",
        lambda: simulate(url, key, rate, now=clock, wait=wait, report=report, others=desk),
        interval_seconds=SIMULATOR_START_SECONDS,
        # Whatever fails is told in one line, and tried again.
        expected=(Exception,),
        backoff=Backoff.constant(SIMULATOR_RETRY_SECONDS),
    )


def shop_of(services: Services, access: DemoAccess, address: Address) -> DemoShop | None:
    """Returns the shop; None where Lineup may not call it, as others can reach this server."""
    return DemoShop(services, access, address) if is_loopback(address.host) else None


def _free_port(wanted: int) -> int:
    """Returns a port of this machine that nobody uses: the wanted one, if it can be."""
    for port in (wanted, 0):
        with socket.socket() as tried:
            # Connections of a shop that has just ended keep nobody out.
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except (OSError, OverflowError):
                continue
            return int(tried.getsockname()[1])
    raise OSError("no port is free")
