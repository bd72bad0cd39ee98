"""The messages of one demo conversation, and times as senders write them."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from demo.content import Phrases, pick

GREETED_SHARE = 0.35
EMOJI_SHARE = 0.06
#: Share of the answers that are about the topic, if they could also be general.
SPECIFIC_SHARE = 0.7
#: Share of the complaints about damage that come with a picture.
PICTURE_TOPIC = "damaged"
PICTURE_SHARE = 0.15

#: The role that writes a step, if the step is a message.
ROLES = {
    **dict.fromkeys(("ask", "client", "person", "thanks", "again", "spam"), "client"),
    **dict.fromkeys(("bot", "outreach", "passing_on"), "bot"),
    **dict.fromkeys(("admin", "note"), "admin"),
    "system": "system",
}
_START = datetime(1970, 1, 1, tzinfo=UTC)
_DRAWS = 5


class Conversation:
    """Keeps its topic and its sentences so far, so that answers fit and seldom repeat."""

    def __init__(self, random: Random, phrases: Phrases):
        self._random = random
        self._phrases = phrases
        self._topic = pick(random, phrases.topics)
        self._details = phrases.details(random)
        self._used: set[str] = set()
        self._answered = False

    def message(self, step: str) -> dict[str, Any]:
        """The fields of a message: type, role, body, and what else the step asks for."""
        role = ROLES[step]
        message: dict[str, Any] = {"type": "message", "role": role, "body": self._body(step)}
        if step == "note":
            message["private"] = True
        elif step == "ask" and self._shows_picture():
            message["attachments"] = [_picture(self._random)]
        if role != "system":
            self._answered = role != "client"
        return message

    def _body(self, step: str) -> str:
        text = self._sentence(step)
        if step == "ask":
            text = self._with_greeting(text)
        text = text.format(**self._details)
        return text[0].upper() + text[1:]

    def _sentence(self, step: str) -> str:
        for _ in range(_DRAWS):
            text = self._drawn(step)
            if text not in self._used:
                break
        self._used.add(text)
        return text

    def _drawn(self, step: str) -> str:
        topic = None
        if step == "ask" or (step in ("bot", "admin") and self._random.random() < SPECIFIC_SHARE):
            topic = self._topic
        elif step == "client":
            step = "replies" if self._answered else "follow_ups"
        return pick(self._random, self._phrases.lines(step, topic))

    def _with_greeting(self, text: str) -> str:
        if self._random.random() < GREETED_SHARE:
            text = self._phrases.greeted(self._random, text)
        if self._random.random() < EMOJI_SHARE:
            text += pick(self._random, self._phrases.emoji)
        return text

    def _shows_picture(self) -> bool:
        return self._topic == PICTURE_TOPIC and self._random.random() < PICTURE_SHARE


def iso(at_ms: int) -> str:
    """Milliseconds since 1970 as an RFC 3339 time in UTC."""
    return (_START + timedelta(milliseconds=at_ms)).isoformat(timespec="milliseconds")


def _picture(random: Random) -> dict[str, str]:
    name = f"photo-{random.randrange(1000, 9999)}.jpg"
    return {"url": f"https://shop.example/uploads/{name}", "type": "image/jpeg", "name": name}
