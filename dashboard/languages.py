"""The languages of the pages: which one a browser gets, and the texts that the server renders."""

import json
from functools import cache
from typing import Any

from flask import request

from dashboard.settings.environment import ROOT

LOCALES = ("en", "vi", "ja")
#: Cookie with the language that an admin chose, for pages that are shown without a session.
LOCALE_COOKIE = "lineup_locale"
_TEXTS = ROOT / "static" / "i18n"


def browsers_locale() -> str:
    """The language of LOCALES that the request's browser prefers; "en" where it names none."""
    return request.accept_languages.best_match(LOCALES, "en")


def preferred_locale() -> str:
    """The language that was chosen in the request's browser, else the one that it prefers."""
    chosen = request.cookies.get(LOCALE_COOKIE, "")
    return chosen if chosen in LOCALES else browsers_locale()


@cache
def page_texts(locale: str) -> dict[str, Any]:
    """Key to text, or to an object of plural forms: what the dashboard says."""
    found: dict[str, Any] = json.loads((_TEXTS / f"{locale}.json").read_text(encoding="utf-8"))
    return found


@cache
def texts(locale: str) -> dict[str, str]:
    """Key to text in one of LOCALES: the pages without a session, and the reasons of refusals."""
    refusals = {key: text for key, text in page_texts(locale).items() if key.startswith("error.")}
    path = _TEXTS / "login" / f"{locale}.json"
    return refusals | json.loads(path.read_text(encoding="utf-8"))


def refusal(locale: str, *keys: str) -> str:
    """The first of these texts that there is, else a general one: why something was refused."""
    known = texts(locale)
    return next((known[key] for key in keys if key in known), known["error.other"])
