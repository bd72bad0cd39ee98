"""Compiles SQL, Lua scripts and URL rules once a test process.

A program compiles them once. A test process makes a database, a Redis and an application for each
test, and each of them would compile all of its texts once more: a fifth of the time of all tests.
What is compiled depends on the text alone.
"""

from collections.abc import Iterator, MutableMapping
from copy import copy
from typing import Any

from fakeredis.commands_mixins.scripting_mixin import LUA_MODULE
from sqlalchemy import Engine
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule

#: More than the statements of all tests of a file. A migration's tables are held as long.
STATEMENTS_MAX = 2_000

#: The lists, maps and sets that a rule makes of its text.
_MADE = ("_parts", "_trace", "_converters", "arguments")

_LuaRuntime: Any = LUA_MODULE.LuaRuntime
_compile_rule = Rule.compile
_rules: dict[tuple[Any, ...], Rule] = {}
_statements: LRUCache[Any, Any] = LRUCache(STATEMENTS_MAX)


def install() -> None:
    Rule.compile = _compile_rule_once  # type: ignore[method-assign,assignment]
    shared = property(_statements_of, lambda engine, cache: None)
    Engine._compiled_cache = shared  # type: ignore[assignment]
    LUA_MODULE.LuaRuntime = CompilingOnce  # type: ignore[attr-defined]


def _compile_rule_once(rule: Rule) -> None:
    defaults = tuple(sorted((rule.defaults or {}).items()))
    converters = frozenset(rule.map.converters.items())
    key = (rule.rule, rule.subdomain, rule.host, rule.merge_slashes, defaults, converters)
    if key not in _rules:
        _compile_rule(rule)
        _rules[key] = rule
        return
    like = _rules[key]
    for name in _MADE:
        setattr(rule, name, copy(getattr(like, name)))
    rule._build = like._build.__func__.__get__(rule)  # type: ignore[attr-defined]
    rule._build_unknown = like._build_unknown.__func__.__get__(rule)  # type: ignore[attr-defined]


class StatementsOf(MutableMapping[Any, Any]):
    """The compiled statements of all engines of one kind, as SQLAlchemy asks for them.

    The first part of a key is the engine's dialect, which each engine has of its own.
    """

    def __init__(self, kind: type):
        self._kind = kind

    def _shared(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self._kind, *key[1:])

    def __getitem__(self, key: tuple[Any, ...]) -> Any:
        return _statements[self._shared(key)]

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        _statements[self._shared(key)] = compiled

    def __delitem__(self, key: tuple[Any, ...]) -> None:
        del _statements[self._shared(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter(_statements)

    def __len__(self) -> int:
        return len(_statements)


def _statements_of(engine: Engine) -> StatementsOf:
    return StatementsOf(type(engine.dialect))


class CompilingOnce(_LuaRuntime):
    """The Lua of one fakeredis. Its garbage is collected by itself, not after each script."""

    def __init__(self, *given: Any, **more: Any):
        super().__init__()
        self._scripts: dict[bytes | str, Any] = {}

    def execute(self, script: bytes | str, *given: Any) -> Any:
        if script == "collectgarbage()":
            return None
        if script not in self._scripts:
            self._scripts[script] = self.compile(script)
        return self._scripts[script](*given)
