"""Takes a picture of every state of the page, in both themes and three languages.

python -m tools.screenshots [STATE …]     pictures in build/screens
python -m tools.screenshots --docs        the two of docs/ alone
"""

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import ARGUMENTS, program
from tests.browser.desk import Desk
from tests.browser.stage import Stage
from tests.browser.states import NARROW, STATES, State, prepare
from tests.live_server import LiveServer
from tests.redis_server import start_redis

ROOT = Path(__file__).parents[1]
SCREENS = ROOT / "build" / "screens"
THEMES = ("light", "dark")
LOCALES = ("en", "vi", "ja")
WIDE = {"width": 1440, "height": 860}
PHONE = {"width": 390, "height": 780}
#: In docs/: [theme, file], for the README.
DOCS = (("light", "dashboard.png"), ("dark", "dashboard-dark.png"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", action="store_true", help="the README's two pictures alone")
    parser.add_argument("states", nargs="*", metavar="STATE")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lineup-") as folder:
        redis = start_redis(Path(folder))
        with LiveServer(f"sqlite:///{folder}/lineup.sqlite", redis.url) as server:
            stage = Stage(server, seeded=300)
            prepare(stage)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
                if given.docs:
                    for theme, name in DOCS:
                        shoot(browser, stage, theme, "en", {ROOT / "docs" / name: STATES["held"]})
                else:
                    take_all(browser, stage, given.states)
            stage.end()
        redis.close()


def take_all(browser: Browser, stage: Stage, names: list[str]) -> None:
    for locale in LOCALES:
        for theme in THEMES:
            for states, viewport, suffix in ((STATES, WIDE, ""), (NARROW, PHONE, "-narrow")):
                paths = {
                    SCREENS / f"{name}{suffix}-{theme}-{locale}.png": state
                    for name, state in states.items()
                    if not names or name in names
                }
                shoot(browser, stage, theme, locale, paths, viewport)


def shoot(
    browser: Browser,
    stage: Stage,
    theme: str,
    locale: str,
    states: dict[Path, State],
    viewport: dict[str, int] = WIDE,
) -> None:
    """A picture of each state, in one window."""
    stage.acts(stage.mai).prefer(theme=theme, locale=locale)
    look = {"locale": locale, "reduced_motion": "reduce", "color_scheme": theme}
    desk = Desk(browser, stage.server, stage.mai, viewport=viewport, **look)
    for path, state in states.items():
        desk.renew()
        state(desk, stage)
        path.parent.mkdir(parents=True, exist_ok=True)
        desk.page.screenshot(path=path)
        print(path.relative_to(ROOT), file=sys.stderr)
    desk.close()
    if desk.errors:
        sys.exit(f"{theme}, {locale}: {desk.errors}")


if __name__ == "__main__":
    main()
