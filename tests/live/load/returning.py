"""A dashboard and a chatbot that behave in a rolling restart as the page and a client do."""

import threading
import time

import requests

from tests.drivers.dashboard import DashboardDriver
from tests.drivers.lineup import SECONDS
from tests.support import wait_until


class ReturningDashboard(DashboardDriver):
    """Reconnects when the server says that its process ends, and then syncs, as the page does.

    `watched` are admins whose presence it follows; `returns` counts how often it came back.
    """

    def __init__(self, *arguments, watched=()):
        self.returns = 0
        self.events_at_first_return = 0
        self.errors = []
        self._watched = watched
        self._returning = threading.Lock()
        super().__init__(*arguments)

    def connect(self):
        super().connect()
        if self._watched:
            answer = self.call("presence:watch", {"kind": "admin", "add": [*self._watched]})
            assert answer["ok"], answer
            self.events.append(("presence:update", {"presence": answer["presence"]}))
        return self

    def is_settled(self):
        return not self._returning.locked() and self.client.connected

    def _on_event(self, event, *data):
        super()._on_event(event, *data)
        if event == "server:leaving":
            threading.Thread(target=self._return, daemon=True).start()
        elif event == "presence:ping":
            self.client.emit("presence:pong", {"visible": True, "idle_ms": 0}, namespace="/admin")

    def _return(self):
        with self._returning:
            self.events_at_first_return = self.events_at_first_return or len(self.events)
            try:
                self.client.disconnect()
                self.connect()
                for name in list(self._limits):
                    self.entries(*name)
                self.returns += 1
            except Exception as error:
                self.errors.append(error)


class Chatbot(threading.Thread):
    """Posts an event every `pause_seconds`, over a kept connection or each time over a new one."""

    def __init__(self, lineup, number, pause_seconds, keeps_connection):
        super().__init__(daemon=True)
        self.lineup = lineup
        self.accepted = []
        self.failures = []
        self._number = number
        self._pause_seconds = pause_seconds
        self._keeps_connection = keeps_connection
        self._ended = threading.Event()

    def run(self):
        session = requests.Session()
        session.headers.update(self.lineup.bot.headers)
        if not self._keeps_connection:
            session.headers["Connection"] = "close"
        due = time.monotonic()
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            due += self._pause_seconds
            event = self.lineup.message_event(f"r-{self._number}-{len(self.accepted) % 20}")
            url = f"{self.lineup.server.url}/api/v1/events"
            try:
                answer = session.post(url, json=event, timeout=SECONDS)
                assert answer.status_code == 201, answer.text
                self.accepted.append(event["id"])
            except Exception as error:
                self.failures.append(error)

    def end(self):
        self._ended.set()
        self.join(SECONDS)
        assert not self.is_alive()


class Traffic:
    """Within `with`: chatbots that post `a_second` events together; half keep their connections."""

    def __init__(self, lineup, a_second, count=12):
        pause = count / a_second
        self.chatbots = [Chatbot(lineup, each, pause, each % 2 == 0) for each in range(count)]

    def __enter__(self):
        for each in self.chatbots:
            each.start()
        self.goes_on()
        return self

    def __exit__(self, *error):
        for each in self.chatbots:
            each.end()

    def goes_on(self):
        """Waits until each chatbot has had some more events accepted."""
        counts = [len(each.accepted) for each in self.chatbots]
        wait_until(
            lambda: all(
                len(each.accepted) > count + 3
                for each, count in zip(self.chatbots, counts, strict=True)
            ),
            what="events being accepted",
        )

    @property
    def accepted(self):
        return [id for each in self.chatbots for id in each.accepted]

    @property
    def failures(self):
        return [error for each in self.chatbots for error in each.failures]
