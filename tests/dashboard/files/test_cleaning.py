"""Files that were never attached, and those that a crash left over, are removed."""

import os
import time
from pathlib import Path

import pytest
from sqlalchemy import select, update

from dashboard.db.models.accounts import sources
from dashboard.db.models.threads import files
from dashboard.files import uploads
from dashboard.files.store import ABANDONED_MS, OWNER, SUBFOLDERS, UNKNOWN_SECONDS, FileCleaner
from tests.dashboard.web.admin.calls import API, reply
from tests.dashboard.web.admin.files.calls import stored, uploaded
from tests.drivers.application import ApplicationDriver


@pytest.fixture
def dashboard(any_database, clock, tmp_path) -> ApplicationDriver:
    return ApplicationDriver(any_database, clock, tmp_path)


@pytest.fixture
def mai(dashboard):
    return dashboard.sign_in("Mai")


@pytest.fixture
def thread(dashboard) -> int:
    return dashboard.say("t-1")


@pytest.fixture
def clean(dashboard):
    """Looks through everything; `later_s`: seconds that the file system's clock has advanced."""

    def run(later_s: float = 0.0) -> None:
        services = dashboard.services
        cleaner = FileCleaner(
            services.database, services.file_store, services.clock, lambda: time.time() + later_s
        )
        for _ in range(SUBFOLDERS):
            cleaner.step()

    return run


def rows(dashboard) -> list[str]:
    with dashboard.database.read() as connection:
        return sorted(connection.scalars(select(files.c.id)))


def test_what_is_in_no_message_after_a_day_goes_and_what_was_sent_stays(
    dashboard, mai, thread, clean
):
    sent, abandoned = uploaded(mai, thread), uploaded(mai, thread)
    reply(mai, thread, files=[sent])
    dashboard.clock.advance(ABANDONED_MS)
    clean()
    assert rows(dashboard) == stored(dashboard) == sorted([sent, abandoned])
    dashboard.clock.advance(1)
    young = uploaded(dashboard.sign_in("Ken"), thread)
    clean()
    assert rows(dashboard) == stored(dashboard) == sorted([sent, young])


def test_a_content_whose_row_was_never_written_goes_after_an_hour(
    dashboard, mai, thread, clean, monkeypatch
):
    """A process that dies between the file and the row."""
    kept = uploaded(mai, thread)
    reply(mai, thread, files=[kept])
    store = dashboard.services.file_store

    def die(*given):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(uploads.Uploads, "_add", die)
        with pytest.raises(SystemExit):
            uploaded(mai, thread)
    assert len(stored(dashboard)) == 2, "the content is there without a row"
    clean()
    assert len(stored(dashboard)) == 2, "it may belong to an upload under way"
    clean(UNKNOWN_SECONDS + 60)
    assert stored(dashboard) == rows(dashboard) == [kept]
    assert store.open(kept).read() == b"hello"


def test_a_content_whose_row_was_removed_goes_after_an_hour(
    dashboard, mai, thread, clean, monkeypatch
):
    """A process that dies between the row and the file."""
    id = uploaded(mai, thread)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", lambda self: (_ for _ in ()).throw(OSError()))
        assert mai.delete(f"{API}/files/{id}").status_code == 204
    assert (rows(dashboard), stored(dashboard)) == ([], [id])
    clean(UNKNOWN_SECONDS + 60)
    assert stored(dashboard) == []


def test_what_was_not_received_to_its_end_goes_after_an_hour(dashboard, clean):
    """A process that dies while a file comes."""
    folder = dashboard.services.settings.files / "incoming" / ("a" * 32)
    folder.mkdir(parents=True)
    (folder / "received").write_bytes(b"half")
    clean()
    assert stored(dashboard) == ["received"]
    clean(UNKNOWN_SECONDS + 60)
    assert stored(dashboard) == [] and not folder.exists()


def test_a_row_without_content_is_said_to_be_nothing(dashboard, mai, thread, clean):
    """As after restoring a database from before the backup of the files, or no files."""
    id = uploaded(mai, thread)
    reply(mai, thread, files=[id])
    os.unlink(dashboard.services.settings.files / id[:2] / id)
    assert mai.get(f"{API}/files/{id}").status_code == 404
    clean(UNKNOWN_SECONDS + 60)
    assert rows(dashboard) == [id]


def test_files_that_are_none_of_ours_are_left_alone(dashboard, mai, thread, clean):
    id = uploaded(mai, thread)
    for place in (id[:2], "incoming", "."):
        (dashboard.services.settings.files / place / "README").write_text("mine")
    clean(UNKNOWN_SECONDS + 60)
    assert stored(dashboard) == sorted(["README"] * 3 + [id])


def test_the_files_of_another_database_are_left_alone(dashboard, mai, thread, clean, caplog):
    """A new database, of a drill or a mistake, in whose rows there is none of these files."""
    kept = uploaded(mai, thread)
    reply(mai, thread, files=[kept])
    clean()
    write = dashboard.database.write
    write(lambda c: c.execute(update(files).values(id="f" * 32)))
    write(lambda c: c.execute(update(sources).values(created_at=sources.c.created_at + 1)))
    clean(UNKNOWN_SECONDS + 60)
    assert stored(dashboard) == [kept]
    assert caplog.text.count("LINEUP_FILES is the folder of another database") == 1
    (dashboard.services.settings.files / OWNER).unlink()
    clean(UNKNOWN_SECONDS + 60)
    assert stored(dashboard) == []
