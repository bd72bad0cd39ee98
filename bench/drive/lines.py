"""Relays each dashboard over its own network line, with a bandwidth down to it and a round trip.

Runs as a process. The first line of its input holds the settings; it answers with one port per
dashboard. All connections to a port share its line. It models a bandwidth, a queue of bounded size
and a delay, but neither loss nor slow start, which would make large messages slower.
"""

import asyncio
import json
import socket
import sys
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit

#: Bytes in the queue in front of a line, as in a router.
QUEUE_BYTES = 64 * 1024
#: Time of the line that one piece takes: connections share the line in such turns.
TURN_SECONDS = 0.01


class Line(NamedTuple):
    """Bits per second down to the dashboard, and seconds of a round trip."""

    down: float
    round_trip: float


LINES = {
    "10 Mbit/s, 40 ms": Line(10e6, 0.04),
    "1.6 Mbit/s, 150 ms": Line(1.6e6, 0.15),
}


class Shaper:
    """Computes when bytes that enter a line now arrive. Times in seconds.

    Without a bandwidth (the way up) only the delay counts.
    """

    def __init__(self, delay: float, bytes_a_second: float | None = None):
        self._delay = delay
        self._seconds_a_byte = 1 / bytes_a_second if bytes_a_second else 0.0
        self._free_at = 0.0

    def take(self, size: int, now: float) -> tuple[float, float]:
        """Returns when the bytes arrive, and the pause until the queue has room again."""
        self._free_at = max(self._free_at, now) + size * self._seconds_a_byte
        waiting = self._free_at - now - QUEUE_BYTES * self._seconds_a_byte
        return self._free_at + self._delay, max(0.0, waiting)


class Relay:
    """The line of one dashboard to the server at `address`."""

    def __init__(self, line: Line, address: tuple[str, int]):
        self._line = line
        self._address = address
        self._down = Shaper(line.round_trip / 2, line.down / 8)
        self._up = Shaper(line.round_trip / 2)
        self._piece = int(line.down / 8 * TURN_SECONDS)

    async def serve(self) -> int:
        """Starts to listen; returns the port."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(self._line.round_trip)
        try:
            server = await asyncio.open_connection(sock=await self._connect(), limit=QUEUE_BYTES)
        except OSError:
            writer.transport.abort()
            return
        try:
            await asyncio.gather(
                _carry(server[0], writer, self._down, self._piece),
                _carry(reader, server[1], self._up, QUEUE_BYTES),
            )
        finally:
            writer.close()
            server[1].close()

    async def _connect(self) -> socket.socket:
        connection = socket.socket()
        # Otherwise the kernel would buffer megabytes that a real line had not delivered yet.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, QUEUE_BYTES)
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, self._address)
        return connection


async def _carry(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, shaper: Shaper, piece: int
) -> None:
    """Carries bytes until the end of `reader` or of `writer`."""
    clock = asyncio.get_running_loop().time
    under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def deliver() -> None:
        while True:
            at, content = await under_way.get()
            await asyncio.sleep(max(0.0, at - clock()))
            if not content:
                writer.close()
                return
            writer.write(content)

    delivering = asyncio.create_task(deliver())
    with suppress(ConnectionError):
        while content := await reader.read(piece):
            at, pause = shaper.take(len(content), clock())
            under_way.put_nowait((at, content))
            await asyncio.sleep(pause)
            if writer.is_closing():
                break
    under_way.put_nowait((shaper.take(0, clock())[0], b""))
    await delivering


async def _serve(settings: dict[str, Any]) -> list[int]:
    parts = urlsplit(settings["url"])
    address = (parts.hostname or "", parts.port or 80)
    line = LINES[settings["line"]]
    return [await Relay(line, address).serve() for _ in range(settings["dashboards"])]


async def main() -> None:
    loop = asyncio.get_running_loop()
    settings = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    print(json.dumps(await _serve(settings)), flush=True)
    # Ends together with the parent process.
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
