"""Demo conversations: customers, and the events of their threads as the bot API takes them."""

import math
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from demo.content import LOCALES, phrases
from demo.conversation import ROLES, Conversation, iso
from scoring.conditions.subject import MEMBER_STATUSES, PRIORITIES

SECOND_MS = 1000
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

#: Rounds of steps that continue a conversation: without an answer of an admin, and with one.
UNANSWERED = ("client", "client client", "client bot")
ANSWERED = (
    "client admin",
    "client client admin",
    "client bot client admin",
    "client admin admin",
    "client system admin",
)
#: How long ago the last step is, at least and at most.
_WAITING_MS = (MINUTE_MS, 4 * DAY_MS)
_ANSWERED_MS = (2 * MINUTE_MS, 21 * DAY_MS)
_CLOSED_MS = (10 * MINUTE_MS, 42 * DAY_MS)


class Scenario(NamedTuple):
    """The course of a conversation: the steps of `opening`, as many of `rounds` as are drawn, and
    `ending`. `share` is a weight among SCENARIOS."""

    name: str
    share: float
    age_ms: tuple[int, int]
    opening: str
    rounds: tuple[str, ...] = ()
    ending: str = ""

    @property
    def messages_min(self) -> int:
        """The number of messages without any round."""
        return sum(step in ROLES for step in f"{self.opening} {self.ending}".split())


#: 60 in 100 are open, and of these one in four waits for an answer. Their number is a prime, 17,
#: so that taking scenarios, locales, member statuses and priorities in turn combines all of them.
SCENARIOS = (
    Scenario("never answered", 5.5, _WAITING_MS, "ask", UNANSWERED),
    Scenario("bot answered", 2.5, _WAITING_MS, "ask bot", UNANSWERED),
    Scenario("handed off", 2.5, _WAITING_MS, "ask bot", UNANSWERED, "person passing_on handoff"),
    Scenario("handed off, no customer yet", 0.2, _WAITING_MS, "handoff"),
    Scenario("answered, wrote again", 2.8, _WAITING_MS, "ask admin", ANSWERED, "client"),
    Scenario("closed, wrote again", 1.0, _WAITING_MS, "ask admin", ANSWERED, "close again"),
    Scenario("close undone", 0.5, _WAITING_MS, "ask", UNANSWERED, "close reopen"),
    Scenario("answered", 36.0, _ANSWERED_MS, "ask", ANSWERED, "admin"),
    Scenario("answered with a note", 4.0, _ANSWERED_MS, "ask note", ANSWERED, "admin note"),
    Scenario(
        "handed off, answered", 2.0, _ANSWERED_MS, "ask bot person handoff", ANSWERED, "admin"
    ),
    Scenario("reopened, answered", 1.5, _ANSWERED_MS, "ask admin close reopen", ANSWERED, "admin"),
    Scenario("bot only", 1.5, _ANSWERED_MS, "outreach"),
    Scenario("resolved", 31.0, _CLOSED_MS, "ask", ANSWERED, "admin close"),
    Scenario("thanked and closed", 3.0, _CLOSED_MS, "ask", ANSWERED, "admin thanks close"),
    Scenario("closed with a note", 2.0, _CLOSED_MS, "ask note", ANSWERED, "admin close system"),
    Scenario("closed unanswered", 2.0, _CLOSED_MS, "spam", (), "close"),
    Scenario("closed twice", 2.0, _CLOSED_MS, "ask admin close reopen", ANSWERED, "admin close"),
)

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

#: At the demo's desk waits are of minutes, some of an hour: nobody waits among later threads, so
#: that the list is as long as a few admins can keep it.
DESK_WAITING_MS = (30 * SECOND_MS, 60 * MINUTE_MS)
DESK_WAITING_THREADS = 500
#: There customers write so often in a row without an answer, and with such pauses.
DESK_UNANSWERED_MAX = 4
DESK_PAUSE_MS = (5 * SECOND_MS, 2 * MINUTE_MS)

#: Most customers are not members, and few members are of the first tiers.
MEMBER_WEIGHTS = (55, 2, 4, 6, 9, 11, 13)
LOCALE_WEIGHTS = (40, 38, 22)
#: Of customers who are no members, of higher members and of lower ones.
PLANS = ("Free", "Plus", "Basic")
#: One customer in this many has an unusual name, and one in this many none.
RARE_NAME_EVERY = 25
NAMELESS_EVERY = 33
RAISED_SHARE = 0.05

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
_AT_REST = [scenario for scenario in SCENARIOS if scenario.age_ms != _WAITING_MS]
SHARES = [scenario.share for scenario in SCENARIOS]
_MESSAGES_MIN = sum(scenario.share * scenario.messages_min for scenario in SCENARIOS) / sum(SHARES)
_WITH_ROUNDS_SHARE = sum(scenario.share for scenario in _WITH_ROUNDS) / sum(SHARES)


class Customer(NamedTuple):
    """A customer; `former_status` is what the member status was before it was raised, if it was."""

    id: str
    name: str | None
    member_status: int
    locale: str
    former_status: int | None = None

    def facts(self, member_status: int | None = None) -> dict[str, Any]:
        """Returns the `customer` of an event, with all that is known of the customer."""
        status = self.member_status if member_status is None else member_status
        facts = {"id": self.id, "member_status": status, "locale": self.locale}
        facts["attributes"] = self._attributes(status)
        return facts if self.name is None else facts | {"name": self.name}

    def _attributes(self, status: int) -> dict[str, str]:
        """Returns what the shop's system knows of the customer, for the panel beside the thread."""
        orders = Random(f"{self.id} orders").randrange(0, 40)
        return {
            "Plan": PLANS[0] if status < 0 else PLANS[1 + status // 3],
            "Orders": str(orders),
            "Account": f"https://shop.example/customers/{self.id}",
        }


def customer(prefix: str, number: int, *, is_covering: bool = False) -> Customer:
    """Returns the customer of this number, the same at each call.

    If `is_covering`, member status and locale are taken in turn, so that a few have all.
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


class Story(NamedTuple):
    """One thread: its id, its scenario's name, its customer, and its events in time order."""

    thread: str
    scenario: str
    customer: Customer
    events: list[dict[str, Any]]


def story_prefix(messages: int, random_seed: int, *, at_desk: bool = False) -> str:
    """Returns the start of every id of these stories."""
    return f"{'desk' if at_desk else 'demo'}-{random_seed}-{messages}"


def stories(
    threads: int, messages: int, random_seed: int, now_ms: int, *, at_desk: bool = False
) -> Iterator[Story]:
    """Yields so many threads of about `messages` messages each (at least about 3).

    With `at_desk` few of them wait, and not for long: a few admins look after them.
    The same arguments give the same stories; a smaller `threads` gives the first of them. All times
    are counted back from `now_ms` and none is later, so that the same seed with another `now_ms`
    gives the same ids with other times.
    """
    prefix = story_prefix(messages, random_seed, at_desk=at_desk)
    drawn = messages - _MESSAGES_MIN - LONG_MESSAGES / LONG_EVERY
    extra = max(0.0, drawn / _WITH_ROUNDS_SHARE)
    for index in range(threads):
        yield StoryWriter(prefix, index, at_desk=at_desk).write(now_ms, extra)


class StoryWriter:
    """Writes the story of one number: draws its customer, its scenario, its times and its words.

    `locale` is the language of a customer who is known already.
    """

    def __init__(
        self, prefix: str, index: int, locale: str | None = None, *, at_desk: bool = False
    ):
        self.random = Random(f"{prefix} story {index}")
        self.thread = f"{prefix}-t{index:06d}"
        is_covering = index < COVERED_THREADS
        returns = not is_covering and index % RETURNING_EVERY == 0
        number = self.random.randrange(index) if returns else index
        self.customer = customer(prefix, number, is_covering=number < COVERED_THREADS)
        self.locale = locale or self.customer.locale
        self.former_status = None if returns else self.customer.former_status
        self.long = index % LONG_EVERY == LONG_FIRST
        if is_covering:
            self.priority = PRIORITIES[index % len(PRIORITIES)]
            self.scenario = SCENARIOS[index % len(SCENARIOS)]
        else:
            [self.priority] = self.random.choices(PRIORITIES, PRIORITY_WEIGHTS)
            scenarios = self.random.choices(SCENARIOS, SHARES) if not self.long else _WITH_ROUNDS
            self.scenario = self.random.choice(scenarios) if self.long else scenarios[0]
        self._at_desk = at_desk
        if at_desk and self._waits and (self.long or index >= DESK_WAITING_THREADS):
            weights = [scenario.share for scenario in _AT_REST]
            [self.scenario] = self.random.choices(_AT_REST, weights)
            self.long = self.long and bool(self.scenario.rounds)

    @property
    def _waits(self) -> bool:
        return self.scenario.age_ms == _WAITING_MS

    def write(self, now_ms: int, extra: float) -> Story:
        """Returns the story, with `extra` messages on average beside those that it needs."""
        steps = self._steps(extra)
        conversation = Conversation(self.random, phrases(self.locale))
        events: list[dict[str, Any]] = []
        facts: dict[str, Any] | None = self.customer.facts(self.former_status)
        times = self._times(steps, now_ms)
        for number, (step, at_ms) in enumerate(zip(steps, times, strict=True)):
            event: dict[str, Any] = {"id": f"{self.thread}:{number}", "occurred_at": iso(at_ms)}
            if step in ROLES:
                event["customer"] = facts or {"id": self.customer.id}
                facts = None
            events.append(event | self._content(step, conversation))
        events += self._tagged(times[-1] + 1)
        return Story(self.thread, self.scenario.name, self.customer, events)

    def _tagged(self, at_ms: int) -> Iterator[dict[str, Any]]:
        """Yields the tags at the end of some stories, drawn without any effect on the rest."""
        chances = Random(f"{self.thread} tags")
        if chances.random() < TAGGED_SHARE:
            tags = sorted(chances.sample(TAGS, chances.randint(1, TAGS_MAX)))
            event = {"id": f"{self.thread}:tags", "occurred_at": iso(at_ms)}
            yield event | {"type": "thread.tags", "thread": self.thread, "add": tags}

    def _steps(self, extra: float) -> list[str]:
        scenario, random = self.scenario, self.random
        long = LONG_MESSAGES - scenario.messages_min if self.long else 0
        length = (long or _geometric(random, extra)) if scenario.rounds else 0
        if self._at_desk and scenario.rounds is UNANSWERED:
            length = min(length, DESK_UNANSWERED_MAX)
        rounds: list[str] = []
        while len(rounds) < length:
            rounds += random.choice(scenario.rounds).split()
        steps = [*scenario.opening.split(), *rounds[:length], *scenario.ending.split()]
        if self.priority != "normal":
            steps.insert(random.randint(1, len(steps)), "priority")
        if self.former_status is not None and scenario.messages_min:
            steps.insert(random.randint(1, len(steps)), "customer")
        return steps

    def _times(self, steps: list[str], now_ms: int) -> list[int]:
        is_short = self._at_desk and self._waits
        age_ms = DESK_WAITING_MS if is_short else self.scenario.age_ms
        at_ms = now_ms - log_uniform(self.random, *age_ms)
        times = []
        for step in reversed(steps):
            times.append(at_ms)
            is_short = is_short and step not in ("admin", "again")
            gap_ms = DESK_PAUSE_MS if is_short else GAPS_MS.get(step, OTHER_GAP_MS)
            at_ms -= log_uniform(self.random, *gap_ms)
        return times[::-1]

    def _content(self, step: str, conversation: Conversation) -> dict[str, Any]:
        if step == "customer":
            return {"type": "customer", "customer": self.customer.facts()}
        if step in ROLES:
            return {"thread": self.thread} | conversation.message(step)
        event = {"type": f"thread.{step}", "thread": self.thread}
        return event | {"priority": self.priority} if step == "priority" else event


def _geometric(random: Random, mean: float) -> int:
    """Draws 0, 1, 2, … with this mean, small ones most often."""
    return int(random.expovariate(math.log1p(1 / mean))) if mean > 0 else 0


def log_uniform(random: Random, low: int, high: int) -> int:
    """Draws from `low` to `high`, as often below the geometric middle as above it."""
    return int(low * (high / low) ** random.random())
