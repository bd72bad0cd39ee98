"""Opens files that a command reads or writes, and shows its progress."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from tqdm import tqdm

from dashboard.errors import StartError


@contextmanager
def given_file(name: str) -> Iterator[BinaryIO]:
    """Opens the file; `-` is standard input. Raises StartError if it cannot be read."""
    try:
        if name == STANDARD:
            yield sys.stdin.buffer
            return
        with open(name, "rb") as opened:
            yield opened
    except OSError as error:
        raise StartError(f"{name} cannot be read: {error.strerror or error}.") from error


#: Stands for standard input or output.
STANDARD = "-"


class NewFile(NamedTuple):
    """The open file, and a private folder on the same disk for temporary files."""

    out: BinaryIO
    folder: Path


@contextmanager
def new_file(name: str, *, force: bool) -> Iterator[NewFile]:
    """Writes to a temporary file, which becomes `name` at the end; only its owner can read it.

    Nothing is left if anything is raised. `-` is standard output. Raises StartError if the file
    exists, unless `force`, if it is a device or the like, and if it cannot be written.
    """
    try:
        if name == STANDARD:
            with tempfile.TemporaryDirectory(prefix="lineup-") as folder:
                yield NewFile(_standard_output(), Path(folder))
                sys.stdout.buffer.flush()
            return
        # A link stays: what it leads to is replaced.
        target = Path(os.path.realpath(name))
        if target.exists() and not (force and target.is_file()):
            raise _taken(name, target)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            written = Path(folder, "new")
            with os.fdopen(
                os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
            ) as out:
                yield NewFile(out, Path(folder))
                out.flush()
                os.fsync(out.fileno())
            _move(written, target, name, force)
    except OSError as error:
        raise StartError(f"{name} cannot be written: {error.strerror or error}.") from error


def _standard_output() -> BinaryIO:
    if sys.stdout.isatty():
        raise StartError("A terminal cannot show this; send it to a file or a program.")
    return sys.stdout.buffer


def _move(written: Path, target: Path, name: str, force: bool) -> None:
    if force:
        written.replace(target)
    else:
        try:
            # Unlike a rename, a link never replaces a file that was made in the meantime.
            os.link(written, target)
        except FileExistsError:
            raise _taken(name, target) from None
        except OSError:
            # Some disks do not support links.
            written.rename(target)
    with suppress(OSError):
        descriptor = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _taken(name: str, target: Path) -> StartError:
    if target.is_dir():
        return StartError(f"{name} is a folder.")
    if not target.is_file():
        return StartError(f"{name} is not a regular file; use - for standard output.")
    return StartError(f"{name} exists; --force replaces it.")


def progress_bar(what: str, **options: Any) -> tqdm:
    """Returns a bar on standard error if that is a terminal; takes the options of tqdm."""
    return tqdm(desc=what, delay=0.5, leave=False, disable=None, **options)


def progress_in_bytes(what: str, total: int | None = None) -> tqdm:
    return progress_bar(what, total=total, unit="B", unit_scale=True)
