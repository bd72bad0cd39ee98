"""Demo conversations: each the events of one thread, as `POST /api/v1/events` takes them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from demo.content import phrases
from demo.conversation import ROLES, Conversation, iso
from demo.customers import Customer, customer
from demo.scenarios import DAY_MS, HOUR_MS, MINUTE_MS, SCENARIOS, Scenario
from scoring.conditions.subject import PRIORITIES

#: The first threads take scenarios, tiers, priorities and locales in turn, so that a small seed
#: has all of them; those that follow are drawn by their shares.
COVERED_THREADS = 2 * len(SCENARIOS)
PRIORITY_WEIGHTS = (4, 12, 74, 10)
TAGS = ("delivery", "refund", "vip", "invoice", "đổi-trả", "返品")
TAGGED_SHARE = 0.4
TAGS_MAX = 3
#: After those, one thread in this many is of a customer who has another one.
RETURNING_EVERY = 5
#: One thread in this many is long; the first of them comes late, so that small seeds have none.
LONG_EVERY = 500
LONG_FIRST = 350
LONG_MESSAGES = 200

SECOND_MS = 1000
#: Shortest and longest pause before a step.
GAPS_MS = {
    "ask": (20 * SECOND_MS, HOUR_MS),
    "bot": (SECOND_MS, 5 * SECOND_MS),
    "passing_on": (SECOND_MS, 5 * SECOND_MS),
    "handoff": (SECOND_MS, 3 * SECOND_MS),
    "admin": (MINUTE_MS, 8 * HOUR_MS),
    "again": (2 * HOUR_MS, 5 * DAY_MS),
    "close": (MINUTE_MS, 2 * DAY_MS),
    "reopen": (20 * SECOND_MS, 30 * MINUTE_MS),
}
OTHER_GAP_MS = (8 * SECOND_MS, 2 * HOUR_MS)

_WITH_ROUNDS = [scenario for scenario in SCENARIOS if scenario.rounds]
_SHARES = [scenario.share for scenario in SCENARIOS]
_MESSAGES_MIN = sum(scenario.share * scenario.messages_min for scenario in SCENARIOS) / sum(_SHARES)
_WITH_ROUNDS_SHARE = sum(scenario.share for scenario in _WITH_ROUNDS) / sum(_SHARES)


@dataclass(frozen=True)
class Story:
    """One thread: its id, its scenario's name, its customer, and its events in time order."""

    thread: str
    scenario: str
    customer: Customer
    events: list[dict[str, Any]]


def story_prefix(messages: int, random_seed: int) -> str:
    """The start of every id of these stories."""
    return f"demo-{random_seed}-{messages}"


def stories(threads: int, messages: int, random_seed: int, now_ms: int) -> Iterator[Story]:
    """That many threads of about `messages` messages each (at least about 3).

    The same arguments give the same stories, and fewer threads the first of them. All times are
    counted back from `now_ms` and none is later, so that the same seed with another `now_ms`
    gives the same ids with other times.
    """
    prefix = story_prefix(messages, random_seed)
    drawn = messages - _MESSAGES_MIN - LONG_MESSAGES / LONG_EVERY
    extra = max(0.0, drawn / _WITH_ROUNDS_SHARE)
    for index in range(threads):
        yield _StoryWriter(prefix, index, now_ms).write(extra)


class _StoryWriter:
    """Writes one story: draws its scenario, its times and its words."""

    def __init__(self, prefix: str, index: int, now_ms: int):
        self.random = Random(f"{prefix} story {index}")
        self.index = index
        self.now_ms = now_ms
        self.thread = f"{prefix}-t{index:06d}"
        returns = index >= COVERED_THREADS and index % RETURNING_EVERY == 0
        number = self.random.randrange(index) if returns else index
        self.customer = customer(prefix, number, is_covering=number < COVERED_THREADS)
        self.former_status = None if returns else self.customer.former_status
        self.priority = self._priority()
        self.long = index % LONG_EVERY == LONG_FIRST
        self.scenario = self._scenario()

    def write(self, extra: float) -> Story:
        steps = self._steps(extra)
        conversation = Conversation(self.random, phrases(self.customer.locale))
        events: list[dict[str, Any]] = []
        facts: dict[str, Any] | None = self.customer.facts(self.former_status)
        times = self._times(steps)
        for number, (step, at_ms) in enumerate(zip(steps, times, strict=True)):
            event: dict[str, Any] = {"id": f"{self.thread}:{number}", "occurred_at": iso(at_ms)}
            if step in ROLES:
                event["customer"] = facts or {"id": self.customer.id}
                facts = None
            events.append(event | self._content(step, conversation))
        events += self._tagged(times[-1] + 1)
        return Story(self.thread, self.scenario.name, self.customer, events)

    def _tagged(self, at_ms: int) -> Iterator[dict[str, Any]]:
        """Some threads have tags in the end, by chances that change nothing else of the story."""
        chances = Random(f"{self.thread} tags")
        if chances.random() < TAGGED_SHARE:
            tags = sorted(chances.sample(TAGS, chances.randint(1, TAGS_MAX)))
            event = {"id": f"{self.thread}:tags", "occurred_at": iso(at_ms)}
            yield event | {"type": "thread.tags", "thread": self.thread, "add": tags}

    def _scenario(self) -> Scenario:
        if self.index < COVERED_THREADS:
            return SCENARIOS[self.index % len(SCENARIOS)]
        if self.long:
            return self.random.choice(_WITH_ROUNDS)
        return self.random.choices(SCENARIOS, _SHARES)[0]

    def _priority(self) -> str:
        if self.index < COVERED_THREADS:
            return PRIORITIES[self.index % len(PRIORITIES)]
        return self.random.choices(PRIORITIES, PRIORITY_WEIGHTS)[0]

    def _steps(self, extra: float) -> list[str]:
        rounds = self._rounds(extra) if self.scenario.rounds else []
        steps = [*self.scenario.opening, *rounds, *self.scenario.ending]
        if self.priority != "normal":
            steps.insert(self.random.randint(1, len(steps)), "priority")
        if self.former_status is not None and self.scenario.messages_min:
            steps.insert(self.random.randint(1, len(steps)), "customer")
        return steps

    def _rounds(self, extra: float) -> list[str]:
        wanted = (
            LONG_MESSAGES - self.scenario.messages_min
            if self.long
            else _geometric(self.random, extra)
        )
        steps: list[str] = []
        while len(steps) < wanted:
            steps += self.random.choice(self.scenario.rounds)
        return steps[:wanted]

    def _times(self, steps: list[str]) -> list[int]:
        at_ms = self.now_ms - _log_uniform(
            self.random, self.scenario.youngest_ms, self.scenario.oldest_ms
        )
        times = []
        for step in reversed(steps):
            times.append(at_ms)
            at_ms -= _log_uniform(self.random, *GAPS_MS.get(step, OTHER_GAP_MS))
        return times[::-1]

    def _content(self, step: str, conversation: Conversation) -> dict[str, Any]:
        if step == "customer":
            return {"type": "customer", "customer": self.customer.facts()}
        if step == "priority":
            return {"type": "thread.priority", "thread": self.thread, "priority": self.priority}
        if step in ROLES:
            return {"thread": self.thread} | conversation.message(step)
        return {"type": f"thread.{step}", "thread": self.thread}


def _geometric(random: Random, mean: float) -> int:
    """0, 1, 2, … with this mean, small ones most often."""
    return int(random.expovariate(math.log1p(1 / mean))) if mean > 0 else 0


def _log_uniform(random: Random, low: int, high: int) -> int:
    """From `low` to `high`, as often below the geometric middle as above it."""
    return int(low * (high / low) ** random.random())
