"""The measures of the product's size: the numbers that tests hold, and the goals."""

from collections.abc import Callable
from typing import NamedTuple

from tools.house import prose, sources

#: Fewest modules of a folder of the product.
MODULES_MIN = 4


class Measure(NamedTuple):
    """A number that only falls: `held` is the lowest so far, which a test holds."""

    value: Callable[[], int]
    held: int
    goal: int


class Path(NamedTuple):
    """Most files, folders, functions and nested frames that one request may touch."""

    held: tuple[int, int, int, int]
    goal: tuple[int, int, int, int]


MEASURES = {
    "files": Measure(lambda: len(sources.product()), 375, 320),
    "folders": Measure(lambda: sources.folders_of(sources.product()), 37, 45),
    "lines": Measure(lambda: sources.lines_of(sources.product()), 69_713, 49_000),
    "modules with one importer": Measure(lambda: len(sources.modules_with_one_importer()), 57, 45),
    f"of these below {sources.SMALL_LINES} lines": Measure(
        lambda: len(sources.small_modules_with_one_importer()), 3, 0
    ),
    f"folders with fewer than {MODULES_MIN} modules": Measure(
        lambda: len(sources.folders_with_few_modules(MODULES_MIN)), 2, 0
    ),
    "lines of imports": Measure(sources.import_lines, 5_018, 3_300),
    "lines of wiring": Measure(sources.wiring_lines, 1_182, 550),
    "dict[str, Any]": Measure(sources.untyped_dicts, 44, 60),
    "page modules": Measure(lambda: len(sources.page_modules()), 163, 150),
    "lines of page modules": Measure(
        lambda: sources.lines_of(sources.page_modules()), 26_856, 19_500
    ),
    "names that page modules take from `parts`": Measure(sources.page_parts, 0, 0),
    "words of riddles in 10,000 words": Measure(lambda: round(prose.riddles()), 0, 6),
    "docstrings that begin with a clause": Measure(lambda: len(prose.clause_openings()), 0, 0),
}

WALKS = {
    "event": Path((55, 19, 308, 24), (40, 14, 170, 18)),
    "reply": Path((70, 20, 377, 20), (70, 19, 312, 20)),
    "sign-in": Path((22, 8, 99, 13), (25, 10, 99, 13)),
    "saved view": Path((39, 15, 230, 25), (42, 17, 230, 25)),
}
