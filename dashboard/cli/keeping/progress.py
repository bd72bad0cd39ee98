"""How far a command is, for who waits for it at a terminal."""

from typing import Any

from tqdm import tqdm


def progress_bar(what: str, **options: Any) -> tqdm:
    """A bar on standard error, where that is a terminal; `options` are those of tqdm."""
    return tqdm(desc=what, delay=0.5, leave=False, disable=None, **options)


def progress_in_bytes(what: str, total: int | None = None) -> tqdm:
    return progress_bar(what, total=total, unit="B", unit_scale=True)
