"""The files of deploy/ parse, and name what exists: metrics, alerts, settings, commands, files."""

import json
import re
import shlex
import shutil
import subprocess

import pytest
import yaml

from dashboard.cli.main import cli
from dashboard.cli.serve import STOP_SECONDS
from dashboard.settings import Settings
from scoring.keys import NOTIFY_FLAGS
from tests.repository import ROOT
from tests.test_layout import settings_in_code

DEPLOY = ROOT / "deploy"
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
LINEUPS = ("lineup-1", "lineup-2")
#: A name as PromQL has it; the samples of a histogram have suffixes.
_METRIC = re.compile(r"\blineup_\w+")
_SUFFIXES = ("_bucket", "_sum", "_count")
#: Takes `resolve` in an upstream; 1.27.3 was the first.
NGINX_THAT_RESOLVES = (1, 28)
#: Takes `http2 on`; 1.25.1 was the first. Older ones have it behind `listen`.
NGINX_WITH_HTTP2 = (1, 26)


def text_of(name):
    return (DEPLOY / name).read_text(encoding="utf-8")


def rules():
    return [
        each
        for group in yaml.safe_load(text_of("alerts.yaml"))["groups"]
        for each in group["rules"]
    ]


def panels():
    return json.loads(text_of("grafana.json"))["panels"]


def metrics_in(expressions, families):
    """The metrics that expressions of PromQL name; fails where a sample does not exist."""
    named = set()
    for name in _METRIC.findall("\n".join(expressions)):
        base = next((name.removesuffix(each) for each in _SUFFIXES if name.endswith(each)), name)
        is_histogram = base in families and families[base].kind == "histogram"
        assert name in families or is_histogram, f"{name} is no metric"
        assert not (name in families and families[name].kind == "histogram"), (
            f"{name}: which sample?"
        )
        named.add(base if is_histogram else name)
    return named


def expressions_of_panels():
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def test_every_alert_asks_for_metrics_that_exist(families):
    found = metrics_in([each["expr"] for each in rules()], families)
    assert len(found) > 10


def test_the_dashboard_of_grafana_shows_every_metric(families):
    assert metrics_in(expressions_of_panels(), families) == set(families)


def test_counters_are_asked_for_their_rate_and_gauges_for_their_value(families):
    """The value of a counter depends on when its server was started."""
    for expression in (*(each["expr"] for each in rules()), *expressions_of_panels()):
        for name in _METRIC.findall(expression):
            is_rated = re.search(rf"(rate|increase)\({name}(\{{[^}}]*\}})?\[", expression)
            assert bool(is_rated) == (name not in families or families[name].kind == "counter"), (
                name
            )


def test_gauges_that_are_the_same_at_every_server_are_not_summed(families):
    once = {name for name, family in families.items() if family.adding == "once"}
    for expression in (*(each["expr"] for each in rules()), *expressions_of_panels()):
        for name in re.findall(r"sum[^(]*\((?:rate\()?(lineup_\w+)", expression):
            assert name not in once, expression


def test_every_alert_is_explained_and_the_other_way_round():
    explained = re.findall(r"^\| `(Lineup\w+)` \| ([^|]{20,}) \| ([^|]{20,}) \|$", OPERATIONS, re.M)
    assert [name for name, *_ in explained] == [each["alert"] for each in rules()]
    for each in rules():
        assert each["annotations"]["summary"] and each["labels"]["severity"], each["alert"]


def test_the_places_of_the_panels_do_not_overlap():
    taken = set()
    for panel in panels():
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24 and not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in panels()}) == len(panels())


def settings_of(environment):
    """Reads the settings from this; replaces `${…}`, which compose would fill in."""
    given = {
        name: re.sub(
            r"\$\{(\w+)[^}]*\}", "https://desk.example" if "ORIGIN" in value else "a" * 20, value
        )
        for name, value in environment.items()
    }
    return Settings.from_environment(given, ROOT / "instance")


def unit():
    """Section to the (name, value) lines of the unit."""
    sections, lines = {}, None
    for line in text_of("lineup.service").splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            name, _, value = line.partition("=")
            lines.append((name, value))
    return {section: dict(lines) for section, lines in sections.items()}


def environment_file():
    """The settings of the file, without the number of workers, which is the unit's."""
    lines = text_of("lineup.env").splitlines()
    found = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert f"WORKERS={found.pop('WORKERS')}" == unit()["Service"]["Environment"]
    return found


def test_the_page_that_the_file_of_settings_names_explains_each():
    [page] = re.findall(r"^# (\S+) explains each\.", text_of("lineup.env"), re.M)
    explained = (ROOT / page).read_text(encoding="utf-8")
    assert [name for name in environment_file() if f"`{name}`" not in explained] == []


def test_compose_gives_both_lineups_settings_that_exist():
    for name in LINEUPS:
        given = COMPOSE["services"][name]["environment"]
        assert set(given) <= settings_in_code()
        settings = settings_of(given)
        assert settings.database_url.startswith("postgresql") and settings.redis_url
        assert settings.trusted_proxies == 1 and settings.origins == ("https://desk.example",)


def test_lineups_of_one_database_share_what_they_must():
    one, other = (COMPOSE["services"][name] for name in LINEUPS)
    assert one == other
    folder = one["volumes"][0].partition(":")[2]
    assert f"LINEUP_FILES={folder}" in text_of("Dockerfile"), "the volume holds the files"


def test_no_secret_stands_in_the_files():
    environment = environment_file()
    assert environment["LINEUP_SECRET_KEY"] == environment["LINEUP_METRICS_TOKEN"] == ""
    for name in ("SECRET_KEY", "METRICS_TOKEN", "POSTGRES_PASSWORD"):
        assert re.search(rf"\$\{{{name}:\?", text_of("compose.yaml")), f"{name} must be given"


def test_the_files_of_settings_hold_settings_that_exist():
    environment = environment_file()
    assert set(environment) <= settings_in_code()
    assert settings_of({**environment, "LINEUP_SECRET_KEY": "a" * 20}).files


def test_containers_may_write_where_they_must_alone():
    services = COMPOSE["services"]
    for name in (*LINEUPS, "proxy", "valkey"):
        assert services[name]["read_only"] is True and services[name]["cap_drop"] == ["ALL"], name
        assert services[name]["security_opt"] == ["no-new-privileges:true"], name
    for service in services.values():
        image = service["image"]
        assert "." not in image.partition(":")[0], "an image's plain name"
    user = re.findall(r"^USER (\w+)$", text_of("Dockerfile"), re.M)
    assert user == ["lineup"]


def test_valkey_notifies_of_what_lineup_listens_to():
    command = COMPOSE["services"]["valkey"]["command"]
    assert command[command.index("--notify-keyspace-events") + 1] == NOTIFY_FLAGS
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_services_get_longer_to_end_than_their_workers():
    assert int(unit()["Service"]["TimeoutStopSec"]) > STOP_SECONDS
    for name in LINEUPS:
        assert int(COMPOSE["services"][name]["stop_grace_period"].removesuffix("s")) > STOP_SECONDS


def test_the_commands_are_commands_of_lineup():
    service = unit()["Service"]
    name, number = service["Environment"].split("=")
    _, script, *words = shlex.split(service["ExecStart"].replace(f"${{{name}}}", number))
    dockerfile = text_of("Dockerfile")
    given = re.search(r"^CMD (\[.*\])$", dockerfile, re.M)
    entry = json.loads(re.search(r"^ENTRYPOINT (\[.*\])$", dockerfile, re.M)[1])
    assert script == entry[1] == "app.py" and (ROOT / script).is_file()
    in_compose = [
        re.sub(r"\$\{\w+:-(\d+)\}", r"\1", word)
        for word in COMPOSE["services"][LINEUPS[0]]["command"]
    ]
    assert in_compose == json.loads(given[1]), "with the number of workers to be set"
    for name, *options in (words, in_compose):
        cli.commands[name].make_context(name, list(options))
    assert entry[0] == ".venv/bin/python" and shlex.split(service["ExecStart"])[0].endswith(
        entry[0]
    )


def test_the_image_is_made_by_the_steps_of_the_set_up():
    """All that the steps run and copy exists, and nothing that a server needs is left out."""
    dockerfile = text_of("Dockerfile")
    [setup] = re.findall(r"^RUN (sh tools/setup\.sh .*)$", dockerfile, re.M)
    assert (ROOT / setup.split()[1]).is_file()
    for name in re.search(r"compileall -q -j 0 (.*)$", dockerfile, re.M)[1].split():
        assert (ROOT / name).exists(), name
    ignored = set(text_of("Dockerfile.dockerignore").split())
    for needed in ("app.py", "dashboard", "demo", "migrations", "requirements.txt", "static"):
        assert (ROOT / needed).exists() and needed not in ignored
    for name in ("templates", "tools", "package-lock.json", "scoring", "presence", "lua_scripts"):
        assert (ROOT / name).exists() and name not in ignored


def test_the_proxy_passes_on_to_the_lineups_of_compose():
    proxy = text_of("nginx.conf")
    assert re.findall(r"server (lineup-\d):8000", proxy) == [*LINEUPS]
    # A name without an address, or with another one than at the start, must not end the proxy.
    assert re.findall(r"server (lineup-\d):8000 resolve\b", proxy) == [*LINEUPS]
    assert re.search(r"^ *resolver 127\.0\.0\.11 valid=[1-5]s\b", proxy, re.M)
    assert re.search(r"upstream lineup \{\n *zone ", proxy), "resolve needs one"
    major, minor = COMPOSE["services"]["proxy"]["image"].removeprefix("nginx:").split(".")
    assert (int(major), int(minor)) >= NGINX_THAT_RESOLVES, "it knows resolve"
    page = (ROOT / "docs" / "production.md").read_text(encoding="utf-8")
    for header in re.findall(r"proxy_set_header (.*);", page):
        assert f"proxy_set_header {header};" in proxy, "as docs/production.md says"
    for port in re.findall(r"listen (\d+)", proxy):
        assert any(each.endswith(f":{port}") for each in COMPOSE["services"]["proxy"]["ports"])


def test_the_unit_is_hardened_and_reloads_without_a_gap():
    service = unit()["Service"]
    assert (service["NoNewPrivileges"], service["ProtectSystem"]) == ("yes", "strict")
    assert service["ExecReload"] == "/bin/kill -HUP $MAINPID" and service["KillMode"] == "mixed"
    assert environment_file()["LINEUP_FILES"].startswith(f"/var/lib/{service['StateDirectory']}/")
    assert "--workers" in service["ExecStart"], "one process has nobody to replace it"


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not here")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs("systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path):
    path = tmp_path / "lineup.service"
    path.write_text(text_of("lineup.service").replace("/opt/lineup/.venv/bin/python", "/bin/true"))
    assert run("systemd-analyze", "verify", "--man=no", str(path)) == ""
    told = run("systemd-analyze", "security", "--offline=yes", "--no-pager", str(path))
    exposure = float(re.search(r"exposure level for lineup.service: ([\d.]+)", told)[1])
    assert exposure < 2


@needs("promtool")
def test_prometheus_accepts_the_rules():
    assert "SUCCESS" in run("promtool", "check", "rules", str(DEPLOY / "alerts.yaml"))


@needs("nginx")
@needs("openssl")
def test_nginx_accepts_the_proxy(tmp_path):
    files = ("-keyout", str(tmp_path / "desk.key"), "-out", str(tmp_path / "desk.pem"))
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=desk")
    run(*made, *files)
    text = re.sub(r"/tmp/|/etc/nginx/tls/", f"{tmp_path}/", text_of("nginx.conf"))
    told = subprocess.run(("nginx", "-v"), capture_output=True, text=True, check=True).stderr
    version = tuple(map(int, re.search(r"nginx/(\d+)\.(\d+)", told).groups()))
    if version < NGINX_THAT_RESOLVES:
        text = re.sub(r"lineup-\d:8000 resolve\b", "127.0.0.1:8000", text)
    if version < NGINX_WITH_HTTP2:
        text = re.sub(r"ssl;\n *http2 on;", "ssl http2;", text)
    path = tmp_path / "nginx.conf"
    path.write_text(text)
    run("nginx", "-t", "-p", str(tmp_path), "-c", str(path))
