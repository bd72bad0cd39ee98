"""Links between the Markdown files of the repository lead somewhere."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.repository import ROOT, written_files

_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|(?:src|href|srcset)=\"([^\"]+)\"")
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)?$", re.MULTILINE)
_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/")


def markdown_files() -> list[Path]:
    return list(written_files(".md"))


def anchors(path: Path) -> set[str]:
    """The fragments that a file's headings can be reached by, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    found: Counter[str] = Counter()
    made = set()
    for heading in _HEADING.findall(text):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        made.add(f"{slug}-{found[slug]}" if found[slug] else slug)
        found[slug] += 1
    return made | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def relative_links(path: Path) -> Iterator[tuple[Path, str]]:
    """(file, fragment or "") of each link that stays in the repository."""
    text = _CODE.sub("", path.read_text(encoding="utf-8"))
    for in_brackets, in_html in _LINK.findall(text):
        target = in_brackets or in_html
        if not _OUTSIDE.match(target):
            name, _, fragment = unquote(target).partition("#")
            yield (path.parent / name if name else path), fragment


@pytest.mark.parametrize("path", markdown_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_relative_links_lead_to_files_and_headings(path):
    for target, fragment in relative_links(path):
        assert target.exists(), f"{path.relative_to(ROOT)} links to {target}"
        assert ROOT in target.resolve().parents, f"{target} is outside of the repository"
        if fragment:
            assert fragment in anchors(target), f"{target} has no heading #{fragment}"
