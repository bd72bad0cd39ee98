"""Checks the request line before anything is routed: the method's spelling, and absolute URIs."""

from typing import Any

from dashboard.errors import Problem
from dashboard.web.http.origins import Origins


def check_request_line(environ: dict[str, Any], origins: Origins) -> None:
    """Makes an absolute URI of our own a path (RFC 9112, section 3.2.2).

    Raises Problem: 501 for a method that is not in capitals, for methods are case-sensitive and
    Werkzeug is not; 421 for a URI of another host; 404 for a path with doubled slashes.
    """
    if environ["REQUEST_METHOD"] != environ["REQUEST_METHOD"].upper():
        raise Problem(501, "method_not_implemented", "Methods are written in capitals.")
    path = environ.get("PATH_INFO", "")
    if not path.startswith("/"):
        environ["PATH_INFO"] = path = _own_path(path, environ, origins)
    if "//" in path:
        # Werkzeug leaves out the slashes in front, and redirects for others.
        raise Problem(404, "not_found", "There is nothing at this address.")


def _own_path(uri: str, environ: dict[str, Any], origins: Origins) -> str:
    """The path of an absolute URI; of anything else, such as `*`, the text itself."""
    scheme, found, rest = uri.partition("://")
    if not found:
        return uri
    authority, slash, path = rest.partition("/")
    # The answer names the path alone.
    environ["PATH_INFO"] = slash + path
    host = authority.lower()
    is_ours = origins.is_our_host(host) and environ.get("HTTP_HOST", "").lower() == host
    if scheme.lower() not in ("http", "https") or not is_ours:
        raise Problem(421, "misdirected_request", "This is not the host of that address.")
    return slash + path or "/"
