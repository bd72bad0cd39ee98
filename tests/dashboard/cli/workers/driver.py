"""Workers without processes, and a supervisor; the test moves its time."""

import signal

from dashboard.cli.serve import Workers


class FakeWorker:
    """A worker that becomes ready, and ends, when the test says so."""

    def __init__(self, part, clock):
        self.part, self.name = part, part.name
        self.clock = clock
        self.deadline = None
        #: The exit code, and whether it was read: an ended process that is not read stays a zombie.
        self.end, self.is_reaped = None, False
        self.ready = self.stopped = self.killed = False

    @property
    def exit_code(self):
        self.is_reaped = self.end is not None
        return self.end

    @exit_code.setter
    def exit_code(self, code):
        self.end = code

    def is_ready(self):
        return self.ready

    def expect_within(self, seconds):
        self.deadline = self.clock() + seconds

    @property
    def is_overdue(self):
        return self.deadline is not None and self.clock() > self.deadline

    def stop(self, seconds):
        self.expect_within(seconds)
        self.stopped = True

    def kill(self):
        self.killed, self.exit_code = True, -signal.SIGKILL


class Listener:
    is_open = True

    def fileno(self):
        return 5

    def close(self):
        self.is_open = False


class Service:
    """`count` workers under a supervisor; its time moves only by `pass_time`."""

    def __init__(self, count, folder):
        self.now = 1_000.0
        self.started = []
        self.cannot_start = False
        self.listener = Listener()
        self.workers = Workers(self._start, count, self.listener, lambda: self.now)
        self.workers._share(folder)
        self.look()
        self.make_ready()

    def _start(self, part):
        if self.cannot_start:
            raise OSError("cannot allocate memory")
        self.started.append(FakeWorker(part, lambda: self.now))
        return self.started[-1]

    def look(self, times=1):
        for _ in range(times):
            self.workers.look()

    def pass_time(self, seconds):
        self.now += seconds
        self.look()

    def make_ready(self):
        for each in self.started:
            each.ready = True

    def hang_up(self):
        """SIGHUP."""
        self.workers._replace_all(signal.SIGHUP, None)

    @property
    def running(self):
        return [each for each in self.started if each.exit_code is None]

    @property
    def serving(self):
        return [each for each in self.running if each.ready and not each.stopped]
