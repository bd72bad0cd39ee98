"""The file of a backup: a compressed tar of a manifest, the database, files, and a digest of all.

`manifest.json` comes first, then `database.sqlite` or `tables/NAME`, then `files/ID`; `sha256` is
last, so a file that was cut off has none.
"""

import gzip
import hashlib
import io
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from dashboard.errors import StartError

#: Raised when a Lineup before it cannot read the file any more.
FORMAT = 1
#: zlib's quickest level: pictures and dumps gain little from a slower one.
COMPRESSION = 1
CHUNK_BYTES = 1024 * 1024
MANIFEST, SQLITE, DIGEST = "manifest.json", "database.sqlite", "sha256"
TABLES, FILES = "tables/", "files/"
_NAMES = re.compile(r"database\.sqlite|tables/[a-z_]{1,63}|files/[0-9a-f]{32}")
#: A manifest names tables and columns.
_SMALL_BYTES = 1024 * 1024
_FAULTS = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError)

Progress = Callable[[int], object]


class TableOf(BaseModel):
    """A table of PostgreSQL: its columns in order, and the last id that it gave out, if any."""

    model_config = ConfigDict(strict=True, frozen=True)

    name: str
    columns: list[str]
    last_id: int | None


class Manifest(BaseModel):
    """What a backup is of; `made_at` is RFC 3339, `revision` that of the schema."""

    model_config = ConfigDict(strict=True, frozen=True)

    format: int
    made_at: str
    version: str
    revision: str
    engine: Literal["sqlite", "postgresql"]
    tables: list[TableOf]


class ArchiveWriter:
    """Writes members in the order given; `close` completes the file."""

    def __init__(self, out: BinaryIO, progress: Progress = lambda count: None):
        self._zipped = gzip.GzipFile("", "wb", COMPRESSION, out, mtime=0)
        self._tar = tarfile.open(fileobj=self._zipped, mode="w|")  # noqa: SIM115
        self._digest = hashlib.sha256()
        self._progress = progress

    def add(self, name: str, content: BinaryIO, size: int) -> None:
        """Adds `size` bytes of `content`. Raises OSError, also where it has less."""
        self._digest.update(_heading(name, size))
        self._tar.addfile(_info(name, size), _Observed(content, self._observe))

    def add_text(self, name: str, text: str) -> None:
        data = text.encode()
        self.add(name, io.BytesIO(data), len(data))

    def close(self) -> None:
        self.add_text(DIGEST, self._digest.hexdigest())
        self._tar.close()
        self._zipped.close()

    def _observe(self, data: bytes) -> None:
        self._digest.update(data)
        self._progress(len(data))


class ArchiveReader:
    """Reads a file that can be read again; `name` is what errors call it."""

    def __init__(self, file: BinaryIO, name: str):
        self._file = file
        self._name = name

    def manifest(self) -> Manifest:
        """Raises StartError for what is no backup, and for one that this Lineup cannot read."""
        with self._errors():
            for name, _, content in self._members():
                if name == MANIFEST:
                    return self._parsed(content.read(_SMALL_BYTES))
                break
        raise self._no_backup()

    def verify(self, progress: Progress = lambda count: None) -> int:
        """Reads all of it; the number of files. Raises StartError where anything is not as it was
        written."""
        digest = hashlib.sha256()
        files, last, stated = 0, "", ""
        with self._errors():
            for name, size, content in self._members():
                last = name
                if name == DIGEST:
                    stated = content.read(_SMALL_BYTES).decode("ascii", "replace")
                    continue
                files += name.startswith(FILES)
                digest.update(_heading(name, size))
                for data in chunks(content):
                    digest.update(data)
                    progress(len(data))
        if last != DIGEST or stated != digest.hexdigest():
            raise self._damaged()
        return files

    def contents(self) -> Iterator[tuple[str, BinaryIO]]:
        """The members between manifest and digest, each to be read before the next one."""
        with self._errors():
            for name, _, content in self._members():
                if name not in (MANIFEST, DIGEST):
                    yield name, content

    def _members(self) -> Iterator[tuple[str, int, BinaryIO]]:
        self._file.seek(0)
        with (
            gzip.GzipFile(fileobj=self._file, mode="rb") as unzipped,
            tarfile.open(fileobj=unzipped, mode="r|") as tar,
        ):
            for at, info in enumerate(tar):
                is_known = info.name in (MANIFEST, DIGEST) or _NAMES.fullmatch(info.name)
                if not is_known or not info.isreg() or (at == 0) != (info.name == MANIFEST):
                    raise self._no_backup() if at == 0 else self._damaged()
                content = tar.extractfile(info)
                assert content is not None, "regular files have a content"
                yield info.name, info.size, content  # type: ignore[misc]
                # Else the last one would stay in memory as the list of members grows.
                tar.members = []  # type: ignore[attr-defined]
            # The checksum stands at the end of what is compressed.
            while unzipped.read(CHUNK_BYTES):
                pass

    def _parsed(self, data: bytes) -> Manifest:
        try:
            manifest = Manifest.model_validate_json(data)
        except ValidationError:
            raise self._no_backup() from None
        if manifest.format != FORMAT:
            raise StartError(
                f"{self._name} was made by another Lineup ({manifest.version}); use that one."
            )
        return manifest

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except gzip.BadGzipFile as error:
            # Raised for a wrong beginning as well as for a wrong checksum.
            raise (self._no_backup() if "Not a gzip" in str(error) else self._damaged()) from error
        except _FAULTS as error:
            raise self._damaged() from error
        except OSError as error:
            raise StartError(f"{self._name} cannot be read: {error.strerror or error}.") from error

    def _no_backup(self) -> StartError:
        return StartError(f"{self._name} is no backup of Lineup.")

    def _damaged(self) -> StartError:
        return StartError(f"{self._name} is damaged or cut off; nothing was changed.")


class _Observed:
    """A file that also passes its bytes on as they are read."""

    def __init__(self, content: BinaryIO, observe: Callable[[bytes], object]):
        self._content = content
        self._observe = observe

    def read(self, size: int = -1) -> bytes:
        data = self._content.read(size)
        self._observe(data)
        return data


def chunks(content: IO[Any]) -> Iterator[bytes]:
    """The bytes of a file, piece by piece."""
    while data := content.read(CHUNK_BYTES):
        yield data


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


def _heading(name: str, size: int) -> bytes:
    return f"{name} {size}\n".encode()
