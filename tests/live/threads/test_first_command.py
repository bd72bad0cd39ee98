"""The commands that newcomers copy, run by a shell as they stand."""

import html
import json
import os
import re
import shutil
import subprocess

import pytest

from tests.repository import ROOT
from tests.support import wait_until

#: The address at which README's examples find Lineup.
README_SERVER = "http://localhost:5000"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed"),
]


def typed(lineup, command: str) -> dict:
    """Returns the output of the command, as JSON."""
    key = lineup.bot.headers["Authorization"].removeprefix("Bearer ")
    done = subprocess.run(
        ["sh", "-c", command.replace("curl ", "curl -sS ", 1)],
        env={"PATH": os.environ["PATH"], "KEY": key},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def in_readme(lineup) -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^curl -X POST .*?/api/v1/events.*?\}'$", text, re.M | re.S)
    assert found and README_SERVER in found[0]
    return found[0].replace(README_SERVER, lineup.server.url)


def in_api_docs(lineup) -> str:
    page = lineup.mai.get(f"{lineup.server.url}/api/docs").text
    found = re.search(r"<code>(curl [^<]*/api/v1/events&#39;.*?)</code>", page, re.S)
    assert found, "no command with the address of this server"
    command = html.unescape(found[1])
    assert lineup.server.url in command
    return command


@pytest.mark.parametrize("command", [in_readme, in_api_docs])
def test_a_copied_command_moves_its_thread_to_the_head_each_time(lineup, command):
    text = command(lineup)
    ids = []
    for _ in range(2):
        lineup.say("somebody-else")
        answer = wait_until(
            lambda: (done := typed(lineup, text))["status"] == "created" and done,
            what="a new second, and with it a new message",
        )
        ids.append(answer["id"])
        explained = lineup.mai.get(
            f"{lineup.server.url}/admin/api/threads/{answer['thread_id']}/explain",
            params={"view": "arrival", "sort": "arrival"},
        ).json()
        assert explained["rank"] == 0, explained
    assert len(set(ids)) == 2
