"""Lineup: builds every part from the settings and hands them to each other. Nothing imports it."""

import os
import sys
import warnings

if sys.version_info < (3, 11):
    sys.exit("lineup: Python 3.11 or later is needed.")

# Before anything else is imported, for it changes what they import.
if os.environ.get("LINEUP_ASYNC_MODE", "").lower() == "gevent":
    from gevent import monkey

    monkey.patch_all()
else:
    # That eventlet is in maintenance is known; it is what our user chose.
    warnings.filterwarnings("ignore", message="\\s*Eventlet is deprecated")
    import eventlet

    # psycopg waits in C otherwise, and stops every green thread meanwhile.
    os.environ.setdefault("PSYCOPG_WAIT_FUNC", "wait_selector")
    eventlet.monkey_patch()

import gc
import logging
import threading
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from tqdm import tqdm

from dashboard import logs
from dashboard.attendance.attendance import Attendance
from dashboard.attendance.chatbots import Chatbots
from dashboard.commands import admins, demo_data, keys, order, webhooks
from dashboard.commands.demo import DEMO_EMAIL, demo_access
from dashboard.commands.parser import parser
from dashboard.commands.workers import Workers, end_with_parent
from dashboard.config import Settings
from dashboard.delivery.courier import Courier
from dashboard.delivery.desk import WebhookDesk
from dashboard.delivery.post import Poster
from dashboard.delivery.typing import TIMEOUT_SECONDS as TYPING_SECONDS
from dashboard.delivery.typing import TypingNews
from dashboard.demo.simulate import simulate
from dashboard.embedded import EmbeddedRedis, find_or_start
from dashboard.errors import LineupError, StartError
from dashboard.intake.actions import Actions
from dashboard.intake.compare import Comparison
from dashboard.intake.heal import TICK_SECONDS, Healer
from dashboard.intake.intake import Intake
from dashboard.intake.order_state import OrderState
from dashboard.intake.place import Placer
from dashboard.intake.rebuild import Rebuilder
from dashboard.intake.record import Recorder
from dashboard.live.live import Live
from dashboard.live.reads import Reads
from dashboard.redis_parser import Parser
from dashboard.store import threads
from dashboard.store.database import Database
from dashboard.store.migrate import bring_to_head
from dashboard.web.application import create_app
from dashboard.web.parts import Parts
from dashboard.web.server import check_port, green, serve
from presence.timing import Timing
from scoring.ranking import Ranking

log = logging.getLogger("lineup")

ROOT = Path(__file__).resolve().parent
#: No request waits longer for Redis than this. Not less: a busy event loop finds an answer late.
REDIS_SECONDS = 2.0
#: As many calls are under way at once; redis-py refuses further ones unless it is told to wait.
REDIS_CONNECTIONS = 100


def clock() -> int:
    """Now, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclass
class Desk:
    """The parts of one process, each built when it is first asked for."""

    settings: Settings
    redis_url: str

    @cached_property
    def database(self) -> Database:
        return Database(self.settings.database_url)

    @cached_property
    def client(self) -> redis.Redis:
        return self.new_client()

    @cached_property
    def ranking(self) -> Ranking:
        return Ranking(self.client, self.settings.key_prefix)

    @cached_property
    def state(self) -> OrderState:
        return OrderState(clock)

    @cached_property
    def placer(self) -> Placer:
        return Placer(self.ranking, self.database, self.state)

    @cached_property
    def recorder(self) -> Recorder:
        return Recorder(self.database, clock)

    @cached_property
    def intake(self) -> Intake:
        return Intake(self.recorder, self.placer, self.courier.ring)

    @cached_property
    def poster(self) -> Poster:
        return Poster(self.settings.webhook_private)

    @cached_property
    def quick_poster(self) -> Poster:
        return Poster(self.settings.webhook_private, timeout_seconds=TYPING_SECONDS)

    @cached_property
    def courier(self) -> Courier:
        return Courier(self.database, clock, self.poster)

    @cached_property
    def webhooks(self) -> WebhookDesk:
        return WebhookDesk(self.database, clock, self.poster, self.courier.ring)

    @cached_property
    def rebuilder(self) -> Rebuilder:
        return Rebuilder(self.database, self.ranking, self.placer)

    @cached_property
    def comparison(self) -> Comparison:
        return Comparison(self.database, self.ranking)

    @cached_property
    def healer(self) -> Healer:
        return Healer(
            self.database,
            self.ranking,
            self.placer,
            self.rebuilder,
            self.comparison,
            self.state,
            run_id=lambda: self.client.info("server").get("run_id"),
        )

    @cached_property
    def attendance(self) -> Attendance:
        return Attendance(
            self.client,
            self.database,
            clock,
            timing=Timing.from_ttl(
                self.settings.presence_ttl_seconds, self.settings.presence_idle_seconds
            ),
            key_prefix=self.settings.key_prefix,
        )

    @cached_property
    def chatbots(self) -> Chatbots:
        return Chatbots(self.attendance, self.database, clock)

    def new_client(self) -> redis.Redis:
        """A client that says at once when Redis is away, and does nothing twice."""
        pool = redis.BlockingConnectionPool.from_url(
            self.redis_url,
            # After a restart all windows come back at the same moment.
            max_connections=REDIS_CONNECTIONS,
            timeout=REDIS_SECONDS,
            socket_timeout=REDIS_SECONDS,
            socket_connect_timeout=REDIS_SECONDS,
            retry=Retry(NoBackoff(), 0),
            parser_class=partial(Parser, green(self.settings.async_mode).poll),
        )
        return redis.Redis.from_pool(pool)

    def live(self) -> Live:
        return Live(
            ranking=self.ranking,
            bell=self.new_client(),
            reads=Reads(self.database, clock),
            late_since=lambda: self.state.late_since,
            clock=clock,
            async_mode=self.settings.async_mode,
            attendance=self.attendance,
            chatbots=self.chatbots,
            database=self.database,
            writes=TypingNews(self.database, clock, self.quick_poster).tell,
        )

    def parts(self, live: Live, port: int) -> Parts:
        return Parts(
            settings=self.settings,
            database=self.database,
            redis=self.client,
            ranking=self.ranking,
            intake=self.intake,
            actions=Actions(self.database, clock),
            order=self.state,
            attendance=self.attendance,
            chatbots=self.chatbots,
            clock=clock,
            port=port,
            root=ROOT,
            sockets=live,
            webhooks=self.webhooks,
            offload=green(self.settings.async_mode).offload,
        )


def run_server(desk: Desk, args: Namespace, ready: Callable[[], object] = lambda: None) -> int:
    """One web process: brings the order up to date, then serves until a signal."""
    if not args.shared_port:
        check_port(args.host, args.port)
    bring_order_to_date(desk)
    live = desk.live()
    app = create_app(desk.parts(live, args.port))
    live.start()
    threading.Thread(target=keep_healing, args=[desk.healer], daemon=True).start()
    threading.Thread(target=desk.courier.run, daemon=True).start()
    # What is built by now stays. A collector that went through all of it again and again would
    # stop every dashboard for a quarter of a second each time.
    gc.collect()
    gc.freeze()
    serve(
        app,
        args.host,
        args.port,
        desk.settings.async_mode,
        reuse_port=args.shared_port,
        ready=ready,
        stopping=live.stop,
    )
    desk.courier.stop()
    return 0


def bring_order_to_date(desk: Desk) -> None:
    """Rebuilds the lists where Redis is empty or a stranger's, with progress."""
    with desk.database.read() as connection:
        total = threads.last_id(connection)
    with tqdm(
        total=total, unit=" threads", desc="ordering", delay=0.5, leave=False, file=sys.stderr
    ) as bar:
        desk.healer.tick(bar.update)


def keep_healing(healer: Healer) -> None:
    while True:
        time.sleep(TICK_SECONDS)
        try:
            healer.tick()
        except Exception:
            log.exception("a look after the order failed")


def serve_command(args: Namespace, settings: Settings) -> int:
    if settings.secret_key is None:
        raise StartError("LINEUP_SECRET_KEY is needed: at least 16 characters, kept secret.")
    logs.install(settings.log_level)
    with ExitStack() as stack:
        desk = stack.enter_context(opened(settings, serving=True))
        if args.workers > 1:
            check_port(args.host, args.port)
            return Workers(sys.argv, args.workers, desk.redis_url).run()
        if args.shared_port:
            end_with_parent()
        return run_server(desk, args, lambda: announce(args))


def demo_command(args: Namespace, settings: Settings) -> int:
    logs.install(settings.log_level)
    check_port(args.host, args.port)
    with opened(settings, serving=True) as desk:
        access = demo_access(settings.instance, desk.database, clock)
        desk.settings = replace(settings, secret_key=access.secret_key)
        bring_order_to_date(desk)
        seed_once(desk, args.threads)

        def ready() -> None:
            announce(args)
            print(f"email: {DEMO_EMAIL}\npassword: {access.password}\nkey: {access.api_key}")
            sys.stdout.flush()
            url = f"http://{args.host}:{args.port}"
            threading.Thread(
                target=keep_simulating, args=[url, access.api_key, args.rate], daemon=True
            ).start()

        return run_server(desk, args, ready)


def seed_once(desk: Desk, count: int) -> None:
    """Fills an empty database."""
    with desk.database.read() as connection:
        is_empty = threads.last_id(connection) == 0
    if is_empty:
        wanted = parser().parse_args(["seed", "--threads", str(count)])
        demo_data.seed(wanted, desk.database, desk.intake, desk.placer, clock)


def keep_simulating(url: str, key: str, rate: float) -> None:
    def wait(seconds: float) -> bool:
        time.sleep(seconds)
        return False

    while True:
        try:
            simulate(url, key, rate, now=clock, wait=wait, report=log.info)
        except LineupError as error:
            log.warning("the simulator: %s", error)
        time.sleep(5)


def announce(args: Namespace) -> None:
    host = "localhost" if args.host in ("127.0.0.1", "::1", "0.0.0.0", "::") else args.host
    print(f"Lineup is at http://{host}:{args.port}", flush=True)


class opened:
    """A desk whose schema is at head and whose Redis is there, for as long as the block runs.

    A command that only looks something up does not start an embedded Redis of its own.
    """

    def __init__(self, settings: Settings, serving: bool = False, needs_redis: bool = False):
        self._settings = settings
        self._serving = serving
        self._needs_redis = serving or needs_redis
        self._embedded: EmbeddedRedis | None = None

    def __enter__(self) -> Desk:
        desk = Desk(self._settings, self._settings.redis_url or "")
        bring_to_head(desk.database)
        if self._settings.redis_url is None:
            self._settings.instance.mkdir(parents=True, exist_ok=True)
            self._embedded = (
                find_or_start(self._settings.instance)
                if self._needs_redis
                else EmbeddedRedis(self._settings.instance)
            )
            desk.redis_url = self._embedded.url
            if self._serving:
                self._embedded.watch()
        return desk

    def __exit__(self, *error: object) -> None:
        if self._embedded is not None:
            self._embedded.stop()


def rebuild_command(args: Namespace, settings: Settings) -> int:
    with opened(settings, needs_redis=True) as desk:
        return order.rebuild(args, desk.database, desk.rebuilder)


def check_command(args: Namespace, settings: Settings) -> int:
    with opened(settings) as desk:
        try:
            desk.client.ping()
        except RedisError as error:
            raise StartError("Redis is away, so there is no order to compare.") from error
        return order.check(args, desk.comparison, desk.rebuilder)


def with_desk(work: Callable[[Namespace, Desk], int]) -> Callable[[Namespace, Settings], int]:
    """A command that needs no more than a desk."""

    def run(args: Namespace, settings: Settings) -> int:
        with opened(settings) as desk:
            return work(args, desk)

    return run


COMMANDS: dict[str, Callable[[Namespace, Settings], int]] = {
    "serve": serve_command,
    "demo": demo_command,
    "seed": with_desk(
        lambda args, desk: demo_data.seed(args, desk.database, desk.intake, desk.placer, clock)
    ),
    "simulate": with_desk(lambda args, desk: demo_data.simulate(args, desk.database, clock)),
    "rebuild": rebuild_command,
    "check": check_command,
    "create-admin": with_desk(lambda args, desk: admins.create_admin(args, desk.database, clock)),
    "list-admins": with_desk(lambda args, desk: admins.list_admins(args, desk.database, clock)),
    "set-password": with_desk(lambda args, desk: admins.set_password(args, desk.database, clock)),
    "disable-admin": with_desk(lambda args, desk: admins.disable_admin(args, desk.database, clock)),
    "create-key": with_desk(
        lambda args, desk: keys.create_key(args, desk.database, clock, desk.recorder, desk.placer)
    ),
    "list-keys": with_desk(lambda args, desk: keys.list_keys(args, desk.database)),
    "revoke-key": with_desk(lambda args, desk: keys.revoke_key(args, desk.database, clock)),
    "create-webhook": with_desk(lambda args, desk: webhooks.create(args, desk.webhooks)),
    "list-webhooks": with_desk(lambda args, desk: webhooks.listing(args, desk.webhooks)),
    "rotate-webhook": with_desk(lambda args, desk: webhooks.rotate(args, desk.webhooks)),
    "revoke-webhook": with_desk(lambda args, desk: webhooks.revoke(args, desk.webhooks)),
    "delete-customer": with_desk(
        lambda args, desk: demo_data.delete_customer(
            args, desk.database, desk.placer, desk.attendance
        )
    ),
}


def main() -> int:
    """Runs the command of the command line; 0 done, 1 failed or differs, 2 wrong use."""
    args = parser().parse_args()
    try:
        settings = Settings.from_environment(os.environ, ROOT / "instance")
        return COMMANDS[args.command](args, settings)
    except LineupError as error:
        print(f"lineup: {getattr(error, 'detail', error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 1


if __name__ == "__main__":
    sys.exit(main())
