"""Takes a picture of every state of the page, in both themes and three languages.

python -m tools.screenshots [--docs] [STATE …]    pictures in build/screens, with --docs in docs too
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
    parser.add_argument("--docs", action="store_true", help="the README's two pictures as well")
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
                        shoot(browser, stage, STATES["held"], theme, "en", ROOT / "docs" / name)
                take_all(browser, stage, given.states)
        redis.close()


def take_all(browser: Browser, stage: Stage, names: list[str]) -> None:
    for locale in LOCALES:
        for theme in THEMES:
            for name, state in STATES.items():
                if not names or name in names:
                    path = SCREENS / f"{name}-{theme}-{locale}.png"
                    shoot(browser, stage, state, theme, locale, path)
            for name, state in NARROW.items():
                if not names or name in names:
                    path = SCREENS / f"{name}-narrow-{theme}-{locale}.png"
                    shoot(browser, stage, state, theme, locale, path, PHONE)


def shoot(
    browser: Browser,
    stage: Stage,
    state: State,
    theme: str,
    locale: str,
    path: Path,
    viewport: dict[str, int] = WIDE,
) -> None:
    """One picture: the state is made in a window of its own."""
    stage.acts(stage.mai).prefer(theme=theme, locale=locale)
    desk = Desk(
        browser,
        stage.server,
        stage.mai,
        viewport=viewport,
        locale=locale,
        reduced_motion="reduce",
        color_scheme=theme,
    )
    try:
        state(desk, stage)
        path.parent.mkdir(parents=True, exist_ok=True)
        desk.page.screenshot(path=path)
        print(path.relative_to(ROOT), file=sys.stderr)
        if desk.errors:
            sys.exit(f"{path.name}: {desk.errors}")
    finally:
        desk.close()


if __name__ == "__main__":
    main()
