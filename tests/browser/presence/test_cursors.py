"""Where a colleague reads in the open thread, and what they write: nothing moves or is covered."""

from uuid import uuid4

import pytest

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver

pytestmark = pytest.mark.slow

LINES = 30

#: Ken's face in the open thread: [left, top, right, bottom], or nothing.
_FACE = """() => {
  const face = document.querySelector('.cursors .face:not([hidden])');
  if (!face) return null;
  const { left, top, right, bottom } = face.getBoundingClientRect();
  return [left, top, right, bottom];
}"""
#: The places of everything that must not move.
_LAYOUT = """() => {
  const fixed = document.querySelectorAll('.message, .composer, .thread-head');
  return [...fixed].map((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return [left, top, width, height];
  });
}"""


def beside(message: int) -> str:
    """Whether the face is level with the end of this message, counted from the newest, 0."""
    return f"""() => {{
      const face = ({_FACE})();
      const message = [...document.querySelectorAll('.message')].at(-1 - {message});
      return face && Math.abs(face[3] - message.getBoundingClientRect().bottom) <= 1;
    }}"""


#: Marks that lie over the composer, in part at least.
_OVER_COMPOSER = """() => {
  const box = document.querySelector('.composer').getBoundingClientRect();
  return [...document.querySelectorAll('.pane-thread .face')]
    .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
    .filter(({ left, right, top, bottom }) => left < box.right && right > box.left
      && top < box.bottom && bottom > box.top).length;
}"""
SIZES = ((390, 780), (820, 1180), (1280, 800))


def told(words: str) -> str:
    """Whether the line over the composer says this."""
    return f"() => document.querySelector('.here-text')?.textContent === '{words}'"


def covers_nothing(browser: BrowserDriver) -> None:
    """Whether it reads or writes, no mark covers the composer."""
    for width, height in SIZES:
        browser.page.set_viewport_size({"width": width, "height": height})
        browser.wait_for("() => document.querySelector('.here .face')?.checkVisibility()")
        assert browser.page.evaluate(_OVER_COMPOSER) == 0, width


NOBODY = f"() => ({_FACE})() === null"


@pytest.fixture
def thread(lineup: LineupDriver) -> int:
    name = f"read-{uuid4()}"  # a second try finds nothing of the first
    lines = [lineup.message_event(name, f"Line {number}", role="bot") for number in range(LINES)]
    return lineup.post(*lines)[0]


@pytest.fixture
def ken(chromium, lineup):
    made = BrowserDriver(chromium, lineup.server, lineup.ken_email)
    yield made
    made.close()
    assert made.errors == []


def read_at(browser: BrowserDriver, message: int) -> None:
    """Scrolls so that this message, counted from the newest, is the last in view."""
    browser.page.evaluate(
        """(back) => {
          const frame = document.getElementById('messages');
          const message = [...document.querySelectorAll('.message')].at(-1 - back);
          const bottom = (one) => one.getBoundingClientRect().bottom;
          frame.scrollTop += bottom(message) - bottom(frame) + 2;
        }""",
        message,
    )


def test_a_colleague_is_seen_where_they_read_and_write_and_nothing_moves(browser, ken, thread):
    """R91."""
    browser.open(thread)
    before = browser.page.evaluate(_LAYOUT)
    assert browser.page.evaluate(NOBODY)

    ken.open(thread)
    browser.wait_for(beside(0), "Ken at the newest message")
    ken.wait_for(beside(0), "Mai there, for Ken who came later")
    read_at(ken, 4)
    browser.wait_for(beside(4), "Ken further up")

    covers_nothing(browser)
    ken.page.fill("textarea", "I will look at it")
    browser.wait_for(told("Ken is writing"), "Ken at the reply")
    browser.wait_for(NOBODY, "no mark beside the messages")
    covers_nothing(browser)
    ken.page.locator(".composer-mode").nth(1).click()
    ken.page.locator("textarea").press_sequentially("!")
    browser.wait_for(told("Ken is writing a note"), "Ken at the note")
    covers_nothing(browser)
    ken.page.fill("textarea", "")
    browser.wait_for(beside(4), "Ken reading on where they were")

    # The reader's own scrolling: the face stays with the message, at last at the edge.
    read_at(browser, 2)
    browser.wait_for(beside(4), "the face staying with its message")
    browser.page.evaluate("() => { document.getElementById('messages').scrollTop = 0; }")
    edge = f"""() => {{
      const {{ bottom }} = document.getElementById('messages').getBoundingClientRect();
      return bottom - ({_FACE})()[3] <= 6;
    }}"""
    browser.wait_for(edge, "the face at the lower edge")
    browser.page.evaluate("() => { document.getElementById('messages').scrollTop = 1e6; }")
    browser.wait_for(beside(4), "the face back at its message")
    assert browser.page.evaluate(_LAYOUT) == before

    ken.page.evaluate("() => { location.hash = '#/arrival/arrival'; }")
    browser.wait_for(NOBODY, "Ken having left")
    assert browser.page.evaluate(_LAYOUT) == before


def test_another_thread_shows_no_face_of_the_one_before(browser, ken, thread, lineup):
    other = lineup.ids["t-0"]
    browser.open(thread)
    ken.open(thread)
    browser.wait_for(beside(0), "Ken at the newest message")
    browser.open(other)
    browser.wait_for(NOBODY, "nobody in the other thread")
    ken.open(other)
    browser.wait_for(beside(0), "Ken in the other thread")
