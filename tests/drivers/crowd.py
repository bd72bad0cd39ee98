"""Many windows of many admins: sockets that only answer presence pings."""

import asyncio
from collections.abc import Sequence

from bench.drive.wire import SocketIO
from dashboard.db.accounts import admins
from dashboard.db.database import Database
from dashboard.web.http.identity import COOKIE, Identities
from dashboard.web.http.origins import Origins
from tests.servers.lineup import SECRET_KEY

#: Sockets that connect at a time.
AT_ONCE = 50


def sign_in_all(database: Database, count: int, now_ms: int) -> dict[int, str]:
    """Creates `count` admins; the session cookie's value by admin id."""

    def write(connection) -> list[int]:
        return [
            admins.create(connection, f"crowd-{n}@example.com", f"Crowd {n}", "admin", "", now_ms)
            for n in range(count)
        ]

    identities = Identities(database, lambda: now_ms, SECRET_KEY, Origins((), 5000))
    return {id: identities.begin(id) for id in database.write(write)}


async def connect_all(url: str, cookies: Sequence[str]) -> list["WindowDriver"]:
    """Connects a window for each cookie; returns when all are connected."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(cookie: str) -> WindowDriver:
        async with turn:
            window = WindowDriver(url, cookie)
            await window.link.connect()
            return window

    return list(await asyncio.gather(*map(one, cookies)))


class WindowDriver:
    """One socket that sends presence and reads nothing."""

    def __init__(self, url: str, cookie: str):
        headers = {"Cookie": f"{COOKIE}={cookie}", "Origin": url}
        self.link = SocketIO(url, "/admin", headers, self._hear)

    @property
    def is_cut(self) -> bool:
        return self.link.socket is None or self.link.socket.closed

    def _hear(self, content: bytes, acknowledge) -> None:
        if content.startswith(b'["presence:ping"'):
            self.link.emit("presence:pong", {"visible": True, "idle_ms": 0})
