"""Many windows of many admins, over sockets that do no more than answer presence's pings."""

import asyncio
from collections.abc import Sequence

from bench.drive.wire import SocketIO
from dashboard.store import admins
from dashboard.store.database import Database
from dashboard.web.identity import COOKIE, Identities
from tests.live_server import SECRET_KEY

#: Sockets that connect at a time.
AT_ONCE = 50


def sign_in_all(database: Database, count: int, now_ms: int) -> dict[int, str]:
    """So many new admins: the ids, each with what the cookie of a session holds."""

    def write(connection) -> list[int]:
        return [
            admins.create(connection, f"crowd-{n}@example.com", f"Crowd {n}", "admin", "", now_ms)
            for n in range(count)
        ]

    identities = Identities(database, lambda: now_ms, SECRET_KEY)
    return {id: identities.begin(id) for id in database.write(write)}


async def come(url: str, cookies: Sequence[str]) -> list["Window"]:
    """A window for each cookie, all connected."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(cookie: str) -> Window:
        async with turn:
            window = Window(url, cookie)
            await window.link.connect()
            return window

    return list(await asyncio.gather(*map(one, cookies)))


class Window:
    """One socket that shows itself, and looks at nothing."""

    def __init__(self, url: str, cookie: str):
        headers = {"Cookie": f"{COOKIE}={cookie}", "Origin": url}
        self.link = SocketIO(url, "/admin", headers, self._hear)

    @property
    def is_cut(self) -> bool:
        return self.link.socket is None or self.link.socket.closed

    def _hear(self, content: bytes, acknowledge) -> None:
        if content.startswith(b'["presence:ping"'):
            self.link.emit("presence:pong", {"visible": True, "idle_ms": 0})
