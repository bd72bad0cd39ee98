"""A backup that is not as it was written is refused before anything is changed."""

import errno
import gzip
import io
import random
import shutil
import tarfile

import pytest
from sqlalchemy import inspect

from dashboard.errors import StartError
from dashboard.transfer.backups import ArchiveReader, ArchiveWriter
from tests.support import examples


@pytest.fixture
def any_database(database):
    """The protection of the file does not depend on the database."""
    return database


#: The beginning of a gzip file: its time and its system are no part of the content.
HEADER_BYTES = 10


def refused(place, backup: bytes) -> str:
    """Returns the sentence with which the backup is refused; nothing was changed."""
    with pytest.raises(StartError) as found:
        place.restore(backup)
    with place.database.read() as connection:
        assert inspect(connection).get_table_names() == []
    assert place.contents() == {}
    assert "\n" not in str(found.value)
    return str(found.value)


def test_a_flipped_bit_is_found_wherever_it_is(place):
    """Except where it changes nothing: compressed data can say the same in several ways."""
    backup, _ = place.fill().back_up()
    content, chosen, found = gzip.decompress(backup), random.Random(7), 0
    for _ in range(examples(400, gate=60)):
        spoiled = bytearray(backup)
        spoiled[chosen.randrange(HEADER_BYTES, len(backup))] ^= 1 << chosen.randrange(8)
        try:
            ArchiveReader(io.BytesIO(spoiled), "x.backup").verify()
        except StartError as error:
            assert "\n" not in str(error)
            found += 1
        else:
            assert gzip.decompress(spoiled) == content
    assert found > 30


def test_a_changed_byte_of_any_member_is_found_by_the_digest(place, new_place):
    """Also if the file was compressed again, so that its checksum is right."""
    backup, _ = place.fill().back_up()
    plain, other = gzip.decompress(backup), new_place()
    with tarfile.open(fileobj=io.BytesIO(plain)) as whole:
        members = whole.getmembers()
    assert [each.name.partition("/")[0] for each in members] == [
        "manifest.json", "database.sqlite", "files", "files", "sha256",
    ]  # fmt: skip
    for member in members:
        spoiled = bytearray(plain)
        spoiled[member.offset_data + member.size // 2] ^= 1
        assert refused(other, gzip.compress(bytes(spoiled), 1)).startswith("x.backup ")


def test_a_file_that_was_cut_off_is_found(place, new_place):
    backup, _ = place.fill().back_up()
    other = new_place()
    for length in (0, 5, HEADER_BYTES, 100, len(backup) // 2, len(backup) - 9, len(backup) - 1):
        assert refused(other, backup[:length]).startswith("x.backup is ")


def test_a_file_that_ends_after_a_whole_member_is_found(place, new_place):
    """Its compression is in order; but there is no digest at its end."""
    backup, _ = place.fill().back_up()
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(backup))) as whole:
        ends = [member.offset for member in whole.getmembers()][1:]
    for end in ends:
        shortened = gzip.compress(gzip.decompress(backup)[:end] + bytes(1024))
        assert "is damaged or cut off; nothing was changed." in refused(new_place(), shortened)


def test_what_is_no_backup_is_called_so(new_place):
    other = new_place()
    for content in (b"", b"hello", gzip.compress(b"hello"), gzip.compress(bytes(2048))):
        assert refused(other, content).startswith("x.backup is ")
    assert refused(other, b"no backup at all") == "x.backup is not a backup of Lineup."


@pytest.mark.parametrize("name", ["../../etc/passwd", "/tmp/x", "files/../x", "files/ABC", "other"])
def test_members_with_other_names_are_refused(place, new_place, name):
    out = io.BytesIO()
    writer = ArchiveWriter(out)
    manifest = ArchiveReader(io.BytesIO(place.back_up()[0]), "x").manifest()
    writer.add_text("manifest.json", manifest.model_dump_json())
    writer.add_text(name, "x")
    writer.close()
    assert "is damaged or cut off" in refused(new_place(), out.getvalue())


def test_a_backup_of_the_other_kind_of_database_is_refused(place, new_place):
    manifest = ArchiveReader(io.BytesIO(place.back_up()[0]), "x").manifest()
    other = "postgresql" if place.database.is_sqlite else "sqlite"
    out = io.BytesIO()
    writer = ArchiveWriter(out)
    changed = manifest.model_copy(update={"engine": other})
    writer.add_text("manifest.json", changed.model_dump_json())
    writer.close()
    assert "`export` and `import`" in refused(new_place(), out.getvalue())


def test_a_backup_of_another_format_is_refused(place, new_place):
    manifest = ArchiveReader(io.BytesIO(place.back_up()[0]), "x").manifest()
    out = io.BytesIO()
    writer = ArchiveWriter(out)
    changed = manifest.model_copy(update={"format": 2, "version": "9.0"})
    writer.add_text("manifest.json", changed.model_dump_json())
    writer.close()
    assert refused(new_place(), out.getvalue()) == (
        "x.backup was made by Lineup 9.0; restore it with that one."
    )


def test_a_disk_without_room_is_said_in_one_line(place, new_place, monkeypatch):
    backup, _ = place.fill().back_up()
    other = new_place()

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("dashboard.transfer.restoring.chunks", full)
    assert refused(other, backup).endswith("cannot be written: No space left on device.")


def test_a_folder_of_files_that_cannot_be_used_is_named(place, new_place):
    backup, _ = place.fill().back_up()
    other = new_place()
    (other.folder / "files").write_text("no folder")
    with pytest.raises(StartError, match=r"^LINEUP_FILES: .*/files cannot be used: File exists\.$"):
        other.restore(backup)
    id = min(place.contents())
    shutil.rmtree(place.folder / "files" / id[:2])
    (place.folder / "files" / id[:2]).write_text("no folder")
    with pytest.raises(StartError, match=f"^LINEUP_FILES: .*/{id} cannot be used: Not a directory"):
        place.back_up()
