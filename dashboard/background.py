"""The background work of a web process: what is started before it serves, and ended after."""

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
from dashboard.tasks import PeriodicTask
from dashboard.web.http.metrics.registry import SHARE_SECONDS

#: Interval at which the sessions of connected sockets are checked, and unjoined ones closed.
SESSIONS_SECONDS = 1.0
#: Interval of the check while no socket is here, and of the reconciler while nothing changes.
REST_SECONDS = 3.0
#: Age at which an open connection must have joined the namespace; checked at that interval.
UNJOINED_SECONDS = 6.0
#: Interval at which failed sign-ins of a minute that is over are stored.
FAILED_SIGN_INS_SECONDS = 5.0


class Background:
    """Starts and stops the tasks of a process; `sockets` must be attached to the application."""

    def __init__(self, services: Services):
        self._services = services
        self._sessions = PeriodicTask(
            "the check of sessions",
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
        )
        self._clock = PeriodicTask(
            "the clock",
            services.shared_clock.adjust,
            interval_seconds=READ_SECONDS,
            expected=(RedisError, StorageUnavailable),
            expected_level=logging.DEBUG,
        )
        self._of_storage = _tasks_of_storage(services)
        self._sharing_metrics = PeriodicTask(
            "the metrics of this worker",
            services.metrics.write,
            interval_seconds=lambda: SHARE_SECONDS if services.metrics.are_shared else 60.0,
            expected=(OSError,),
        )
        self._failed_sign_ins = PeriodicTask(
            "the log of failed sign-ins",
            services.failed_sign_ins.flush,
            interval_seconds=FAILED_SIGN_INS_SECONDS,
        )

    def start(self) -> None:
        """Begins to listen, to push, to reconcile, to deliver, and to take up what is due."""
        services = self._services
        spawn = services.sockets.socketio.start_background_task
        for run in (
            services.listener.run,
            services.broadcaster.run,
            services.broadcaster.delivery_updates.run,
            services.view_changes.run,
            services.live_lists.run,
            services.live_lists.view_totals.run,
            services.queue_line.run,
            self._sessions.run,
        ):
            spawn(run)
        services.presence_tasks.start(spawn)
        services.broadcaster.admins.wakes += [self._sessions.wake, services.presence_tasks.wake]
        services.pulse.observe(services.pulse_changed)
        services.pulse.observe(lambda before, pulse: self._reconciling.wake())
        services.agenda.wakes[self._reconciling.wake] = Agenda.has_to_reconcile
        own = self._reconciling, self._clock, self._failed_sign_ins, self._sharing_metrics
        for task in (*own, *self._of_storage):
            task.start()
        for name, run in (
            ("webhooks", services.dispatcher.run),
            ("agenda", services.agenda.run),
            ("pulse", services.pulse.run),
            ("due", services.due_queue.run),
            ("recompute", services.recompute.run),
            ("archive", services.archiver.run),
        ):
            threading.Thread(target=run, name=name, daemon=True).start()

    def stop_sockets(self) -> None:
        """Sends the sockets away; what feeds them ends by itself within a second or two."""
        services = self._services
        services.admin_presence.begin_drain()
        try:
            services.sockets.send_away()
            services.admin_presence.drain()
        finally:
            services.sockets.close_all()
        self._sessions.stop()
        services.listener.stop()
        services.broadcaster.stop()
        services.presence_tasks.stop()
        services.broadcaster.delivery_updates.stop()
        services.view_changes.stop()
        services.live_lists.stop()
        services.live_lists.view_totals.stop()
        services.queue_line.stop()

    def stop(self) -> None:
        """Ends what may still be needed by the requests under way when the sockets close."""
        self._reconciling.stop()
        self._clock.stop()
        for task in self._of_storage:
            task.stop()
        self._failed_sign_ins.stop()
        self._services.failed_sign_ins.flush(at_once=True)
        self._services.agenda.stop()
        self._services.pulse.stop()
        self._services.dispatcher.stop()
        self._services.due_queue.stop()
        self._services.recompute.stop()
        self._services.archiver.stop()
        self._sharing_metrics.stop()
        with suppress(OSError):
            # The last numbers: what was answered since they were written counts, too.
            self._services.metrics.write()

    def _check_sessions(self) -> None:
        """Closes the sockets of ended sessions, and connections that never joined."""
        self._services.sockets.close_unjoined(UNJOINED_SECONDS)
        self._services.sockets.check_sessions()


def _tasks_of_storage(services: Services) -> list[PeriodicTask]:
    """The tasks that look after database and files."""
    return [
        PeriodicTask(
            "the trial of the database",
            services.database.watch_writes,
            interval_seconds=TRIAL_SECONDS,
        ),
        PeriodicTask(
            "the checkpoint of the database",
            services.database.checkpoint,
            interval_seconds=CHECKPOINT_SECONDS,
            expected=(StorageUnavailable,),
        ),
        PeriodicTask(
            "removing files",
            services.file_cleaner.step,
            interval_seconds=STEP_SECONDS,
            expected=(StorageUnavailable,),
        ),
    ]
