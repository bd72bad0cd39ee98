"""All background work of a process is begun when it starts, and ended when it stops."""

import inspect
import threading
from functools import cached_property
from typing import get_args, get_type_hints
from unittest.mock import MagicMock

import pytest

from dashboard import services as services_module
from dashboard.background import Background
from dashboard.live.socket_admins import SocketAdmins
from dashboard.live.threads import DeliveryUpdates
from dashboard.live.view_changes import ViewChanges
from dashboard.live.view_totals import ViewTotals
from dashboard.services import Services
from dashboard.tasks import RunsTask
from scoring.keys import Keys

#: Parts of services that run by themselves.
PARTS = ("broadcaster.delivery_updates", "live_lists.view_totals")


def _types(part: cached_property) -> list[object]:
    """The types of a part: the annotated ones, or the classes that it is made of."""
    hint = get_type_hints(part.func).get("return")
    made_of = (vars(services_module).get(name) for name in part.func.__code__.co_names)
    return [*(get_args(hint) or (hint,))] if hint else [*made_of]


def _loops() -> set[str]:
    """The names of the services that are loops."""
    return {
        name
        for name, part in inspect.getmembers(Services, lambda one: isinstance(one, cached_property))
        if any(isinstance(one, type) and issubclass(one, RunsTask) for one in _types(part))
    }


#: Tasks that the process makes: sessions, the reconciler, and seven that look after the rest.
_tasks: list[MagicMock] = []


def _task() -> MagicMock:
    _tasks.append(MagicMock())
    return _tasks[-1]


@pytest.fixture
def services(monkeypatch) -> MagicMock:
    monkeypatch.setattr("dashboard.background.PeriodicTask", lambda *given, **named: _task())
    _tasks.clear()
    return MagicMock()


def test_every_loop_is_begun_and_ended(services):
    """R43, F9, W21, O7: nobody misses a loop that was not begun until it is needed."""
    background = Background(services)
    background.start()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.name in _loops() | {"webhooks"}:
            thread.join(30)
    spawned = [call.args[0] for call in services.sockets.socketio.start_background_task.mock_calls]
    background.stop_sockets()
    background.stop()
    loops = _loops()
    assert len(loops) >= 10 and {"listener", "dispatcher", "due_queue"} <= loops
    for name in sorted(loops | set(PARTS)):
        loop = services
        for part in name.split("."):
            loop = getattr(loop, part)
        assert loop.run in spawned or loop.run.called, f"{name} is not begun"
        assert loop.stop.called, f"{name} is not ended"
    assert len(_tasks) == 9
    assert all(task.start.called or task.run in spawned for task in _tasks)
    assert all(task.stop.called for task in _tasks)
    assert services.presence_tasks.start.called and services.presence_tasks.stop.called
    services.pulse.observe.assert_any_call(services.pulse_changed)


def test_what_rests_while_no_socket_is_here_is_woken_by_the_first_one(services):
    """F12, H35: otherwise an ended session, or the first totals, would be noticed seconds later."""
    services.broadcaster.admins = admins = SocketAdmins()
    Background(services).start()
    others = [MagicMock() for _ in range(5)]
    parts = [
        DeliveryUpdates(*others[:3], admins),
        ViewChanges(*others[:1], "lineup", *others[:1], admins, *others[:1]),
        ViewTotals(*others[:4], admins, *others[:1]),
    ]
    for part in parts:
        part._task.wake = MagicMock()
    resting = [services.presence_tasks, _tasks[0], *(part._task for part in parts)]
    assert not any(one.wake.called for one in resting)
    services.broadcaster.admins.add("s", 1)
    assert all(one.wake.call_count == 1 for one in resting)
    services.broadcaster.admins.add("t", 2)
    assert all(one.wake.call_count == 1 for one in resting)
    services.broadcaster.admins.drop("s")
    services.broadcaster.admins.drop("t")
    services.broadcaster.admins.add("u", 3)
    assert all(one.wake.call_count == 2 for one in resting)


def test_admins_have_time_to_come_back_where_a_worker_stops(services):
    """T11, H33: draining begins before the first socket leaves, and ends before the last."""
    background = Background(services)
    background.stop_sockets()
    names = [name for name, *_ in services.mock_calls]
    order = ["admin_presence.begin_drain", "sockets.send_away", "admin_presence.drain"]
    assert [name for name in names if name in order] == order
    assert names.index("sockets.close_all") > names.index("admin_presence.drain")


def test_sessions_and_unjoined_connections_are_looked_at(services):
    """F63, F66."""
    Background(services)._check_sessions()
    assert services.sockets.check_sessions.called and services.sockets.close_unjoined.called


def test_what_changed_in_redis_is_told_where_no_notification_comes(services):
    """F9: built-in views, lists of queries, threads on no view, and saved views."""
    before = MagicMock(queries=1, unlisted=1, view_changes=1)
    told = {
        "queries": services.broadcaster.notify_queries,
        "unlisted": services.broadcaster.notify_unlisted,
        "view_changes": services.view_changes.wake,
    }
    services._queries_touched = lambda: Services._queries_touched(services)
    services._views_written = lambda: Services._views_written(services)
    for changed, call in told.items():
        pulse = MagicMock(**({"queries": 1, "unlisted": 1, "view_changes": 1} | {changed: 2}))
        services.reset_mock()
        Services.pulse_changed(services, before, pulse)
        assert {name for name, one in told.items() if one.called} == {changed}
        services.broadcaster.notify.assert_called_once_with(pulse.changed_views(before))
        assert call.called
        assert services.live_lists.view_totals.note.called == (changed == "queries")
        assert services.queue_news.look.called == (changed == "view_changes")


def test_what_a_notification_tells_is_told(monkeypatch):
    """H31, O6: of lists of queries, of saved views, and of threads on no view."""
    listeners = MagicMock()
    monkeypatch.setattr("dashboard.services.Listener", listeners)
    services = MagicMock()
    keys = Keys(groups=2)
    Services._listener_of(services, MagicMock(), keys)
    [call] = listeners.call_args_list
    assert call.args[2] == services.broadcaster.notify
    assert call.kwargs["on_written"] == {
        **{group.touched: services._queries_touched for group in keys.shared_groups()},
        keys.view_changes: services._views_written,
        keys.unlisted: services.broadcaster.notify_unlisted,
    }


@pytest.mark.parametrize("had_to", [True, False])
def test_that_a_given_thread_was_opened_is_told_to_all_workers(had_to):
    """Q37: only if a queue gave it: every other thread is opened without that."""
    services = MagicMock()
    services.handing_out.open.return_value = had_to
    Services.thread_opened(services, 7, 42)
    services.handing_out.open.assert_called_once_with(7, 42)
    assert services.queue_news.look.called is services.view_changes.announce.called is had_to


def test_the_totals_of_views_hear_of_changed_views(monkeypatch):
    """H31: which lists there are may have changed."""
    monkeypatch.setattr("dashboard.services.ViewChanges", MagicMock())
    services = MagicMock()
    made = Services.view_changes.func(services)
    made.observe.assert_called_once_with(services.live_lists.views_changed)


def test_sockets_have_all_observers_and_parts_hear_of_each_other():
    """R5, R6, T12: and a desk that is not seen any more, and saved views."""
    services = MagicMock()
    Services.connect_sockets(services)
    [call] = services.sockets.register.call_args_list
    lists, *others = call.args[1]
    assert others == [services.admin_presence, services.queue_line, services.queue_news]
    assert lists._send_status == services.presence_tasks.send_status
    assert set(lists._droppers) == {services.broadcaster, services.live_lists}
    services.broadcaster.held_threads.observe.assert_called_once_with(
        services.admin_presence.thread_gone
    )
