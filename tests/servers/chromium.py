"""Chromium: the path of its program, and the arguments that every test and bench passes."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.servers.programs import missing

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
#: The same engine without a browser's own windows, which are pages that take processor time. It
#: shows no notifications.
WINDOWLESS = ("chromium-headless-shell", "chrome-headless-shell")
#: In a closed network Chromium must not contact its vendor's hosts.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def program(names: Sequence[str] = PROGRAMS) -> str | None:
    """Returns the path of the installed Chromium; None if there is none."""
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def launched(
    playwright: Playwright,
    arguments: Sequence[str] = ARGUMENTS,
    names: Sequence[str] = WINDOWLESS + PROGRAMS,
) -> Iterator[Browser]:
    """Yields Chromium by the first of these names; without it fails in CI, else skips the test."""
    path = program(names)
    if path is None:
        missing(f"none of {', '.join(PROGRAMS)} on the PATH")
    browser = playwright.chromium.launch(executable_path=path, args=list(arguments))
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def running_chromium(arguments: Sequence[str] = ARGUMENTS) -> Iterator[Browser]:
    """Yields the same, with its own playwright."""
    with sync_playwright() as playwright, launched(playwright, arguments) as browser:
        yield browser
