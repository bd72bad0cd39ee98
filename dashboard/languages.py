"""The languages of the pages: selection for a browser, and the texts that the server renders."""

import json
from functools import cache
from typing import Any

from flask import request

from dashboard import ROOT

LOCALES = ("en", "vi", "ja")
#: Cookie with the language that an admin chose, for pages that are shown without a session.
LOCALE_COOKIE = "lineup_locale"
_TEXTS = ROOT / "static" / "i18n"


def browsers_locale() -> str:
    """Returns the language of LOCALES that the request's browser prefers; "en" if it names none."""
    return request.accept_languages.best_match(LOCALES, "en")


def preferred_locale() -> str:
    """Returns the language chosen in the request's browser, else the one that it prefers."""
    chosen = request.cookies.get(LOCALE_COOKIE, "")
    return chosen if chosen in LOCALES else browsers_locale()


@cache
def page_texts(locale: str) -> dict[str, Any]:
    """Maps keys to texts of the dashboard, or to objects of plural forms."""
    by_key: dict[str, Any] = json.loads((_TEXTS / f"{locale}.json").read_text(encoding="utf-8"))
    return by_key


@cache
def texts(locale: str) -> dict[str, str]:
    """Maps keys to texts in one of LOCALES: pages without a session, and reasons of refusals."""
    refusals = {key: text for key, text in page_texts(locale).items() if key.startswith("error.")}
    path = _TEXTS / "login" / f"{locale}.json"
    return refusals | json.loads(path.read_text(encoding="utf-8"))


def refusal(locale: str, *keys: str) -> str:
    """Returns the first of these texts that exists, else a general one: the reason of a refusal."""
    by_key = texts(locale)
    return next((by_key[key] for key in keys if key in by_key), by_key["error.other"])
