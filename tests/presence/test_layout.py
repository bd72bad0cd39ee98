"""The shape of the package: short jobs with a contract, Redis alone, no scans."""

import ast
import re
import sys
from importlib import resources
from pathlib import Path

import pytest

from lua_scripts.sources import read_lua
from presence.errors import InvalidName, UnknownValue
from presence.jobs import CLOCK, JOBS
from presence.keys import SHARDS, Space
from presence.timing import Timing
from tests.presence.world import World

HOME = Path(str(resources.files("presence")))
LUA = sorted(str(file.relative_to(HOME / "lua"))[:-4] for file in HOME.rglob("*.lua"))
MODULES = sorted(HOME.rglob("*.py"))


@pytest.mark.parametrize("name", LUA)
def test_a_lua_file_is_short_and_opens_with_its_contract(name: str) -> None:
    text = read_lua("presence", name)
    code = [line for line in text.splitlines() if line and not line.startswith("--")]
    assert len(code) <= 40
    if name in JOBS:
        assert text.startswith("-- Job: ")
        assert "KEYS:" in text and "ARGV:" in text
    else:
        assert text.startswith("-- Piece: ")


@pytest.mark.parametrize("name", LUA)
def test_nothing_scans_and_no_name_of_a_key_is_made_in_lua(name: str) -> None:
    """KEYS alone; no SCAN, no KEYS command, no EXPIRE of keys for each user. (B38)"""
    code = re.sub(r"--.*", "", read_lua("presence", name))
    assert not re.search(r"'(SCAN|HSCAN|ZSCAN|SSCAN|KEYS|EXPIRE|PEXPIRE|SETEX)'", code)
    call = r"redis\.p?call\('(?!TIME|PUBLISH)\w+', (?:'(?:DEL)?CONSUMERS?', )?([^,)]+)"
    for key in re.findall(call, code):
        assert re.fullmatch(r"[A-Z_]+|KEYS\[\w+\]|key|meta|events", key.strip()), key


@pytest.mark.parametrize("name", LUA)
def test_only_one_piece_reads_a_clock(name: str) -> None:
    """Only one piece reads a clock. (B18)"""
    assert ("'TIME'" in read_lua("presence", name)) == (name == CLOCK)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_the_package_stands_on_redis_alone_and_reads_no_clock(module: Path) -> None:
    """No SQL, no web, no clock, no threads of its own. (R13)"""
    names = set()
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    assert names <= {"redis", "presence", "lua_scripts"} | set(sys.stdlib_module_names)
    assert not names & {"time", "datetime", "threading", "asyncio", "random"}


def test_a_person_always_lives_in_the_same_shard_of_sixteen() -> None:
    """A person always lives in the same of 16 shards, whichever node holds it. (R12, R75, B35)"""
    space = Space("customer")
    assert SHARDS == 16 and space.shard_of("acme/c-7") == space.shard_of("acme/c-7")
    spread = [space.shard_of(f"acme/{number}") for number in range(1_600)]
    assert set(spread) == set(range(16)) and max(map(spread.count, range(16))) < 150
    assert {key.split("}")[0] for key in space.people(3)} == {"{pcustomer:3"}


def test_keys_are_a_fixed_number_however_many_people(world: World) -> None:
    """Keys are a fixed number however many people. (R71, R72)"""
    for number in range(300):
        world.open(str(number))
    keys: list[bytes] = world.client.keys("*")  # type: ignore[assignment]
    assert len(keys) <= 16 * len(world.people.space.people(0))


def test_all_times_keep_their_proportion_to_the_lifetime() -> None:
    """A lifetime outlasts three pings and the coalescing. (R3, T21)"""
    usual, short = Timing.from_ttl(90), Timing.from_ttl(9, idle_seconds=20)
    assert usual == Timing()
    assert (short.ttl_ms, short.ping_ms, short.dropped_grace_ms, short.page_closed_grace_ms) == (
        9_000, 2_500, 1_000, 500,
    )  # fmt: skip
    assert (short.coalesce_ms, short.idle_ms, short.typing_ms) == (1_000, 20_000, 6_000)
    for ttl in (4, 90, 3_600):
        Timing.from_ttl(ttl)
    with pytest.raises(UnknownValue):
        Timing(ping_ms=40_000)


def test_a_namespace_cannot_break_its_hash_tag() -> None:
    with pytest.raises(InvalidName):
        Space("a}b")
