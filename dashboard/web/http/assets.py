"""The files that browsers load: the bundle of `tools/bundle.mjs`, or the plain source."""

import json
import logging
import re
from mimetypes import guess_type
from pathlib import Path
from wsgiref.types import WSGIEnvironment

from flask import Flask, Response, request, send_file

from dashboard.errors import NotFound, StartError
from dashboard.settings import AssetMode

log = logging.getLogger(__name__)

_STATIC = "/static/"
_BUILD = "/static/build/"
#: The source files of the bundle's fonts.
_FONTS = "vendor/inter/{}.woff2"
#: The import map of the source: names of packages to paths below static/.
_IMPORTS = {
    "lit-html": "vendor/lit-html/lit-html.js",
    "lit-html/": "vendor/lit-html/",
    "socket.io-client": "vendor/socket.io.js",
    "uplot": "vendor/uplot.js",
}
_YEAR_SECONDS = 31_536_000
#: The encodings of the bundle, the smallest first, with the suffixes of their files.
_ENCODINGS = {"br": ".br", "gzip": ".gz"}
_RANGE = re.compile(r"bytes=(?:([0-9]{1,15})-([0-9]{0,15})|-[0-9]{1,15})")


class Assets:
    """URLs of files by their names below `static/`.

    `imports` is the import map. The bundle has none; for the source the browser finds the scripts.
    """

    imports: dict[str, str]

    def __init__(self, folder: Path, mode: AssetMode):
        """`folder` is `static/`. Raises StartError if `mode` needs a bundle that it does not hold,
        or the source, which an installed Lineup lacks.

        Logs a warning if the source changed after the bundle was built.
        """
        self._files: dict[str, str] | None = None
        self.imports = {}
        has_source = (folder / "js" / "main.js").is_file()
        if mode == "source":
            if not has_source:
                raise StartError("LINEUP_ASSETS=source needs a checkout of Lineup.")
            self.imports = {name: _STATIC + path for name, path in _IMPORTS.items()}
            return
        manifest = folder / "build" / "manifest.json"
        try:
            files = json.loads(manifest.read_bytes())["files"]
        except FileNotFoundError:
            raise StartError(
                "The browser's files are not built: `make setup` builds them; "
                "LINEUP_ASSETS=source serves them as they stand in static/."
            ) from None
        if has_source and _newest(folder) > manifest.stat().st_mtime:
            log.warning("static/ is newer than its bundle: `make setup` rebuilds it")
        self._files = files

    def url(self, name: str) -> str:
        """Returns the URL of a file such as `js/main.js`, or of a part of the font: `fonts/latin`.

        Raises KeyError for a file that the bundle does not have.
        """
        if self._files is not None:
            return _BUILD + self._files[name]
        folder, _, font = name.partition("/")
        return _STATIC + (_FONTS.format(font) if folder == "fonts" else name)

    def install(self, app: Flask) -> None:
        """Gives the templates `asset(name)` and `assets`; serves the bundle.

        Browsers cache a file of the bundle for good: its name changes with its content.
        """
        app.jinja_env.globals.update(asset=self.url, assets=self)
        app.before_request(lambda: drop_unusable_range(request.environ))
        if self._files is None:
            return
        folder = Path(str(app.static_folder)) / "build"
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}

        @app.get(f"{_BUILD}<path:name>")
        def bundled(name: str) -> Response:
            if name not in names:
                raise NotFound("There is no such file.")
            return _encoded(folder, name, names)


def _encoded(folder: Path, name: str, names: set[str]) -> Response:
    """Returns a file of the bundle in the client's preferred encoding; each has its own ETag."""
    kinds = [kind for kind, end in _ENCODINGS.items() if name + end in names]
    liked = [kind for kind in kinds if request.accept_encodings.quality(kind) > 0]
    kind = max(liked, key=request.accept_encodings.quality, default=None)
    response = send_file(
        folder / (name + _ENCODINGS[kind] if kind else name),
        mimetype=guess_type(name)[0],
        conditional=True,
        max_age=_YEAR_SECONDS,
    )
    response.cache_control.immutable = True
    # Caches need it only for answers to requests with `Authorization`.
    response.cache_control.public = False
    if kind:
        response.content_encoding = kind
    if kinds:
        response.vary.add("Accept-Encoding")
    return response


def drop_unusable_range(environ: WSGIEnvironment) -> None:
    """Drops a range that must be ignored (RFC 9110, sections 13.2.2 and 14.2): all is sent.

    Keeps a single range of bytes, if the request compares nothing or a strong ETag.
    """
    text = environ.get("HTTP_RANGE")
    if text is None:
        return
    match = _RANGE.fullmatch(text)
    is_range = match is not None and not (match[2] and int(match[2]) < int(match[1]))
    is_strong = environ.get("HTTP_IF_RANGE", '"').startswith('"')
    is_read = environ["REQUEST_METHOD"] == "GET" and "HTTP_IF_NONE_MATCH" not in environ
    if not (is_range and is_strong and is_read):
        del environ["HTTP_RANGE"]


def _newest(folder: Path) -> float:
    """Returns the time of the last change of a source file, in seconds since 1970."""
    sources = (path for name in ("js", "css", "i18n") for path in (folder / name).rglob("*.*"))
    return max((path.stat().st_mtime for path in sources), default=0)
