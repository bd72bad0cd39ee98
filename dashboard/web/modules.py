"""The scripts of a page: what its first module brings, so that the browser need not find out."""

import re
from functools import cache
from pathlib import Path, PurePosixPath

#: What the scripts call the modules that are not ours, as paths below static/.
IMPORTS = {
    "lit-html": "vendor/lit-html/lit-html.js",
    "lit-html/": "vendor/lit-html/",
    "socket.io-client": "vendor/socket.io.js",
}
#: What is imported or exported from elsewhere; `import("…")` is for later, and does not count.
_BROUGHT = re.compile(
    r"""(?:^|;)(?:import|export)\b(?:[^;"']*?\bfrom)?\s*"([^"]+)\"""", re.MULTILINE
)


@cache
def brought_by(static: Path, first: str) -> tuple[str, ...]:
    """Paths below `static` of all modules that `first` needs before it runs, nearest first."""
    found = [first]
    for path in found:
        text = (static / path).read_text(encoding="utf-8")
        for name in _BROUGHT.findall(text):
            brought = _path(path, name)
            if brought not in found:
                found.append(brought)
    return tuple(found[1:])


def _path(importer: str, name: str) -> str:
    if not name.startswith("."):
        known = max((known for known in IMPORTS if name.startswith(known)), key=len)
        return IMPORTS[known] + name.removeprefix(known)
    parts: list[str] = []
    for part in (PurePosixPath(importer).parent / name).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
