"""The scripts of the benches note the frames of a page, in Chromium."""

import pytest

from bench.drive.browser import _FIND, _NOTE
from bench.drive.window import NOTES
from tests.servers.chromium import running_chromium
from tests.support import wait_until

#: Paints as Lineup does, in a callback of the next frame. Returns the start of the frame after it.
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
    """The browser chooses which task comes first: of twenty rows some are noted before the next
    frame begins. With a callback that looks before the page has painted, none would be."""
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
