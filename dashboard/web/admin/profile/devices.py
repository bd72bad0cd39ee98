"""What a browser calls itself, in words: its name and that of its system."""

import re

#: In this order: most browsers also name those that they descend from.
_BROWSERS = (
    ("Edge", re.compile(r"\bEdg(e|A|iOS)?/")),
    ("Opera", re.compile(r"\bOPR/")),
    ("Samsung Internet", re.compile(r"\bSamsungBrowser/")),
    ("Firefox", re.compile(r"\b(Firefox|FxiOS)/")),
    ("Chrome", re.compile(r"\b(Headless)?(Chrome|CriOS)/")),
    ("Safari", re.compile(r"\bVersion/\S+ (Mobile/\S+ )?Safari/")),
)
_SYSTEMS = (
    ("Windows", re.compile(r"\bWindows\b")),
    ("Android", re.compile(r"\bAndroid\b")),
    ("iOS", re.compile(r"\biP(hone|ad|od)\b")),
    ("macOS", re.compile(r"\bMac OS X\b")),
    ("ChromeOS", re.compile(r"\bCrOS\b")),
    ("Linux", re.compile(r"\bLinux\b")),
)


def browser_of(user_agent: str) -> str | None:
    return _first(_BROWSERS, user_agent)


def system_of(user_agent: str) -> str | None:
    return _first(_SYSTEMS, user_agent)


def _first(known: tuple[tuple[str, re.Pattern[str]], ...], user_agent: str) -> str | None:
    return next((name for name, pattern in known if pattern.search(user_agent)), None)
