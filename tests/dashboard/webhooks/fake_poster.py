"""Receivers of webhooks that are no servers: they answer as configured and keep the requests."""

import json
from collections.abc import Callable
from typing import Any

import jsonschema

from dashboard.web.bot.openapi import document
from dashboard.webhooks.http_client import Answer, Request

GOOD = Answer(200, None, "thanks")


def run_here(work: Callable[..., object], *given: object) -> object:
    """Runs the work at once, instead of spawning a green thread."""
    return work(*given)


class FakePoster:
    """Takes the place of a Poster; `answers` by address, first to last, then 200.

    A body that the OpenAPI document does not describe fails the test.
    """

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.got: list[tuple[str, Request]] = []

    def post(self, url: str, request: Request) -> Answer:
        _check_described(request)
        self.got.append((url, request))
        waiting = self.answers.get(url)
        return waiting.pop(0) if waiting else GOOD

    def will_answer(self, url: str, *answers: Answer | int) -> None:
        made = [Answer(each, None) if isinstance(each, int) else each for each in answers]
        self.answers.setdefault(url, []).extend(made)

    def bodies(self, url: str | None = None) -> list[dict[str, Any]]:
        """Returns the received bodies, of one address or of all."""
        return [json.loads(request.body) for to, request in self.got if url is None or to == url]


def _check_described(request: Request) -> None:
    body = json.loads(request.body)
    operation = document()["webhooks"][body["type"]]["post"]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    components = {"components": document()["components"]}
    jsonschema.Draft202012Validator(schema | components).validate(body)
