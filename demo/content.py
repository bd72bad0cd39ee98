"""The texts of the demo: names and sentences of a shop's support, in three languages."""

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from random import Random
from typing import Any

LOCALES = ("en", "vi", "ja")


class Phrases:
    """The names and sentences of one language, from `texts/LOCALE.json`.

    Sentences hold places such as `{order}`; `details` gives what fills them.
    """

    def __init__(self, texts: dict[str, Any]):
        self._texts = texts
        self._names = texts["names"]
        self.topics: tuple[str, ...] = tuple(texts["topics"])
        self.emoji: tuple[str, ...] = tuple(texts["emoji"])

    def name(self, random: Random) -> str:
        """A customer's name as it is written in this language."""
        family = pick(random, self._names["family"])
        return pick(random, self._names["patterns"]).format(
            given=pick(random, self._names["given"]),
            middle=pick(random, self._names.get("middle", ("",))),
            family=family,
            initial=family[0],
        )

    def rare_name(self, random: Random) -> str:
        """A name that is hard to lay out: right to left, very long, with combining marks, emoji."""
        return pick(random, self._names["rare"])

    def lines(self, kind: str, topic: str | None = None) -> Sequence[str]:
        """Returns the sentences of a step, of `replies` or `follow_ups`; or those on a topic."""
        return self._texts[kind] if topic is None else self._texts["topics"][topic][kind]

    def greeted(self, random: Random, text: str) -> str:
        greeting = pick(random, self._texts["greetings"])
        lowered = text[0].lower() + text[1:]
        pattern = self._texts["greeting"]
        for place, value in (("greeting", greeting), ("lowered", lowered), ("text", text)):
            pattern = pattern.replace(f"{{{place}}}", value)
        return pattern

    def details(self, random: Random) -> dict[str, Any]:
        """Draws the subject of one conversation: an order, a product, an amount, …"""
        product, other = random.sample(self._texts["products"], 2)
        amount = pick(random, self._texts["amounts"])
        return {
            "order": f"LN-{random.randrange(20_000, 99_999)}",
            "tracking": f"{pick(random, 'ABCDEFGH')}Q{random.randrange(10**8, 10**9)}",
            "code": f"{pick(random, ('HELLO', 'SPRING', 'VIP', 'BACK'))}{random.randrange(5, 60)}",
            "product": product,
            "other": other,
            "city": pick(random, self._texts["cities"]),
            "amount": amount.format(whole=random.randrange(12, 390)),
            "days": random.randrange(2, 15),
        }


@cache
def phrases(locale: str) -> Phrases:
    """Returns the phrases of one of LOCALES, read once."""
    return Phrases(_texts(locale))


def canned_replies() -> dict[str, str]:
    """Maps shortcuts to texts, with the places that the page fills in."""
    return _texts("canned")


def pick(random: Random, choices: Sequence[str]) -> str:
    # Three times faster than `choice`, and none of these lists is long enough to show a bias.
    return choices[int(random.random() * len(choices))]


def _texts(name: str) -> dict[str, Any]:
    file = resources.files(__package__) / "texts" / f"{name}.json"
    texts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return texts
