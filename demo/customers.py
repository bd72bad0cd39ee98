"""The demo's customers: who they are, as a function of a random seed and a number."""

from dataclasses import dataclass
from random import Random
from typing import Any

from demo.content import LOCALES, phrases
from scoring.conditions.subject import MEMBER_STATUSES

#: Most customers are not members, and few members are of the first tiers.
MEMBER_WEIGHTS = (55, 2, 4, 6, 9, 11, 13)
LOCALE_WEIGHTS = (40, 38, 22)
#: One customer in this many has an unusual name, and one in this many none.
RARE_NAME_EVERY = 25
NAMELESS_EVERY = 33
RAISED_SHARE = 0.05


@dataclass(frozen=True)
class Customer:
    """A customer; `former_status` is what the member status was before it was raised, if it was."""

    id: str
    name: str | None
    member_status: int
    locale: str
    former_status: int | None = None

    def facts(self, member_status: int | None = None) -> dict[str, Any]:
        """The `customer` of an event, with all that is known of the customer."""
        status = self.member_status if member_status is None else member_status
        facts = {"id": self.id, "member_status": status, "locale": self.locale}
        return facts if self.name is None else facts | {"name": self.name}


def customer(prefix: str, number: int, *, is_covering: bool = False) -> Customer:
    """The customer of this number, the same at each call.

    Where `is_covering`, member status and locale are taken in turn, so that a few have all.
    """
    random = Random(f"{prefix} customer {number}")
    [locale] = random.choices(LOCALES, LOCALE_WEIGHTS)
    [status] = random.choices(MEMBER_STATUSES, MEMBER_WEIGHTS)
    if is_covering:
        locale = LOCALES[number % len(LOCALES)]
        status = MEMBER_STATUSES[number % len(MEMBER_STATUSES)]
    is_raised = not is_covering and random.random() < RAISED_SHARE
    name = None
    if number % NAMELESS_EVERY != NAMELESS_EVERY - 1:
        is_rare = number % RARE_NAME_EVERY == RARE_NAME_EVERY - 1
        texts = phrases(locale)
        name = texts.rare_name(random) if is_rare else texts.name(random)
    others = [other for other in MEMBER_STATUSES if other != status]
    former = random.choice(others) if is_raised else None
    return Customer(f"{prefix}-c{number:06d}", name, status, locale, former)
