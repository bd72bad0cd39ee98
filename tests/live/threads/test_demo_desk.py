"""The demo as a newcomer finds it: a desk with colleagues, and a log for people."""

import json
import sqlite3
from collections.abc import Iterator

import pytest

from tests.servers.demo import Demo
from tests.servers.redis import start_redis
from tests.support import wait_until

pytestmark = pytest.mark.slow

COLLEAGUES = {"Kenji Sato", "Linh Nguyễn", "Emma Clarke", "Minh Trần"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    folder = tmp_path_factory.mktemp("demo")
    redis = start_redis(folder)
    made = Demo(folder, LINEUP_REDIS_URL=redis.url)
    yield made
    made.close()
    redis.close()


def test_the_demo_is_a_desk_with_colleagues(demo):
    """Replies get delivered; colleagues are here, take threads and answer by name."""
    assert len(demo.get("canned")["canned"]) >= 5
    taken = [event for event in demo.events() if event["type"] == "thread.assigned"]
    takers = {event["data"]["by"]["name"] for event in taken}
    assert {"Demo", *COLLEAGUES} <= takers
    entry = demo.list("not_respond/longest_wait")["threads"][0]
    sent = demo.admin.post(
        f"{demo.url}/admin/api/threads/{entry['id']}/replies",
        json={"body": "Here I am.", "token": "t-1", "private": False},
    ).json()["message"]
    wait_until(lambda: demo.delivery_of(sent) in ("delivered", "read"), 120, "its delivery")
    wait_until(demo.answers, 120, "an answer of a colleague")
    wait_until(lambda: demo.delivery_of(demo.answers()[0]) != "queued", 60, "its delivery")
    inside = wait_until(demo.inside, 60, "a colleague in a thread")
    assert "Demo" not in inside
    assert 20 <= demo.list("not_respond/arrival")["total"] <= 200
    comes_back_after_the_sessions_ended(demo)
    # A webhook may lead to this machine, without a setting.
    webhook = {"source": "demo", "url": "http://127.0.0.1:9/hook"}
    made = demo.admin.post(f"{demo.url}/admin/api/webhooks", json=webhook)
    assert made.status_code == 201, made.text


def comes_back_after_the_sessions_ended(demo: Demo) -> None:
    """The colleagues' sockets are closed, and their old sessions open nothing any more."""
    with sqlite3.connect(demo.database, timeout=10) as connection:
        colleagues = "SELECT id FROM admins WHERE name != 'Demo'"
        ended = connection.execute(f"DELETE FROM sessions WHERE admin_id IN ({colleagues})")
        assert ended.rowcount == 4
    before = {answer["id"] for answer in demo.answers()}
    wait_until(lambda: {each["id"] for each in demo.answers()} - before, 120, "another answer")
    seen: set[str] = set()
    wait_until(lambda: seen.update(demo.inside()) or seen >= COLLEAGUES, 120, "all colleagues")


def test_its_log_speaks_to_people(demo):
    text = demo.log_path.read_text()
    for wanted in (demo.url, f"{demo.url}/api/docs", "Ctrl+C", "README.md", "demo@lineup.example"):
        assert wanted in text
    for line in text.splitlines():
        with pytest.raises(ValueError):
            json.loads(line)
    assert "WARNING" not in text and "Traceback" not in text, text


def test_a_newcomer_writes_as_a_customer_and_the_shop_ends_with_the_demo(demo):
    demo.answers_a_customer("Where is my parcel?", "It comes tomorrow.")
    demo.process.kill()
    wait_until(lambda: not demo.shop_is_open(), 20, "the end of the shop")
