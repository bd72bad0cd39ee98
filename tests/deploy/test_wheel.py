"""The wheel: what is in it, and that it runs where there is nothing else."""

import json
import re
import subprocess
import sys
import tomllib
from shutil import which
from zipfile import ZipFile

import pytest
import yaml

from tests.repository import ROOT, files_of_the_project
from tests.servers.demo import Demo

CODE = ("app.py", "dashboard", "demo", "lua_scripts", "migrations", "presence", "scoring")
#: Of the demo's shop: folders of the checkout, and of the wheel.
SHOP = {
    "clients/python/lineup_client/": "lineup_client/",
    "examples/direct/": "demo/direct/",
    "examples/page/": "demo/page/",
}


def is_here(python: str) -> bool:
    """Whether a program runs: a version manager answers for versions that are not chosen, too."""
    run = which(python) and subprocess.run([python, "--version"], capture_output=True)
    return bool(run) and run.returncode == 0


PYTHONS = [name for name in (f"python3.{minor}" for minor in range(11, 16)) if is_here(name)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def test_it_holds_the_code_the_texts_and_the_last_page_alone(wheel):
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        manifest = json.loads(archive.read("static/build/manifest.json"))
    page = {f"static/build/{name}" for name in manifest["files"].values()}
    files = {path.relative_to(ROOT).as_posix() for path in files_of_the_project()}
    code = {name for name in files if name.partition("/")[0] in (*CODE, "templates")}
    texts = {name for name in files if name.startswith("static/i18n/")}
    assert code | texts | page | {"static/js/core/folding.json"} <= names
    shop = {
        wheels + name.removeprefix(ours)
        for ours, wheels in SHOP.items()
        for name in files
        if name.startswith(ours)
    }
    others = {name for name in names - code - texts if not name.startswith("static/build/")}
    assert others == {"static/js/core/folding.json"} | shop
    built = {name for name in names if name.startswith("static/build/")}
    twin = re.compile(r"\.(br|gz|map|LEGAL\.txt)$")
    assert {twin.sub("", name) for name in built} == page | {"static/build/manifest.json"}


def test_it_needs_what_the_product_imports(wheel):
    with ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(name).decode()
        entry_points = archive.read(name.replace("METADATA", "entry_points.txt")).decode()
    needed = {line.partition(": ")[2] for line in metadata.splitlines() if "Requires-Dist" in line}
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    asked = {line for line in lines if line and not line.startswith(("#", "pytest", "fakeredis"))}
    assert {text.replace("'", '"') for text in needed} == asked
    assert "lineup = app:run" in entry_points


def test_the_tool_that_builds_it_is_the_tested_one():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (backend,) = project["build-system"]["requires"]
    assert backend in (ROOT / "requirements-dev.txt").read_text().splitlines()


def test_a_release_is_built_by_fixed_versions_and_published_by_nobody():
    text = (ROOT / ".github" / "workflows" / "release.yaml").read_text()
    jobs = yaml.safe_load(text)["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    actions = [step["uses"] for step in steps if "uses" in step]
    assert actions and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in actions)
    commands = " ".join(step["run"] for step in steps if "run" in step)
    for path in re.findall(r"(?:tools|deploy)/\S+", commands):
        assert (ROOT / path).is_file(), path
    assert not re.search(r"push|publish|twine|login", commands)
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}


@pytest.mark.slow  # installs all packages anew
@pytest.mark.parametrize("python", PYTHONS)
def test_a_newcomer_needs_neither_node_nor_redis_nor_a_checkout(wheel, python, tmp_path):
    programs = tmp_path / "env" / "bin"
    subprocess.run([python, "-m", "venv", tmp_path / "env"], check=True)
    install = [programs / "pip", "install", "--quiet", "--disable-pip-version-check", wheel]
    subprocess.run(install, check=True, capture_output=True)
    # Nothing else is found by its name.
    demo = Demo(tmp_path, [str(programs / "lineup")], PATH=str(tmp_path / "none"))
    try:
        assert demo.list("not_respond/longest_wait")["total"] > 0
        page = demo.admin.get(demo.url).text
        files = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
        assert len(files) > 2
        for name in files:
            assert demo.admin.get(demo.url + name).status_code == 200, name
        assert "lineup create-key" in demo.admin.get(f"{demo.url}/api/docs").text
        assert (tmp_path / "instance" / "lineup.sqlite").is_file()
        demo.answers_a_customer("Where is my parcel?", "It comes tomorrow.")
    finally:
        demo.close()
    text = demo.log_path.read_text()
    assert "WARNING" not in text and "Traceback" not in text and "README" not in text, text
