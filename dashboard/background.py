"""The background tasks of a web process: started before it serves, stopped afterwards."""

import logging
import threading
from contextlib import suppress

from redis.exceptions import RedisError

from dashboard.clock import READ_SECONDS
from dashboard.db.agenda import Agenda
from dashboard.db.database import CHECKPOINT_SECONDS, TRIAL_SECONDS
from dashboard.errors import StorageUnavailable
from dashboard.files.store import STEP_SECONDS
from dashboard.ordering.reconciler import TICK_SECONDS
from dashboard.services import Services
from dashboard.tasks import PeriodicTask, RunsTask
from dashboard.web.http.metrics import SHARE_SECONDS

#: Interval at which the sessions of connected sockets are checked, and unjoined ones closed.
SESSIONS_SECONDS = 1.0
#: Interval of this check while no socket is connected, and of the reconciler while nothing changes.
REST_SECONDS = 3.0
#: Age by which an open connection must have joined the namespace, checked each SESSIONS_SECONDS.
UNJOINED_SECONDS = 6.0
#: Interval of storing the failed sign-ins of a minute, once that minute is over.
FAILED_SIGN_INS_SECONDS = 5.0
#: Interval of looking for sources with facts that were not computed to the end.
REFOLD_SECONDS = 60.0


class Background:
    """Starts and stops the tasks of a process; `sockets` must be attached to the application."""

    def __init__(self, services: Services):
        self._services = services
        self._sessions = PeriodicTask(
            "checking sessions",
            self._check_sessions,
            interval_seconds=lambda: SESSIONS_SECONDS if len(services.sockets) else REST_SECONDS,
            expected=(StorageUnavailable,),
        )
        self._reconciling = PeriodicTask(
            "the reconciler",
            lambda: services.reconciler.turn(services.agenda.latest, services.pulse.latest),
            interval_seconds=lambda: (
                REST_SECONDS if services.reconciler.is_resting else TICK_SECONDS
            ),
            least_seconds=TICK_SECONDS,
        )
        self._own = [self._reconciling, *_other_tasks(services)]

    @property
    def _of_sockets(self) -> list[RunsTask]:
        """The tasks that feed the sockets, in green threads."""
        services = self._services
        return [
            services.listener,
            services.broadcaster,
            services.broadcaster.delivery_updates,
            services.view_changes,
            services.live_lists,
            services.live_lists.view_totals,
            services.queue_line,
            services.queue_news,
        ]

    @property
    def _of_requests(self) -> dict[str, RunsTask]:
        """The tasks that requests need until they end, by the names of their threads."""
        services = self._services
        return {
            "webhooks": services.dispatcher,
            "agenda": services.agenda,
            "pulse": services.pulse,
            "due": services.due_queue,
            "recompute": services.recompute,
            "archive": services.archiver,
            "history": services.history_cleaner,
            "hand-outs": services.hand_outs,
            "places": services.place_news,
            "reports": services.fact_keeper,
            "admins": services.admin_watch,
        }

    def start(self) -> None:
        """Starts all tasks: they listen, push, reconcile, deliver, and handle due times."""
        services = self._services
        spawn = services.sockets.socketio.start_background_task
        for run in (self._sessions.run, *(task.run for task in self._of_sockets)):
            spawn(run)
        services.presence_tasks.start(spawn)
        services.broadcaster.admins.wakes += [self._sessions.wake, services.presence_tasks.wake]
        services.pulse.observe(services.pulse_changed)
        services.pulse.observe(lambda before, pulse: self._reconciling.wake())
        services.reconciler.wake = self._reconciling.wake
        services.agenda.wakes[self._reconciling.wake] = Agenda.has_to_reconcile
        for own in self._own:
            own.start()
        for name, task in self._of_requests.items():
            threading.Thread(target=task.run, name=name, daemon=True).start()

    def stop_sockets(self) -> None:
        """Makes the sockets leave, and stops their tasks, which end within a second or two."""
        services = self._services
        services.admin_presence.begin_drain()
        try:
            services.sockets.send_away()
            services.admin_presence.drain()
        finally:
            services.sockets.close_all()
        self._sessions.stop()
        services.presence_tasks.stop()
        for task in self._of_sockets:
            task.stop()

    def stop(self) -> None:
        """Stops the tasks that requests may still need after the sockets are closed."""
        for own in self._own:
            own.stop()
        for task in self._of_requests.values():
            task.stop()
        self._services.failed_sign_ins.flush(at_once=True)
        with suppress(OSError):
            # Written once more, to include requests since the last write.
            self._services.metrics.write()

    def _check_sessions(self) -> None:
        """Closes the sockets of ended sessions, and connections that never joined."""
        self._services.sockets.close_unjoined(UNJOINED_SECONDS)
        self._services.sockets.check_sessions()


def _other_tasks(services: Services) -> list[PeriodicTask]:
    """Returns the tasks for the clock, the database, files, metrics and the audit log."""
    return [
        PeriodicTask(
            "the clock",
            services.shared_clock.adjust,
            interval_seconds=READ_SECONDS,
            expected=(RedisError, StorageUnavailable),
            expected_level=logging.DEBUG,
        ),
        PeriodicTask(
            "writing the metrics of this worker",
            services.metrics.write,
            interval_seconds=lambda: SHARE_SECONDS if services.metrics.are_shared else 60.0,
            expected=(OSError,),
        ),
        PeriodicTask(
            "storing failed sign-ins",
            services.failed_sign_ins.flush,
            interval_seconds=FAILED_SIGN_INS_SECONDS,
        ),
        PeriodicTask(
            "checking the database", services.database.watch_writes, interval_seconds=TRIAL_SECONDS
        ),
        *(
            PeriodicTask(name, step, interval_seconds=seconds, expected=(StorageUnavailable,))
            for name, step, seconds in (
                ("the database's checkpoint", services.database.checkpoint, CHECKPOINT_SECONDS),
                ("computing facts again", services.api_keys.finish_refolds, REFOLD_SECONDS),
                ("removing files", services.file_cleaner.step, STEP_SECONDS),
            )
        ),
    ]
