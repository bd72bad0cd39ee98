"""The commands: what they print where, and their exit codes."""

import io
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from dashboard.cli.context import open_services, read_settings
from dashboard.cli.main import main
from dashboard.cli.starting import Address, StartTimes, announce
from dashboard.cli.web_process import open_web_services
from dashboard.db.accounts import admins, oidc_accounts, passwords, second_factor, sessions
from dashboard.db.database import Database
from dashboard.db.lists import versions, views
from dashboard.errors import StorageUnavailable
from dashboard.ingest.accounts import ApiKeys
from dashboard.ingest.assigning import Assigning, HandOver
from dashboard.ingest.outgoing import Admin
from scoring.rebuilding import Rebuild
from tests.dashboard.ingest.shop import Shop
from tests.repository import ROOT
from tests.servers.lineup import free_port
from tests.support import SettableClock

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    """A new SQLite file, and a Redis that is away."""
    monkeypatch.setenv("LINEUP_DATABASE_URL", f"sqlite:///{tmp_path / 'lineup.sqlite'}")
    monkeypatch.setenv("LINEUP_REDIS_URL", f"unix://{tmp_path / 'none.sock'}")
    monkeypatch.delenv("LINEUP_SECRET_KEY", raising=False)


@pytest.fixture
def run(capsys):
    """Runs a command; gives its exit code, standard output and standard error."""

    def run(*words: str) -> tuple[int, str, str]:
        code = main(words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def run_with_password(run, monkeypatch):
    def run_with_password(*words: str, password: str = PASSWORD) -> tuple[int, str, str]:
        # Password hashing at its usual cost would take most of the test's time.
        monkeypatch.setattr(passwords, "hashed", lambda text: f"hash of {text}")
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
        return run(*words, "--password-stdin")

    return run_with_password


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Missing command."),
        (["no-such-command"], "No such command"),
        (["seed"], "Missing option '--threads'"),
        (["seed", "--threads", "0"], "0 is not in the range"),
        (["seed", "--threads", "many"], "'many' is not a valid integer"),
        (["simulate", "--rate", "nan"], "“nan” is not a rate above 0 and up to 10000."),
        (["serve", "--port", "65536"], "65536 is not in the range"),
        (["serve", "--prot", "1"], "No such option"),
        (["create-key", "--source", "A shop"], "“A shop” is not 1 to 64 of a-z 0-9 -."),
        (["create-key", "--source", "shop", "--scopes", "read,all"], "“all” is not one of"),
        (["create-key", "--source", "shop", "--desk", "Sales"], "“Sales” is not 1 to 32 of"),
        (["create-desk", "Sales"], "“Sales” is not 1 to 32 of a-z 0-9 -."),
        (["create-admin", "--email", "mai", "--name", "Mai"], "“mai” is not an e-mail address."),
        (["revoke-webhook", "0"], "0 is not in the range"),
    ],
)
def test_wrong_use_exits_with_2_and_says_what_is_wrong(run, words, sentence):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert sentence in err


def test_wrong_use_is_found_before_a_wrong_setting(run, monkeypatch):
    monkeypatch.setenv("LINEUP_LOG_LEVEL", "loud")
    assert run("seed")[0] == 2
    assert run("seed", "--help")[0] == 0
    code, out, err = run("list-keys")
    assert (code, out) == (1, "")
    assert err.startswith("lineup: LINEUP_LOG_LEVEL must be one of")


def test_nobody_can_connect_before_a_worker_of_several_is_ready(run, monkeypatch):
    """A proxy asks another server meanwhile, instead of waiting for the start of this one."""
    listens = []

    def supervisor(start, count, listener):
        listens.append(listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
        return SimpleNamespace(run=lambda: 0)

    monkeypatch.setenv("LINEUP_SECRET_KEY", "a" * 20)
    monkeypatch.setattr("dashboard.cli.serve.Workers", supervisor)
    monkeypatch.setattr("dashboard.logs.install", lambda *given: None)
    assert run("serve", "--port", str(free_port()), "--workers", "2")[0] == 0
    assert listens == [0]


def test_in_a_log_for_programs_the_address_is_a_line_of_it(capsys, caplog):
    caplog.set_level("INFO")
    address = Address("127.0.0.1", 8000)
    announce(address, "text")
    assert (capsys.readouterr().out, caplog.messages) == (
        "Lineup is at http://localhost:8000\n",
        [],
    )
    announce(address, "json")
    assert (capsys.readouterr().out, caplog.messages) == (
        "",
        ["Lineup is at http://localhost:8000"],
    )


@pytest.mark.parametrize(
    ("host", "typed", "called"),
    [
        ("127.0.0.1", "localhost", "127.0.0.1"),
        ("::1", "localhost", "[::1]"),
        ("::", "localhost", "[::1]"),
        ("2001:db8::7", "[2001:db8::7]", "[2001:db8::7]"),
    ],
)
def test_an_address_has_a_url_for_people_and_one_for_programs(host, typed, called):
    address = Address(host, 8000)
    assert address.url == f"http://{typed}:8000"
    assert address.program_url == f"http://{called}:8000"


def test_serve_needs_a_secret_key(run):
    code, out, err = run("serve")
    assert (code, out) == (1, "")
    assert err.startswith("lineup: LINEUP_SECRET_KEY is needed")


def test_a_key_is_printed_alone_and_once(run):
    code, key, err = run("create-key", "--source", "shop", "--scopes", "read,read", "--rate", "5")
    assert (code, err) == (0, "")
    assert key.startswith("lu_") and len(key.split()) == 1
    _, listed, _ = run("list-keys")
    prefix, source, scopes, calls, quota, _, state = listed.rstrip("\n").split("\t")
    assert key.startswith(f"lu_{prefix}_") and key.strip() not in listed
    assert (source, scopes, calls, quota, state) == (
        "shop", "read", "all messages call", "5/s", "active",
    )  # fmt: skip
    assert run("revoke-key", prefix) == (0, "", "The key is revoked.\n")
    assert "\trevoked " in run("list-keys")[1]
    assert run("revoke-key", "lu_none")[0] == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, StorageUnavailable])
def test_a_key_is_printed_before_the_threads_that_follow_its_setting(run, monkeypatch, error):
    def fail(keys, source: str) -> None:
        raise error

    monkeypatch.setattr(ApiKeys, "refold", fail)
    code, key, err = run("create-key", "--source", "shop", "--handoff")
    assert code == 1 and key.startswith("lu_") and err.startswith("The key is valid. Not all")
    assert key.split("_")[1] in run("list-keys")[1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("create-key --source x > /dev/full", "The output cannot be written: No space left"),
        ("--help > /dev/full", "The output cannot be written: No space left"),
        ("export - > /dev/full", "- cannot be written: No space left"),
        ("export - | true", "- cannot be written: Broken pipe"),
    ],
)
def test_output_that_cannot_be_written_is_said_in_a_sentence(line, said):
    run = f"set -o pipefail; {sys.executable} app.py {line}"
    ended = subprocess.run(["bash", "-c", run], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith(f"lineup: {said}")
    assert "Traceback" not in ended.stderr and "Exception" not in ended.stderr


def test_desks_are_created_by_themselves_or_with_a_key_and_listed_with_their_sources(run):
    assert run("list-desks") == (0, "main\t\n", "")
    hint = "Only supervisors see its threads until set-desks adds admins.\n"
    assert run("create-desk", "billing") == (0, "billing\n", hint)
    assert run("create-desk", "billing") == (
        1, "", "lineup: There is a desk “billing” already.\n",
    )  # fmt: skip
    assert run("create-key", "--source", "shop", "--desk", "sales")[0] == 0
    assert run("create-key", "--source", "blog")[0] == 0
    assert run("create-key", "--source", "shop")[0] == 0, "the desk stays"
    assert run("list-desks")[1] == "main\tblog\nbilling\t\nsales\tshop\n"


@pytest.mark.parametrize("before", ["\ufeff", "\n", "\ufeff\r\n\r\n", ""])
def test_a_password_is_read_from_a_file_that_went_through_an_editor(
    run_with_password, monkeypatch, before
):
    new = ("create-admin", "--email", "mai@example.com", "--name", "Mai")
    assert run_with_password(*new, password=f"{before}{PASSWORD}\r\nnot this")[0] == 0
    database = Database(os.environ["LINEUP_DATABASE_URL"])
    with database.read() as connection:
        assert admins.password_hash_of(connection, 1) == f"hash of {PASSWORD}"
    database.close()


def test_admins_are_created_listed_and_disabled(run, run_with_password):
    new = ("create-admin", "--email", "Mai@Example.com", "--name", "Mai", "--role", "supervisor")
    assert run_with_password(*new) == (0, "1\tmai@example.com\n", "")
    assert run_with_password(*new)[0] == 1
    assert run("list-admins")[1] == "1\tmai@example.com\tMai\tsupervisor\tactive\tall\n"
    code, out, err = run_with_password("set-password", "--email", "mai@example.com")
    assert (code, out) == (0, "") and "sessions have ended" in err
    database = Database(os.environ["LINEUP_DATABASE_URL"])
    own = views.Draft("Open", "is:open", "arrival", "UTC", owner_id=1)
    database.write(lambda connection: views.create(connection, own, 1, 0))
    assert run("disable-admin", "--email", "mai@example.com")[:2] == (0, "")
    with database.read() as connection:
        found = "SELECT kept_until FROM query_lists WHERE query = 'is:open'"
        kept_until = connection.exec_driver_sql(found).scalar_one()
    assert kept_until is not None, "the lists of the account's views go"
    assert run("list-admins")[1].endswith("\tdisabled\tall\n")
    code, _, err = run("disable-admin", "--email", "linh@example.com")
    assert (code, err) == (1, "lineup: There is no admin with the address linh@example.com.\n")


def test_the_address_of_an_admin_is_changed_also_one_that_a_provider_gave(run, run_with_password):
    for name in ("Mai", "Ken"):
        run_with_password("create-admin", "--email", f"{name}@example.com", "--name", name)
    database = Database(os.environ["LINEUP_DATABASE_URL"])
    database.write(lambda c: oidc_accounts.bind(c, "https://id.example", "s-1", 1, 0))
    change = ("set-email", "--email", "mai@example.com", "--to")
    taken = "lineup: There is an admin with this e-mail address already.\n"
    assert run(*change, "ken@example.com") == (1, "", taken)
    code, out, err = run(*change, "Mai.Tran@example.com")
    assert (code, out) == (0, "") and "sessions have ended" in err
    assert run("list-admins")[1].startswith("1\tmai.tran@example.com\tMai\t")
    assert run(*change, "x@example.com")[0] == 1


def test_the_desks_of_an_admin_are_set_and_threads_elsewhere_are_released(run, run_with_password):
    run("create-desk", "billing")
    new = ("create-admin", "--email", "mai@example.com", "--name", "Mai", "--desks")
    refused = "lineup: There is no desk “sales”; create it with create-desk.\n"
    assert run_with_password(*new, "main,sales") == (1, "", refused)
    assert run_with_password(*new, "main,billing")[0] == 0
    assert run("list-admins")[1].endswith("\tactive\tbilling,main\n")
    database = Database(os.environ["LINEUP_DATABASE_URL"])
    shop = Shop(database, SettableClock())
    one, two = (shop.says(0, thread=name).thread_id for name in ("t", "u"))
    assigning = Assigning(database, SettableClock())
    for thread, desk in ((one, "main"), (two, "billing")):
        assigning.hand_over(Admin(1, "Mai"), thread, HandOver(1, desk=desk))
    setting = ("set-desks", "--email", "mai@example.com", "--desks")
    assert run(*setting, "main,sales") == (1, "", refused)
    said = "mai@example.com sees billing; 1 threads released.\n"
    assert run(*setting, "billing") == (0, "", said)
    assert [shop.row(name)["assignee"] for name in ("t", "u")] == [None, {"id": 1, "name": "Mai"}]
    assert run("list-admins")[1].endswith("\tactive\tbilling\n")
    assert run("set-desks", "--email", "x@example.com", "--desks", "main")[0] == 1


def test_a_short_password_is_refused(run_with_password):
    code, out, err = run_with_password(
        "create-admin", "--email", "mai@example.com", "--name", "Mai", password="short"
    )
    assert (code, out) == (1, "")
    assert err.startswith("lineup: A password has ")


@pytest.mark.parametrize("command", ["create-admin", "set-password"])
@pytest.mark.parametrize(
    "password",
    ["12345678", "password", "MAI@example.com ", " " * 12, "qwertyuiop12", "\udcff" * 12],
)
def test_a_password_that_is_guessed_early_is_refused(run, run_with_password, command, password):
    """H21: wherever a password is set."""
    words = [command, "--email", "mai@example.com"]
    if command == "create-admin":
        words += ["--name", "Mai"]
    else:
        run_with_password("create-admin", "--email", "mai@example.com", "--name", "Mai")
    before = run("list-admins")[1]
    code, out, err = run_with_password(*words, password=password)
    assert (code, out) == (1, "") and err.startswith("lineup: ") and "password" in err.lower()
    assert run("list-admins")[1] == before


@pytest.mark.parametrize("name", ["Mai\u200b", "\u202eiaM", "\u3164", "\u2800", "Ma\u00adi"])
def test_a_name_that_hides_something_is_refused(run_with_password, name):
    """H27: it would look like another admin's."""
    code, _, err = run_with_password("create-admin", "--email", "x@example.com", "--name", name)
    assert code == 1 and "printable" in err
    code, _, err = run_with_password("create-admin", "--email", f"{name}@x.y", "--name", "Mai")
    assert code == 2


def test_webhooks_are_created_listed_rotated_and_revoked(run):
    code, _, err = run("create-webhook", "--source", "shop", "--url", "ftp://bot.example/")
    assert code == 1 and err.startswith("lineup: The webhook ")
    code, made, err = run("create-webhook", "--source", "shop", "--url", "https://bot.example/")
    assert (code, err) == (0, "")
    id, secret = made.split()
    assert run("list-webhooks")[1] == f"{id}\tshop\thttps://bot.example/\tall\t0 waiting\tactive\n"
    code, rotated, err = run("rotate-webhook", id)
    assert code == 0 and rotated.strip() != secret
    assert err == "The old secret stays valid for a day.\n"
    assert run("revoke-webhook", id) == (0, "", "The webhook is revoked.\n")
    assert run("revoke-webhook", "99")[0] == 1


def test_demo_threads_are_filled_in_once_and_a_customer_deleted(run):
    code, out, _ = run("seed", "--threads", "3")
    assert code == 0 and out.startswith("3 threads: ") and out.endswith(", 0 known ones\n")
    assert run("seed", "--threads", "3")[1].startswith("3 threads: 0 new events, ")
    code, out, err = run("delete-customer", "--source", "demo", "--customer", "demo-1-3-c000001")
    assert (code, out) == (0, "")
    assert "Redis is away" in err and "Deleted 1 threads" in err
    assert run("delete-customer", "--source", "demo", "--customer", "nobody")[0] == 1


def test_the_order_cannot_be_compared_or_rebuilt_while_redis_is_away(run):
    assert run("check") == (1, "", "lineup: Redis is away, so there is no order to compare.\n")
    code, out, err = run("rebuild")
    assert (code, out) == (1, "") and "lineup: Redis is away" in err


@pytest.mark.real_redis
def test_the_order_is_rebuilt_and_compared(run, monkeypatch, redis_server):
    redis_server.client().flushall()
    monkeypatch.setenv("LINEUP_REDIS_URL", redis_server.url)
    run("seed", "--threads", "3")
    code, out, err = run("check")
    assert (code, err) == (1, "") and out.startswith("Redis does not hold the order")
    code, out, _ = run("rebuild")
    assert code == 0 and out.startswith("3 threads in ")
    assert run("check") == (0, "Redis and SQL have the same order on every list.\n", "")


@pytest.mark.real_redis
def test_a_rebuild_that_gets_sigterm_leaves_nothing_half_done(run, monkeypatch, redis_server):
    client = redis_server.client()
    client.flushall()
    monkeypatch.setenv("LINEUP_REDIS_URL", redis_server.url)
    run("seed", "--threads", "3")
    fill, close = Rebuild.fill_all, Rebuild.close

    def fill_and_end(*args):
        fill(*args)
        assert [key for key in client.keys("*") if b"|next|" in key]
        os.kill(os.getpid(), signal.SIGTERM)

    def close_and_be_asked_again(rebuild):
        os.kill(os.getpid(), signal.SIGTERM)
        close(rebuild)

    def ignore(*given): ...

    monkeypatch.setattr(Rebuild, "fill_all", fill_and_end)
    monkeypatch.setattr(Rebuild, "close", close_and_be_asked_again)
    # Without the handler of the command the test ends here, and not the whole run.
    before = signal.signal(signal.SIGTERM, ignore)
    try:
        code, out, _ = run("rebuild")
        assert signal.getsignal(signal.SIGTERM) is ignore
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (code, out) == (1, "")
    assert not [key for key in client.keys("*") if b"|next" in key]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("words", [["check"], ["rebuild"], ["list-admins"], ["audit"]])
def test_a_command_that_is_interrupted_in_a_query_ends_with_one_and_says_nothing(
    run, monkeypatch, number, words
):
    """Also if the driver turns the interruption into an error of its own."""
    run("list-admins")  # brings the database to head
    reads = []

    @contextmanager
    def interrupted(database):
        reads.append(database)
        try:
            os.kill(os.getpid(), number)
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            raise RuntimeError("the connection was lost while it waited") from None
        yield None

    before = signal.getsignal(number)
    monkeypatch.setattr(Database, "read", interrupted)
    assert run(*words) == (1, "", "")
    assert reads and signal.getsignal(number) is before


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [0.1, 0.4, 0.8])
def test_a_command_that_is_interrupted_while_it_starts_says_nothing(number, seconds):
    command = [sys.executable, "app.py", "check"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True)
    time.sleep(seconds)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said and "Exception ignored" not in said
    assert process.returncode in (1, -number), "the latter before the first line of app.py"


def test_a_second_factor_is_reset_with_the_sessions(run, run_with_password):
    run_with_password("create-admin", "--email", "mai@example.com", "--name", "Mai")
    database = Database(os.environ["LINEUP_DATABASE_URL"])
    database.write(lambda connection: second_factor.begin(connection, 1, "sealed", 1))
    database.write(lambda connection: second_factor.confirm(connection, 1, 1, 1))
    token = database.write(lambda connection: sessions.begin(connection, 1, 1))
    code, out, err = run("reset-second-factor", "--email", "mai@example.com")
    assert (code, out) == (0, "") and "is removed" in err
    with database.read() as connection:
        assert second_factor.of(connection, 1) is None
        assert sessions.admin_of(connection, token, 2) is None
    assert "There was no" in run("reset-second-factor", "--email", "mai@example.com")[2]
    assert run("reset-second-factor", "--email", "ken@example.com")[0] == 1


def test_a_start_says_what_it_has_spent_its_time_on(caplog):
    caplog.set_level("INFO")
    now = iter([12.5, 13.0, 13.0])
    times = StartTimes(10.0, lambda: next(now))
    for part in ("modules", "database and Redis", "lists"):
        times.mark(part)
    times.log()
    assert times.seconds()["elapsed"] == 3.0 and times.seconds()["processor"] > 0
    [said] = caplog.messages
    assert said.startswith("started in 3.0 s, with ")
    assert said.endswith(": modules 2.5 s, database and Redis 0.5 s, lists 0.0 s")


def test_who_serves_says_how_long_lists_hold_closed_threads(monkeypatch):
    """A command uses the number of days that the serving processes have stored."""

    def opened(days: str, *, serving: bool) -> int:
        monkeypatch.setenv("LINEUP_HISTORY_DAYS", days)
        services = open_web_services(read_settings()) if serving else open_services()
        with services as parts, parts.database.read() as connection:
            return versions.current(connection).history_days

    assert opened("7", serving=False) == 90
    assert opened("7", serving=True) == 7
    assert opened("30", serving=False) == 7
    assert opened("30", serving=True) == 30
