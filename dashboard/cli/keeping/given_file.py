"""A file that a command reads."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from dashboard.cli.keeping.new_file import STANDARD
from dashboard.errors import StartError


@contextmanager
def given_file(name: str) -> Iterator[BinaryIO]:
    """The open file; `-` is standard input. Raises StartError where it cannot be read."""
    try:
        if name == STANDARD:
            yield sys.stdin.buffer
            return
        with open(name, "rb") as opened:
            yield opened
    except OSError as error:
        raise StartError(f"{name} cannot be read: {error.strerror or error}.") from error
