"""Takes a picture of every state of the page, in both themes and three languages.

python -m tools.screenshots [STATE …]     pictures in build/screens
python -m tools.screenshots --docs        only the two pictures of docs/
"""

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.states import NARROW, STATES, State, prepare
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver
from tests.servers.chromium import running_chromium
from tests.servers.lineup import LiveServer
from tests.servers.redis import start_redis

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "build" / "screens"
THEMES = ("light", "dark")
LOCALES = ("en", "vi", "ja")
WIDE = {"width": 1440, "height": 860}
PHONE = {"width": 390, "height": 780}
#: The pictures of the README in docs/: theme and file.
DOCS = (("light", "dashboard.png"), ("dark", "dashboard-dark.png"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", action="store_true", help="the README's two pictures alone")
    parser.add_argument("states", nargs="*", metavar="STATE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lineup-") as folder:
        redis = start_redis(Path(folder))
        with LiveServer(f"sqlite:///{folder}/lineup.sqlite", redis.url) as server:
            lineup = LineupDriver(server)
            lineup.seed(300)
            prepare(lineup)
            with running_chromium() as chromium:
                if given.docs:
                    for theme, name in DOCS:
                        shoot(chromium, lineup, theme, "en", {ROOT / "docs" / name: STATES["held"]})
                else:
                    take_all(chromium, lineup, given.states)
            lineup.disconnect()
        redis.close()


def take_all(chromium: Browser, lineup: LineupDriver, names: list[str]) -> None:
    for locale in LOCALES:
        for theme in THEMES:
            for states, viewport, suffix in ((STATES, WIDE, ""), (NARROW, PHONE, "-narrow")):
                paths = {
                    PICTURES / f"{name}{suffix}-{theme}-{locale}.png": state
                    for name, state in states.items()
                    if not names or name in names
                }
                shoot(chromium, lineup, theme, locale, paths, viewport)


def shoot(
    chromium: Browser,
    lineup: LineupDriver,
    theme: str,
    locale: str,
    states: dict[Path, State],
    viewport: dict[str, int] = WIDE,
) -> None:
    """Takes a picture of each state, in one window."""
    lineup.admin(lineup.mai_email).prefer(theme=theme, locale=locale)
    look = {"locale": locale, "reduced_motion": "reduce", "color_scheme": theme}
    browser = BrowserDriver(chromium, lineup.server, lineup.mai_email, viewport=viewport, **look)
    for path, state in states.items():
        browser.renew()
        state(browser, lineup)
        path.parent.mkdir(parents=True, exist_ok=True)
        browser.page.screenshot(path=path)
        print(path.relative_to(ROOT), file=sys.stderr)
    browser.close()
    if browser.errors:
        sys.exit(f"{theme}, {locale}: {browser.errors}")


if __name__ == "__main__":
    main()
