"""What the benches' scripts note of a page's frames, in Chromium."""

import pytest

from bench.drive.browser import _FIND, _NOTE
from bench.drive.window import NOTES
from tests.servers.chromium import running_chromium
from tests.support import wait_until

#: As Lineup paints: what came is shown by a callback of the next frame. Keeps when the frame behind
#: that one began.
_SHOW = """(id) => new Promise((resolve) => requestAnimationFrame(() => {
    document.querySelector(".row").id = `row-${id}`;
    document.querySelector(".row-preview").textContent = `message ${id}`;
    requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
}))"""
_PAGE = (
    '<div class="list"><div class="row" id="row-0"><span class="row-preview"></span></div></div>'
)


@pytest.mark.slow
@pytest.mark.parametrize("script", ["painted", "pagebudget"])
def test_a_row_is_noted_with_the_frame_that_shows_it(script):
    """Which task comes first is the browser's choice: of twenty rows some are noted before the next
    frame begins. None was where a callback looks at rows before the page has painted them."""
    with running_chromium() as browser:
        page = browser.new_page()
        if script == "pagebudget":
            page.add_init_script(path=NOTES)
        page.goto("about:blank")
        page.set_content(_PAGE)
        if script == "painted":
            page.evaluate(_NOTE, _FIND["lineup"])
        next_frames = {id: page.evaluate(_SHOW, id) for id in range(1, 21)}
        times = "() => window.painted ?? notes.painted"
        wait_until(lambda: "20" in page.evaluate(times), what="a note of the last row")
        noted = {int(id): at[0] for id, at in page.evaluate(times).items()}
    assert any(at <= next_frames.get(id, 0) for id, at in noted.items())
