"""What an admin works with: picked threads, search, the palette, canned replies, following."""

import pytest

from tests.browser import states
from tests.browser.test_case import has_row, toast
from tests.support import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.live, pytest.mark.real_redis]


def opened(desk) -> str:
    return desk.page.evaluate("() => location.hash").split("/")[-1]


def test_picked_threads_are_closed_with_a_result_for_each(desk, stage):
    ids = [stage.says(f"pick-{number}", "Close me") for number in range(3)]
    wait_until(lambda: [id for _, id in desk.rows_in_view()[:3]] == ids[::-1], 5, "the three")
    desk.page.locator(".list").focus()
    desk.page.keyboard.press("Home")
    for key in ("x", "Shift+ArrowDown", "Shift+ArrowDown"):
        desk.page.keyboard.press(key)
    count = "() => document.querySelector('.bulk-count')?.textContent"
    wait_until(lambda: desk.page.evaluate(count) == "3 selected", what="three being picked")
    desk.page.keyboard.press("e")
    desk.wait_for(toast("3 threads done"), "the results")
    desk.wait_for("() => !document.querySelector('.bulk-count')", "the selection's end")
    wait_until(lambda: not set(ids) & {id for _, id in desk.rows_in_view()}, 10, "the rows' going")


def test_what_could_not_be_done_stays_picked_and_says_why(desk, stage):
    stage.says("claim-0", "Take me")
    kens = stage.says("claim-1", "Take me")
    desk.wait_for(has_row(kens), "the two")
    desk.page.locator(".list").focus()
    desk.page.keyboard.press("Home")
    for key in ("x", "Shift+ArrowDown"):
        desk.page.keyboard.press(key)
    assert stage.acts(stage.ken).act(kens, "claim").ok
    desk.page.locator(".list-header .button", has_text="Take").click()
    desk.wait_for(toast("1 thread done. 1 was not."), "the results")
    desk.wait_for("() => document.querySelectorAll('.row.picked').length === 1", "one left")
    picked = "() => [...document.querySelectorAll('.row.picked')].map((row) => row.id)"
    assert desk.page.evaluate(picked) == [f"row-{kens}"]
    desk.page.locator(".toast .button").click()
    assert "Ken has taken this thread already" in desk.page.locator(".results").inner_text()


def test_search_finds_a_message_and_keeps_its_order_while_threads_move(desk, stage):
    for number in range(3):
        stage.says(f"t-{number}", f"The zebra {number} is missing")
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("zebra mis")
    desk.wait_for("() => document.querySelectorAll('.found').length === 3", "three results")
    assert desk.page.locator(".found mark").count() == 6
    before = desk.page.locator(".found-excerpt").all_inner_texts()
    stage.says("t-0", "Any news?")
    desk.page.keyboard.press("ArrowDown")
    desk.page.keyboard.press("Enter")
    desk.wait_for("() => document.querySelector('.message')", "the conversation")
    assert desk.page.locator(".found-excerpt").all_inner_texts() == before
    desk.page.keyboard.press("Escape")
    desk.page.wait_for_selector(".search", state="hidden")


def test_the_palette_goes_to_a_sort_and_to_a_thread(desk, stage):
    desk.page.keyboard.press("Control+k")
    desk.page.keyboard.type("longest")
    desk.page.keyboard.press("Enter")
    desk.wait_until_shown("arrival/longest_wait")
    desk.page.keyboard.press("Control+k")
    desk.page.keyboard.type(f"#{stage.shown}")
    desk.page.keyboard.press("Enter")
    desk.page.wait_for_selector(f".composer-field[data-thread='{stage.shown}']")


def test_a_canned_reply_is_filled_in_by_name(desk, stage):
    states.canned(desk, stage)
    desk.page.keyboard.type("hel")
    desk.wait_for("() => document.querySelectorAll('.canned-choice').length === 1", "one choice")
    desk.page.keyboard.press("Enter")
    assert desk.page.input_value(".composer-field") == "こんにちは、山田 太郎 様。Mai です。"
    assert stage.acts(stage.mai).messages(stage.shown)[-1]["role"] == "client", "nothing was sent"


def test_the_customer_panel_leads_to_their_other_thread(desk, stage):
    states.customer(desk, stage)
    desk.page.locator(".customer-thread").first.click()
    wait_until(lambda: opened(desk) not in ("", str(stage.shown)), what="the other thread")


def test_who_answered_is_named_on_a_row_that_left_a_held_list(desk, stage):
    id = stage.says("answered", "Somebody?")
    desk.page.evaluate("() => { location.hash = '#/not_respond/arrival'; }")
    desk.wait_until_shown("not_respond/arrival")
    desk.wait_for(has_row(id, "Somebody?"), "the row")
    desk.page.locator(".list").focus()
    desk.page.keyboard.press("p")
    stage.acts(stage.ken).reply(id, "Here I am")
    desk.wait_for(has_row(id, "Answered by Ken"), "the row telling who answered")
    desk.page.keyboard.press("p")
    desk.wait_for(f"() => !document.getElementById('row-{id}')", "the row's going")


@pytest.mark.parametrize(
    ("follow", "name"), [("off", "t-150"), ("always", "t-151"), ("after_reply", "t-152")]
)
def test_the_list_follows_the_open_thread_only_where_that_is_chosen(desk, stage, follow, name):
    stage.acts(stage.mai).prefer(follow=follow)
    desk.renew()
    id = stage.ids[name]
    desk.open(id)
    desk.page.keyboard.press(".")
    desk.wait_for(has_row(id), "the row in the list")
    desk.wait_for("() => window.lineup.list().hold === 'live'")
    place = dict(map(reversed, desk.rows_in_view())).get(id)
    top = desk.page.locator(".list").evaluate("(list) => list.scrollTop")
    assert place is not None and place > 20
    stage.says(name, "It moves up")
    if follow == "always":
        desk.wait_for("() => document.querySelector('.list').scrollTop === 0", "the following")
        wait_until(lambda: desk.rows_in_view()[:1] == [(1, id)], what="its place at the top")
    else:
        wait_until(lambda: desk.state()["ids"][0] == id, what="the move")
        desk.wait_for("() => window.lineup.list().painted[0] !== undefined")
        assert desk.page.locator(".list").evaluate("(list) => list.scrollTop") >= top
    stage.acts(stage.mai).prefer(follow="off")


def test_the_list_follows_the_open_thread_after_ones_own_reply(desk, stage):
    stage.acts(stage.mai).prefer(follow="after_reply")
    desk.renew("arrival/longest_wait")
    id = stage.ids["t-170"]
    desk.open(id)
    desk.page.keyboard.press(".")
    desk.wait_for(has_row(id), "the row in the list")
    place = dict(map(reversed, desk.rows_in_view()))[id]
    desk.page.fill(".composer-field", "It is on its way")
    desk.page.keyboard.press("Control+Enter")
    # It waits no longer, so that it stands below all who do.
    wait_until(lambda: place_of(desk, id) > place + 10, 10, "its new place, in view")
    assert desk.page.locator(".chip").count() == 0
    assert desk.page.evaluate("() => document.activeElement.className") == "composer-field"
    stage.acts(stage.mai).prefer(follow="off")


def place_of(desk, id: int) -> int:
    """Where the thread's row stands in the list; 0 where it is out of view."""
    return dict(map(reversed, desk.rows_in_view())).get(id, 0)


def test_the_next_unanswered_thread_is_opened_from_within_a_reply(desk, stage):
    desk.open(stage.shown)
    desk.page.keyboard.press(".")
    desk.page.locator(".composer-field").focus()
    desk.page.keyboard.press("Alt+Shift+ArrowDown")
    wait_until(lambda: opened(desk) not in ("", str(stage.shown)), what="another thread")
    assert desk.page.locator(".row.current.unread").count() == 1


def test_what_is_typed_ahead_of_a_slow_search_lands_in_its_field(desk):
    asked = []
    desk.page.route("**/ui/search.js", lambda route: asked.append(route))
    desk.page.locator(".list").focus()
    before = desk.state()
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("sj-44p")
    wait_until(lambda: desk.state() and asked, what="the script being asked")
    asked[0].continue_()
    desk.wait_for("() => document.querySelector('.search-field')?.value === 'sj-44p'", "the words")
    after = desk.state()
    assert [after[name] for name in ("sort", "hold")] == [before[name] for name in ("sort", "hold")]


def test_a_part_that_cannot_be_loaded_is_told_of_and_opens_later(desk):
    desk.page.context.set_offline(True)
    desk.page.keyboard.press("?")
    desk.wait_for(toast("The server could not be reached."), "the refusal")
    desk.page.context.set_offline(False)
    desk.page.keyboard.press("?")
    desk.page.wait_for_selector(".help-keys")


def test_a_chip_tells_where_the_open_thread_went_after_a_reply(desk, stage):
    id = stage.ids["t-160"]
    desk.page.evaluate("() => { location.hash = '#/arrival/longest_wait'; }")
    desk.wait_until_shown("arrival/longest_wait")
    desk.open(id)
    desk.page.keyboard.press(".")
    desk.wait_for(has_row(id), "the row in the list")
    desk.page.fill(".composer-field", "It is on its way")
    desk.page.keyboard.press("Control+Enter")
    desk.page.wait_for_selector(".chip", timeout=10_000)
    desk.page.click(".chip")
    desk.wait_for(has_row(id), "the row at its new place")
    desk.page.wait_for_selector(".chip", state="detached")
