"""The calls that the machine makes on a desk with queues."""

from collections import Counter
from typing import Protocol

from tests.dashboard.queues.record import Given, Queue, Returned


class Desk(Protocol):
    """A desk with queues, whatever stores it. Times are in milliseconds since its beginning."""

    def come(self, thread: int, kind: str, desk: str) -> None:
        """A customer begins a thread of this kind, which counts for its queues."""

    def act(self, what: str, thread: int) -> None:
        """`what`: write, answer, close, reopen, snooze or wake."""

    def set(self, admin: int, status: str | None, accepting: bool | None, capacity: int | None):
        """Changes what is not None of an admin."""

    def pull(self, admin: int) -> None:
        """The admin asks for the next thread."""

    def release(self, thread: int) -> None:
        """The admin who has the thread gives it back."""

    def open(self, thread: int) -> None:
        """The admin who was given the thread opens it."""

    def assign(self, thread: int, admin: int) -> None:
        """A supervisor assigns the thread by hand."""

    def work(self, worker: int) -> None:
        """A worker makes one step of its work; workers may stand between two steps."""

    def die(self, worker: int) -> None:
        """The worker ends between two steps; another one takes its place."""

    def advance(self, milliseconds: int) -> None:
        """Time passes."""

    def settle(self) -> None:
        """All that happens within a second."""

    def log(self) -> list[Given | Returned]:
        """What was handed out or came back, in order, as the acts say it."""

    def events(self) -> Counter[tuple[int, int]]:
        """How often the chatbots were told that a thread was handed out to an admin."""

    def assignees(self) -> dict[int, int]:
        """Threads to the admins who have them."""

    def order(self, queue: Queue) -> list[tuple[int, int | None]]:
        """The threads that a queue may hand out now, each with the time from which it waits."""
