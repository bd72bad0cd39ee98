"""The files that browsers load: the bundle of `tools/bundle.mjs`, or the source as it stands."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any
from wsgiref.headers import Headers

from flask import Flask
from whitenoise import WhiteNoise

from dashboard.errors import StartError
from dashboard.settings.environment import AssetMode

log = logging.getLogger(__name__)

_STATIC = "/static/"
_BUILD = "/static/build/"
#: The files of the source that stand for fonts of the bundle.
_FONTS = "vendor/inter/{}.woff2"
#: The import map of the source: names of packages to paths below static/.
_IMPORTS = {
    "lit-html": "vendor/lit-html/lit-html.js",
    "lit-html/": "vendor/lit-html/",
    "socket.io-client": "vendor/socket.io.js",
}


class Assets:
    """URLs of files by their names below `static/`.

    `beside` are the scripts that the dashboard's first script imports, `imports` is the import map;
    the bundle has no import map, and for the source the browser finds the scripts.
    """

    beside: tuple[str, ...] = ()
    imports: dict[str, str]

    def __init__(self, folder: Path, mode: AssetMode):
        """`folder` is `static/`; raises StartError if it holds no bundle and `mode` wants one.

        Logs a warning if the source changed after the bundle was built.
        """
        self._files: dict[str, str] | None = None
        self.imports = {}
        if mode == "source":
            self.imports = {name: _STATIC + path for name, path in _IMPORTS.items()}
            return
        manifest = folder / "build" / "manifest.json"
        try:
            made = json.loads(manifest.read_bytes())
        except FileNotFoundError:
            raise StartError(
                "The browser's files are not built: `make setup` builds them; "
                "LINEUP_ASSETS=source serves them as they stand in static/."
            ) from None
        if _newest(folder) > manifest.stat().st_mtime:
            log.warning("static/ is newer than its bundle: `make setup` builds it anew")
        self._files = made["files"]
        self.beside = tuple(_BUILD + name for name in made["beside"])

    def url(self, name: str) -> str:
        """The URL of a file such as `js/main.js`, or of a part of the font such as `fonts/latin`.

        Raises KeyError for a file that the bundle does not have.
        """
        if self._files is not None:
            return _BUILD + self._files[name]
        folder, _, font = name.partition("/")
        return _STATIC + (_FONTS.format(font) if folder == "fonts" else name)

    def install(self, app: Flask, headers: dict[str, str]) -> None:
        """Gives the templates `asset(name)` and `assets`; serves the bundle with `headers`.

        A file of the bundle is kept by browsers for good: its name changes with its content.
        """
        app.jinja_env.globals.update(asset=self.url, assets=self)
        if self._files is None:
            return

        def add_headers(answer: Headers, path: str, url: str) -> None:
            for name, value in headers.items():
                answer[name] = value

        files: Callable[..., Any] = WhiteNoise(
            app.wsgi_app,
            root=str(Path(str(app.static_folder)) / "build"),
            prefix=_BUILD,
            allow_all_origins=False,
            add_headers_function=add_headers,
            immutable_file_test=lambda path, url: not url.endswith("/manifest.json"),
        )
        app.wsgi_app = files  # type: ignore[method-assign]


def _newest(folder: Path) -> float:
    """When a file of the source was changed last, in seconds since 1970."""
    sources = (path for name in ("js", "css", "i18n") for path in (folder / name).rglob("*.*"))
    return max((path.stat().st_mtime for path in sources), default=0)
