"""Which lists a thread is on: pages, and on each the filters that hold it."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from scoring.facts import Facts

#: Which threads a page holds.
PAGE_RULES: dict[str, Callable[[Facts], bool]] = {
    "arrival": lambda facts: not facts.closed,
    "not_respond": lambda facts: facts.waiting_since is not None,
    "history": lambda facts: facts.closed,
}
PAGES = tuple(PAGE_RULES)
FILTERS = ("all", "unassigned", "mine")


def tag(page: str, filter: str = "all", admin_id: int | None = None) -> str:
    """The name under which Redis keeps the lists of a page and filter: one hash tag each.

    `admin_id` is whose list `mine` is; the other filters take none of it.
    """
    if filter == "all":
        return page
    return f"{page}:unassigned" if filter == "unassigned" else f"{page}:mine:{admin_id}"


def pages_of(facts: Facts) -> tuple[str, ...]:
    """The pages that a thread is on, in the order of PAGES."""
    return tuple(page for page, holds in PAGE_RULES.items() if holds(facts))


@lru_cache(maxsize=4_096)
def tags_of(pages: tuple[str, ...], assignee_id: int | None) -> frozenset[str]:
    """All tags that a thread of these pages is on."""
    filter = "unassigned" if assignee_id is None else "mine"
    return frozenset(name for page in pages for name in (page, tag(page, filter, assignee_id)))


def tags(facts: Facts, assignee_id: int | None) -> frozenset[str]:
    """All tags that a thread is on: each page, with its `unassigned` or its assignee's `mine`."""
    return tags_of(pages_of(facts), assignee_id)


def all_tags(admin_ids: Iterable[int]) -> list[str]:
    """Every tag that may hold a thread, given who may be assigned one."""
    shared = [tag(page, filter) for page in PAGES for filter in ("all", "unassigned")]
    return shared + [tag(page, "mine", admin_id) for admin_id in admin_ids for page in PAGES]
