"""The embedded Redis: found or started, shared, started again, ended with its parent."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import redis

from dashboard import embedded_redis as redis_server
from dashboard.embedded_redis import SOCKET_PATH_BYTES, EmbeddedRedis, find, find_or_start
from dashboard.errors import StartError
from scoring.keys import NOTIFY_FLAGS
from tests.repository import ROOT
from tests.servers.programs import missing
from tests.support import wait_until

HOST = """
import sys, time
from pathlib import Path
if sys.argv[1] == "eventlet":
    import eventlet
    eventlet.monkey_patch()
if sys.argv[1] == "gevent":
    from gevent import monkey
    monkey.patch_all()
from dashboard.embedded_redis import find_or_start
embedded = find_or_start(Path(sys.argv[2]))
embedded.watch()
print(embedded.url, flush=True)
time.sleep(60)
"""

needs_server = pytest.mark.real_redis


@pytest.fixture
def instance(tmp_path):
    """A directory that does not exist yet; skips the test without a server program."""
    if (redis_server.packaged() or redis_server.find_binary()) is None:
        missing("no server of a package, and no redis-server 6.2 or later on the PATH")
    return tmp_path / "instance"


@pytest.fixture
def embedded(instance):
    server = find_or_start(instance)
    yield server
    server.stop()


def client_of(server: EmbeddedRedis) -> redis.Redis:
    return redis.Redis.from_url(server.url)


def process_id(server: EmbeddedRedis) -> int:
    return client_of(server).info("server")["process_id"]


def is_running(pid: int) -> bool:
    """Zombies count as ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def answers(server: EmbeddedRedis) -> bool:
    try:
        return client_of(server).ping()
    except redis.ConnectionError:
        return False


@needs_server
def test_it_answers_sends_notifications_and_keeps_nothing_on_disk(embedded):
    client = client_of(embedded)
    assert client.ping() and embedded.is_ours
    assert set(client.config_get("notify-keyspace-events")["notify-keyspace-events"]) == set(
        NOTIFY_FLAGS
    )
    assert client.config_get("save")["save"] == ""
    assert client.config_get("appendonly")["appendonly"] == "no"
    assert client.config_get("lazyfree-lazy-expire")["lazyfree-lazy-expire"] == "yes"


@needs_server
def test_only_its_user_may_connect(embedded):
    assert embedded.socket_path.stat().st_mode & 0o077 == 0


@needs_server
def test_a_second_process_uses_the_server_of_the_first(instance, embedded):
    client_of(embedded).set("left by", "the first")
    second = find_or_start(instance)
    assert not second.is_ours
    assert client_of(second).get("left by") == b"the first"
    second.stop()
    assert answers(embedded), "it ended the server of another process"


@needs_server
def test_stopping_ends_it(instance):
    server = find_or_start(instance)
    pid = process_id(server)
    server.stop()
    assert not is_running(pid)
    assert not server.ensure(), "it was started after the stop"


@pytest.mark.slow
@needs_server
def test_a_killed_server_is_started_again_at_the_same_url(embedded):
    url, pid = embedded.url, process_id(embedded)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not answers(embedded), what="the server being dead")
    assert embedded.ensure()
    assert embedded.url == url and process_id(embedded) != pid


@pytest.mark.slow
@needs_server
def test_the_watch_starts_a_killed_server_within_two_seconds(embedded):
    embedded.watch()
    pid = process_id(embedded)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_running(pid), what="the server being dead")
    wait_until(lambda: answers(embedded), timeout_seconds=2, what="a new server answering")


@pytest.mark.slow
@needs_server
def test_a_server_that_is_only_stopped_is_not_replaced(embedded):
    pid = process_id(embedded)
    os.kill(pid, signal.SIGSTOP)
    try:
        assert embedded.is_alive() and not embedded.ensure()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert process_id(embedded) == pid


@needs_server
def test_a_second_process_takes_over_when_the_first_has_ended(instance):
    first = find_or_start(instance)
    second = find_or_start(instance)
    first.stop()
    assert second.ensure() and second.is_ours
    assert answers(second)
    second.stop()


@pytest.mark.slow
@needs_server
@pytest.mark.parametrize("threads", ["plain", "eventlet", "gevent"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["KILL", "TERM"])
def test_it_ends_with_its_parent_however_that_ended(instance, threads, number):
    host = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", HOST, threads, str(instance)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with host:
        url = host.stdout.readline().strip()
        pid = redis.Redis.from_url(url).info("server")["process_id"]
        host.send_signal(number)
        host.wait()
    wait_until(lambda: not is_running(pid), what="Redis having ended after its parent")


@pytest.mark.slow
@needs_server
@pytest.mark.parametrize("threads", ["eventlet", "gevent"])
def test_green_hosts_start_a_killed_server_again(instance, threads):
    host = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", HOST, threads, str(instance)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with host:
        host.stdout.readline()
        other = find_or_start(instance)
        pid = process_id(other)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not is_running(pid), what="the server being dead")
        wait_until(lambda: answers(other), timeout_seconds=2, what="a new server answering")
        assert not other.is_ours
        host.kill()


@needs_server
def test_a_long_path_gets_a_private_short_socket_that_others_find(tmp_path):
    instance = tmp_path / ("x" * SOCKET_PATH_BYTES)
    server = find_or_start(instance)
    try:
        assert len(os.fsencode(server.socket_path)) < SOCKET_PATH_BYTES
        assert server.socket_path.parent.stat().st_mode & 0o077 == 0
        assert EmbeddedRedis(instance).url == server.url
        assert answers(server)
    finally:
        server.stop()


def program(folder: Path, name: str, says: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("says", "found"),
    [
        ("Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.1.0 bits=64", True),
        ("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64", True),
        ("Valkey server v=8.1.0 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64", True),
        ("Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64", False),
        ("Redis server v=10.0.0 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64", True),
        ("something else", False),
    ],
)
def test_a_program_must_be_new_enough(tmp_path, monkeypatch, says, found):
    path = program(tmp_path, "redis-server", says)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert redis_server.find_binary() == (str(path) if found else None)


def test_a_valkey_is_taken_where_redis_is_too_old(tmp_path, monkeypatch):
    program(tmp_path, "redis-server", "Redis server v=5.0.7 sha=00000000:0")
    valkey = program(tmp_path, "valkey-server", "Valkey server v=7.2.5 sha=00000000:0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert redis_server.find_binary() == str(valkey)


@pytest.fixture
def both_programs(tmp_path, monkeypatch) -> tuple[str, str]:
    """The program of a package, and one on the PATH."""
    package = tmp_path / "a_package_with_a_server"
    package.mkdir()
    (package / "__init__.py").touch()
    folder = package / "_binaries" / "linux-x86_64"
    packaged = program(folder, "valkey-server", "Valkey server v=9.1.2 sha=00000000:1")
    machines = program(tmp_path / "bin", "redis-server", "Redis server v=7.0.15 sha=00000000:0")
    monkeypatch.setattr(redis_server, "PACKAGE", package.name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.syspath_prepend(str(tmp_path))
    return str(packaged), str(machines)


def test_a_setting_chooses_between_the_server_of_the_package_and_the_machines(both_programs):
    packaged, machines = both_programs
    assert redis_server.find_server() == redis_server.find_server("packaged") == packaged
    assert redis_server.find_server("machine") == machines


def test_the_machines_server_is_taken_where_the_package_has_none_for_it(both_programs):
    packaged, machines = both_programs
    Path(packaged).unlink()
    assert redis_server.find_server("packaged") == machines


def test_where_there_is_none_one_sentence_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(redis_server, "PACKAGE", "a_package_that_is_not_installed")
    message = r"^No redis-server 6\.2 or later was found: .* LINEUP_REDIS_URL\.$"
    with pytest.raises(StartError, match=message):
        find_or_start(tmp_path / "instance")


def read_only(*given, **named):
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), "a path")


@pytest.mark.parametrize("name", ["open", "mkdir"])
@pytest.mark.parametrize("folder", ["instance", "x" * SOCKET_PATH_BYTES])
def test_a_read_only_folder_ends_the_start_with_one_sentence(tmp_path, monkeypatch, name, folder):
    """As under ProtectSystem=strict, with the folder or without."""
    instance = tmp_path / folder
    instance.mkdir()
    monkeypatch.setattr(Path, name, read_only)
    message = (
        rf"^The embedded Redis cannot run in {instance}: Read-only file system\. "
        r"LINEUP_REDIS_URL names another server\.$"
    )
    with pytest.raises(StartError, match=message):
        find_or_start(instance)


def test_a_folder_that_cannot_be_made_ends_a_command_with_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StartError, match=r"^The embedded Redis cannot run in .*: Not a directory"):
        find(tmp_path / "file" / "instance")


def test_a_server_that_does_not_start_says_why(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    broken = program(folder, "redis-server", "Redis server v=7.0.0")
    broken.write_text('#!/bin/sh\necho "v=7.0.0"\n[ "$1" = --version ] || exit 1\n')
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(StartError, match="did not start"):
        find_or_start(tmp_path / "instance", "machine")
