"""Many windows of many admins, over sockets that do no more than answer presence's pings."""

import asyncio
from collections.abc import Sequence

from bench.drive.wire import SocketIO
from dashboard.store import admins, sessions
from dashboard.store.database import Database
from dashboard.web.identity import COOKIE

#: Sockets that connect at a time.
AT_ONCE = 50


def sign_in_all(database: Database, count: int, now_ms: int) -> dict[int, str]:
    """So many new admins: the ids, each with the token of a session."""

    def write(connection) -> dict[int, str]:
        ids = [
            admins.create(connection, f"crowd-{n}@example.com", f"Crowd {n}", "admin", "", now_ms)
            for n in range(count)
        ]
        return {id: sessions.begin(connection, id, now_ms) for id in ids}

    return database.write(write)


async def come(url: str, tokens: Sequence[str]) -> list["Window"]:
    """A window for each token, all connected."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(token: str) -> Window:
        async with turn:
            window = Window(url, token)
            await window.link.connect()
            return window

    return list(await asyncio.gather(*map(one, tokens)))


class Window:
    """One socket that shows itself, and looks at nothing."""

    def __init__(self, url: str, token: str):
        headers = {"Cookie": f"{COOKIE}={token}", "Origin": url}
        self.link = SocketIO(url, "/admin", headers, self._hear)

    @property
    def is_cut(self) -> bool:
        return self.link.socket is None or self.link.socket.closed

    def _hear(self, content: bytes, acknowledge) -> None:
        if content.startswith(b'["presence:ping"'):
            self.link.emit("presence:pong", {"visible": True, "idle_ms": 0})
