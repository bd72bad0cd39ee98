"""Makes and restores backups, and compares all that databases and folders of files hold."""

import io
from pathlib import Path
from typing import Any

from sqlalchemy import MetaData, Table, insert, select

from dashboard.db import files as stored_files
from dashboard.db.accounts import api_keys, sessions
from dashboard.db.database import Database
from dashboard.db.files import StoredFile
from dashboard.db.lists import views
from dashboard.db.models.webhooks import webhooks
from dashboard.files.store import FileStore, new_id
from dashboard.ingest.actions import Actions, Admin
from dashboard.ingest.replies import Reply
from dashboard.ingest.snoozing import Snoozing
from dashboard.ingest.tagging import Tagging, TagNames
from dashboard.transfer.backups import ArchiveReader, BackupMaker, MadeBackup
from dashboard.transfer.restoring import Restored, Restorer
from tests.dashboard.ingest.shop import Shop, new_admin
from tests.drivers.audit import OPERATOR
from tests.support import SettableClock

DAY_MS = 24 * 3_600_000


class Place:
    """A database and a folder of files, to be backed up or restored into."""

    def __init__(self, database: Database, folder: Path, clock: SettableClock):
        self.database = database
        self.store = FileStore(folder / "files")
        self.clock = clock
        self.folder = folder

    def fill(self) -> "Place":
        """Fills nearly every table, and stores two files."""
        shop = Shop(self.database, self.clock)
        for number in range(30):
            thread, customer = f"t-{number % 7}", f"c-{number % 5}"
            shop.says(number * 1_000, f"Xin chào 配送 {number}", thread=thread, customer=customer)
        shop.does("thread.close", 40_000, thread="t-3")
        mai = Admin(new_admin(self.database, "Mai"), "Mai")
        files = [
            self.upload(1, mai.id, content) for content in (b"hello", bytes(range(256)) * 1_000)
        ]
        Actions(self.database, self.clock).reply(mai, 1, Reply("Chào\tbạn\n\\N", "x", files=files))
        Actions(self.database, self.clock).reply(mai, 2, Reply("Ghi chú", "y", private=True))
        Actions(self.database, self.clock).claim(mai, 2)
        Tagging(self.database, self.clock).change(mai, 3, TagNames(["vip"], []))
        Snoozing(self.database, self.clock).snooze(mai, 5, self.clock() + DAY_MS, "reply")
        hook = {"source_id": shop.source_id, "url": "https://bot.example", "secret": "s"}
        draft = views.Draft("Open", "is:open tag:vip", "arrival", "UTC", None)
        for write in (
            lambda c: sessions.begin(c, mai.id, self.clock()),
            lambda c: api_keys.create(c, shop.source_id, api_keys.SCOPES, None, 0),
            lambda c: c.execute(insert(webhooks).values(hook | {"created_at": 0})),
            lambda c: views.create(c, draft, mai.id, self.clock()),
        ):
            self.database.write(write)
        return self

    def upload(self, thread_id: int, admin_id: int, content: bytes) -> str:
        """Uploads a file of an admin for a thread; returns its id."""
        file = StoredFile(new_id(), thread_id, admin_id, "a.txt", "text/plain", len(content))
        with self.store.incoming() as folder:
            self.store.write(folder / "x", [content])
            self.store.keep(folder / "x", file.id)
        self.database.write(lambda c: stored_files.add(c, file, self.clock()))
        return file.id

    def back_up(self) -> tuple[bytes, MadeBackup]:
        out = io.BytesIO()
        folder = self.folder / "copies?%41"
        folder.mkdir(exist_ok=True)
        made = BackupMaker(self.database, self.store, self.clock).make(out, folder)
        for path in folder.iterdir():
            path.unlink()
        return out.getvalue(), made

    def restore(self, backup: bytes, *, force: bool = False) -> Restored:
        restorer = Restorer(self.database, self.store, self.clock, OPERATOR)
        return restorer.restore(ArchiveReader(io.BytesIO(backup), "x.backup"), force=force)

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Table to all of its rows, in an order."""
        with self.database.read() as connection:
            metadata = MetaData()
            metadata.reflect(connection)
            return {
                table.name: sorted(
                    map(_row, connection.execute(select(*_columns(table)))), key=repr
                )
                for table in metadata.sorted_tables
                if _is_compared(table.name)
            }

    def contents(self) -> dict[str, bytes]:
        """The id of each file to its content, without the remains of a killed process, which are
        removed a day later."""
        folder = self.folder / "files"
        return {
            path.name: path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and "incoming" not in path.relative_to(folder).parts
        }


#: The changes in the new life of a restored database: columns, and all rows of some tables.
CHANGED = {
    "threads": {"revision", "placed_revision"},
    "outgoing_head": {"position"},
    "views_version": {"version"},
    "sorts_version": {"token"},
}
REPLACED = ("sessions", "epochs", "audit_log")


def _is_compared(name: str) -> bool:
    # The tables in which SQLite keeps its index of words follow from the index itself.
    of_index = ("_data", "_idx", "_content", "_docsize", "_config")
    return not (name.startswith("sqlite_") or name.endswith(of_index) or name in REPLACED)


def _columns(table: Table) -> list[Any]:
    return [column for column in table.c if column.name not in CHANGED.get(table.name, ())]


def _row(row: Any) -> tuple[Any, ...]:
    return tuple(bytes(value) if isinstance(value, memoryview) else value for value in row)
