"""The chatbot of docs/a-small-shop.md, run as it is printed."""

import re
import subprocess
import sys

from tests.repository import ROOT
from tests.support import wait_until

PAGE = ROOT / "docs/a-small-shop.md"


def test_the_small_shop_posts_what_is_typed_and_prints_the_reply(lineup, tmp_path):
    [code] = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(code.splitlines()) == 12
    program = tmp_path / "shop.py"
    program.write_text(code, encoding="utf-8")
    key = lineup.server.create_key("small-shop")
    with subprocess.Popen(
        [sys.executable, program, lineup.server.url, key],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as shop:
        assert shop.stdin and shop.stdout
        shop.stdin.write("Where is my order?\n")
        shop.stdin.flush()
        bot = lineup.server.bot(key)
        row = wait_until(
            lambda: (answer := bot.get(f"{lineup.server.url}/api/v1/threads/t-1")).ok and answer
        ).json()
        assert row["customer"]["name"] == "Mai"
        assert row["last"]["role"] == "client"
        reply = {"body": "It is on its way.", "private": False, "token": "small-shop"}
        path = f"{lineup.server.url}/admin/api/threads/{row['id']}/replies"
        assert lineup.mai.post(path, json=reply).status_code == 201
        assert shop.stdout.readline() == "Shop: It is on its way.\n"
        shop.kill()
