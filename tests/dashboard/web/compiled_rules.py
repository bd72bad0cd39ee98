"""Compiles the URL rules of the application once a process, not once an application.

Werkzeug generates two functions for each rule when an application is made, which took a third of
that time; what it generates depends on the rule's text alone.
"""

from collections.abc import Callable
from typing import Any

from werkzeug.routing import Rule

_compile = Rule._compile_builder
_compiled: dict[tuple[Any, ...], Callable[..., Any]] = {}


def _compile_once(rule: Rule, append_unknown: bool = True) -> Callable[..., Any]:
    defaults = tuple(sorted((rule.defaults or {}).items()))
    key = (tuple(rule._trace), defaults, append_unknown)
    if key not in _compiled:
        _compiled[key] = _compile(rule, append_unknown)
    return _compiled[key]


def install() -> None:
    Rule._compile_builder = _compile_once  # type: ignore[method-assign]
