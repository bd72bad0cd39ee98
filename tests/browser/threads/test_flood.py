"""A thousand messages in one thread within seconds: the page follows, and shows each once."""

import threading

import pytest

from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow

COUNT, SENDERS, AT_ONCE = 1_000, 4, 10
#: As slow as a machine with busy processors.
SLOW = 6
SHOWN = """() => [...document.querySelectorAll('#messages .message[data-id]')]
  .map((each) => Number(each.dataset.id))"""
AT_END = """() => {
  const { scrollTop, scrollHeight, clientHeight } = document.getElementById('messages');
  return scrollHeight - scrollTop - clientHeight < 2;
}"""


def flood(lineup, thread: str) -> None:
    """Posts the messages by several senders at the same time."""

    def send(sender: int) -> None:
        for first in range(sender * COUNT // SENDERS, (sender + 1) * COUNT // SENDERS, AT_ONCE):
            numbers = range(first, first + AT_ONCE)
            lineup.post(*[lineup.message_event(thread, f"Message {n}") for n in numbers])

    senders = [threading.Thread(target=send, args=(sender,)) for sender in range(SENDERS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()


def test_two_pages_follow_a_thousand_messages_in_one_thread(chromium, lineup):
    """One of them on a slow machine; both end at the newest message, and have all in order."""
    id = lineup.say("flooded")
    windows = [BrowserDriver(chromium, lineup.server, lineup.mai_email) for _ in range(2)]
    slow = windows[1].page.context.new_cdp_session(windows[1].page)
    for window in windows:
        window.open(id)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
    flood(lineup, "flooded")
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    stored = [message["id"] for message in lineup.admin(lineup.mai_email).messages(id)]
    assert len(stored) >= 50
    for window in windows:
        newest = f"() => ({SHOWN})().at(-1) === {stored[-1]}"
        window.wait_for(newest, "the newest message")
        window.wait_for(AT_END, "the end of the conversation")
        painted = window.page.evaluate(SHOWN)
        assert len(painted) == len(set(painted))
        assert painted[-50:] == stored[-50:]
        while window.page.evaluate("() => !document.querySelector('.messages-start')?.innerText"):
            window.page.evaluate("() => { document.getElementById('messages').scrollTop = 0; }")
            painted = window.page.evaluate(SHOWN)
            assert len(painted) == len(set(painted))
        window.close()
        assert window.errors == []
