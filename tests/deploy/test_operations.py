"""The commands and calculations in docs/operations.md and docs/backup.md are right."""

import re

import pytest

from dashboard.cli.main import cli
from dashboard.db.postgres import POOL_SIZE
from presence.timing import LAST_SEEN_TTL_MS
from tests.repository import ROOT

RESULTS = (ROOT / "bench" / "results" / "README.md").read_text(encoding="utf-8")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
BACKUP = (ROOT / "docs" / "backup.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
UNIT = (ROOT / "deploy" / "lineup.service").read_text(encoding="utf-8")
_GB = 1e9


def row(part):
    """The cells of the one row of the plan that begins with this."""
    [found] = re.findall(rf"^\| {re.escape(part)} \| (.*) \|$", OPERATIONS, re.M)
    return [part, *re.split(r" *\| *", found)]


def number(text):
    return float(text.replace(",", ""))


def test_every_command_that_is_typed_exists():
    ran = re.findall(r"dc run .* lineup-1 ([a-z-]+)", OPERATIONS)
    typed = re.findall(r"app\.py ([a-z-]+)", OPERATIONS + BACKUP)
    assert {"backup", "restore", "check"} <= set(ran) and len(typed) > 5
    assert [name for name in (*ran, *typed) if name not in cli.commands] == []


def test_a_folder_for_backups_belongs_to_the_user_of_the_image():
    [uid] = re.findall(r"useradd .*--uid (\d+)", DOCKERFILE)
    assert f"install -d -o {uid} -m 0700 /var/backups/lineup" in OPERATIONS


def test_systemd_restores_as_the_user_of_the_unit_while_it_is_stopped():
    blocks = re.findall(r"^```sh\n(.*?)^```", OPERATIONS, re.M | re.S)
    (restore,) = (block for block in blocks if "app.py restore" in block)
    stop, *_, start = restore.splitlines()
    assert (stop, start) == ("systemctl stop lineup", "systemctl start lineup")
    [user] = re.findall(r"^User=(.*)$", UNIT, re.M)
    [settings] = re.findall(r"^EnvironmentFile=(.*)$", UNIT, re.M)
    assert f"--uid={user} " in restore and f"=EnvironmentFile={settings} " in restore


@pytest.mark.parametrize("text", [OPERATIONS, BACKUP], ids=["operations", "backup"])
def test_an_upgrade_is_a_backup_a_stop_and_then_the_new_release(text):
    steps = re.findall(r"^\d\. (.*)$", text[text.index("\n## Upgrad") :], re.M)
    backup, stop, *_ = steps
    assert "backup" in backup and stop.startswith("Stop")
    installs = [step for step in steps if "install" in step.lower()]
    assert installs and installs[0] is not backup


def test_the_commands_for_containers_are_in_that_order():
    upgrade = OPERATIONS[OPERATIONS.index("\n## Upgrade") :]
    commands = re.findall(r"^dc (\w+)(.*)$", upgrade[: upgrade.index("\n**Without")], re.M)
    assert [name for name, _ in commands] == ["run", "stop", "up", "up", "up", "run"]
    at = [upgrade.index(part) for part in (" backup /", "git pull && dc build", "dc stop", "dc up")]
    assert at == sorted(at)


def test_the_connections_of_a_worker_are_those_of_its_pool():
    of_a_worker = POOL_SIZE + POOL_SIZE // 2
    assert f"gets up to {of_a_worker} connections of each worker" in OPERATIONS
    _, arithmetic, needs, _ = row("connections to PostgreSQL")
    workers, each, machines, own = map(int, re.findall(r"\d+", arithmetic)[:4])
    assert each == of_a_worker
    served = workers * each + machines * own
    assert needs == f"{served}, then {served + machines * each}"


def test_postgresql_of_compose_takes_the_connections_of_as_many_workers_as_it_says():
    text = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")
    workers = int(re.search(r"enough for WORKERS up to (\d+)", text)[1])
    connections = int(re.search(r"max_connections=(\d+)", text)[1])
    assert connections >= 2 * (workers * (POOL_SIZE + POOL_SIZE // 2) + 2) + 20
    assert f"`compose.yaml` has {connections}" in OPERATIONS


def test_the_unit_costs_are_those_of_the_results():
    [table] = re.findall(r"^\| one of \|.*\n(?:\|.*\n)+", RESULTS, re.M)
    assert table.count("\n") > 15
    assert table in OPERATIONS


def test_processor_time_is_multiplied_right():
    """Each `quantity × cost` in µs; its product in cores begins the next cell."""
    checked = 0
    for line in OPERATIONS[OPERATIONS.index("\n### 1,000,000 customers") :].splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:]]
        if len(cells) < 3:
            continue
        product = re.fullmatch(
            r"([\d,]+)(?: × (\d+))?/?s? × ([\d.,]+) µs(?: each second)?", cells[1]
        )
        needs = re.match(r"([\d.]+) cores\b", cells[2])
        if product and needs:
            count, each_second, cost = product.groups()
            cores = number(count) * int(each_second or 1) * number(cost) / 1e6
            places = len(needs[1].partition(".")[2])
            assert f"{cores:.{places}f}" == needs[1], line
            checked += 1
    assert checked >= 6


def test_all_lists_are_computed_with_the_same_bytes_a_thread():
    said = re.search(r"([\d,]+) bytes of Redis a thread", OPERATIONS)[1]
    assert row("a thread on all lists of the built-in views")[4] == said
    for part in ("open threads", "threads closed within `LINEUP_HISTORY_DAYS`"):
        _, arithmetic, needs, _ = row(f"lists in Redis, {part}")
        threads, each = re.match(r"([\d,]+) × ([\d,]+)", arithmetic).groups()
        assert each == said
        assert needs == f"{number(threads) * number(each) / _GB:.1f} GB"
    whole = re.search(r"(\d+) GB ÷ ([\d,]+) bytes is (\d+) million", OPERATIONS)
    assert whole[2] == said
    assert int(whole[3]) == round(int(whole[1]) * _GB / number(said) / 1e6)


def test_last_seen_is_counted_for_as_long_as_redis_keeps_it():
    hours = LAST_SEEN_TTL_MS // 3_600_000
    assert f"stays in Redis for {hours} hours" in OPERATIONS
    _, arithmetic, needs, _ = row("presence in Redis")
    pairs = re.findall(r"([\d,]+) × (\d+)(?=[ :])", arithmetic.partition(";")[2])
    (online, _), (left, _) = pairs
    assert needs.endswith(f", {sum(number(n) * number(each) for n, each in pairs) / _GB:.1f} GB")
    seen = row(f"customers seen in {hours} hours")[2]
    assert seen.startswith(f"{number(online) + number(left):,.0f}, of whom {online} ")


def test_the_rights_in_redis_are_those_that_are_tested():
    text = (ROOT / "tests" / "dashboard" / "live" / "test_listener.py").read_text(encoding="utf-8")
    [rights] = re.findall(r"rights = \[(.*)\]", text)
    keys, channels, *commands = re.findall(r'"(.*?)"', rights)
    assert f"`{keys}` (the prefix), `{channels}` and `{' '.join(commands)}`" in OPERATIONS
