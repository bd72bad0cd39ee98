"""Events are posted at their rate, and a server that does not answer is detected."""

import asyncio

import pytest

from bench.drive import drivers, post
from bench.processes import BenchError
from tests.support import run_aside


async def posted(answer: bytes, **settings) -> dict:
    """Returns the driver's report on a server that gives this answer, or none if it is empty."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = int(head.lower().partition(b"content-length:")[2].split()[0])
            await reader.readexactly(length)
            writer.write(answer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    given = {"url": f"http://127.0.0.1:{port}", "threads": [1, 2], "run": "r", "seconds": 0.2}
    try:
        return await post.run(given | settings)
    finally:
        server.close()


CREATED = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"


def test_each_event_is_posted_once_and_timed():
    found = run_aside(posted(CREATED, rate=50))
    assert (found["count"], found["left"], found["refused"]) == (10, 0, 0)
    assert all(answered >= due for _, _, due, answered in found["posted"])


def test_what_has_no_answer_is_counted_and_not_waited_for_for_ever(monkeypatch):
    monkeypatch.setattr(post, "DRAIN_SECONDS", 0.1)
    found = run_aside(posted(b"", rate=50))
    assert (found["count"], found["left"]) == (0, 10)


@pytest.mark.parametrize("said", [{"left": 3}, {"refused": 2, "refusals": ["500 no"]}])
def test_a_driver_that_was_not_answered_is_an_error(monkeypatch, tmp_path, said):
    class Driver:
        def __init__(self, *given):
            self.stop = lambda: None

        def hear(self):
            return {"left": 0, "refused": 0} | said

    monkeypatch.setattr(drivers, "PythonDriver", Driver)
    with pytest.raises(BenchError):
        drivers.post({}, tmp_path / "log")
