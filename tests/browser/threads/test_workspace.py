"""The admin's tools: picked threads, search, the palette, canned replies, following."""

import pytest

from tests.browser import states
from tests.browser.threads.test_case import has_row, toast
from tests.support import stays, wait_until

pytestmark = pytest.mark.slow

#: The script of all that is not needed for the first rows.
LATER = "**/later-*.js"


def opened(browser) -> str:
    return browser.page.evaluate("() => location.hash").split("/")[-1]


def test_picked_threads_are_closed_with_a_result_for_each(browser, lineup):
    ids = [lineup.say(f"pick-{number}", "Close me") for number in range(3)]
    wait_until(lambda: [id for _, id in browser.rows_in_view()[:3]] == ids[::-1], 5, "the three")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("Home")
    for key in ("x", "Shift+ArrowDown", "Shift+ArrowDown"):
        browser.page.keyboard.press(key)
    count = "() => document.querySelector('.bulk-count')?.textContent"
    wait_until(lambda: browser.page.evaluate(count) == "3 selected", what="three being picked")
    browser.page.keyboard.press("e")
    # The customers of all three wait.
    browser.page.click(".ask-yes")
    browser.wait_for(toast("3 threads closed"), "the results")
    browser.wait_for("() => !document.querySelector('.bulk-count')", "the selection's end")
    wait_until(
        lambda: not set(ids) & {id for _, id in browser.rows_in_view()}, 10, "the rows' going"
    )


def test_what_could_not_be_done_stays_picked_and_says_why(browser, lineup):
    lineup.say("claim-0", "Take me")
    kens = lineup.say("claim-1", "Take me")
    browser.wait_for(has_row(kens), "the two")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("Home")
    for key in ("x", "Shift+ArrowDown"):
        browser.page.keyboard.press(key)
    assert lineup.admin(lineup.ken_email).act(kens, "claim").ok
    browser.page.locator(".list-header .button", has_text="Take").click()
    browser.wait_for(toast("1 thread taken. 1 could not be changed."), "the results")
    browser.wait_for("() => document.querySelectorAll('.row.picked').length === 1", "one left")
    picked = "() => [...document.querySelectorAll('.row.picked')].map((row) => row.id)"
    assert browser.page.evaluate(picked) == [f"row-{kens}"]
    browser.page.locator(".toast .button", has_text="Show results").click()
    assert "Ken has taken this thread already" in browser.page.locator(".results").inner_text()


def test_search_finds_a_message_and_keeps_its_order_while_threads_move(browser, lineup):
    for number in range(3):
        lineup.say(f"t-{number}", f"The zebra {number} is missing")
    browser.page.keyboard.press("/")
    browser.page.keyboard.type("zzqq")
    browser.page.wait_for_selector(".search .empty-title >> text=Nothing found")
    browser.page.fill("#search-field", "")
    browser.page.keyboard.type("zebra mis")
    browser.wait_for("() => document.querySelectorAll('.found').length === 3", "three results")
    assert browser.page.locator(".found mark").count() == 6
    before = browser.page.locator(".found-excerpt").all_inner_texts()
    lineup.say("t-0", "Any news?")
    browser.page.keyboard.press("ArrowDown")
    browser.page.keyboard.press("Enter")
    browser.wait_for("() => document.querySelector('.message')", "the conversation")
    assert browser.page.locator(".found-excerpt").all_inner_texts() == before
    browser.page.keyboard.press("Escape")
    browser.page.wait_for_selector(".search", state="hidden")


def test_the_palette_goes_to_a_sort_and_to_a_thread(browser, lineup):
    browser.page.keyboard.press("Control+k")
    browser.page.keyboard.type("longest")
    browser.page.keyboard.press("Enter")
    browser.wait_until_shown("arrival/longest_wait")
    browser.page.keyboard.press("Control+k")
    browser.page.keyboard.type(f"#{lineup.shown}")
    browser.page.keyboard.press("Enter")
    browser.page.wait_for_selector(f".composer-field[data-thread='{lineup.shown}']")
    goes_to_places_with_the_thread_and_without_it(browser, lineup)


def goes_to_places_with_the_thread_and_without_it(browser, lineup) -> None:
    """It is closed where the place does not have it, but not while one writes in it."""
    page, id = browser.page, lineup.say("places", name="Places")
    browser.renew()
    browser.open(id)
    page.click(".nav-item[data-kind=unassigned]")
    browser.wait_until_shown("unassigned/longest_wait")
    page.fill(".composer-field", "A beginning")
    page.keyboard.press("Control+k")
    page.fill(".palette-field", "history")
    page.keyboard.press("Enter")
    browser.wait_until_shown("history/arrival")
    stays(lambda: opened(browser) == str(id), 0.5, "one writes in it")
    page.click(".nav-item[data-kind=mentions]")
    browser.wait_until_shown("mentions/arrival")
    page.wait_for_selector(".queue-now")
    assert opened(browser) == "arrival" and page.locator(".composer").count() == 0
    page.go_back()
    page.go_back()
    browser.wait_until_shown("unassigned/longest_wait")
    page.wait_for_selector(f".composer-field[data-thread='{id}']")
    assert page.input_value(".composer-field") == "A beginning"
    page.fill(".composer-field", "")


def test_a_canned_reply_is_filled_in_by_name(browser, lineup):
    states.canned(browser, lineup)
    browser.page.keyboard.type("hel")
    browser.wait_for("() => document.querySelectorAll('.canned-choice').length === 1", "one choice")
    browser.page.keyboard.press("Enter")
    assert browser.page.input_value(".composer-field") == "こんにちは、山田 太郎 様。Mai です。"
    assert lineup.admin(lineup.mai_email).messages(lineup.shown)[-1]["role"] == "client", (
        "nothing was sent"
    )


def test_the_customer_panel_leads_to_their_other_thread(browser, lineup):
    states.customer(browser, lineup)
    tells_what_the_chatbot_knows(browser, lineup)
    keeps_a_note_on_the_person(browser, lineup)
    browser.page.locator(".customer-thread").first.click()
    wait_until(lambda: opened(browser) not in ("", str(lineup.shown)), what="the other thread")


def tells_what_the_chatbot_knows(browser, lineup) -> None:
    """By name; only an https address is a link, and the open panel follows changes."""
    attributes = ".customer-attributes"
    names = browser.page.locator(f"{attributes} dt").all_inner_texts()
    assert names == sorted(states.ATTRIBUTES)
    [link] = browser.page.locator(f"{attributes} a").all()
    assert link.get_attribute("href") == states.ATTRIBUTES["Account"]
    assert link.get_attribute("target") == "_blank"
    assert {"noopener", "noreferrer"} <= {*(link.get_attribute("rel") or "").split()}
    lineup.say("earlier", "Gold!", customer={"id": "yamada", "attributes": {"Plan": "Platinum"}})
    told = "() => document.querySelector('#customer').innerText.includes('Platinum')"
    browser.wait_for(told, "the new plan")
    assert browser.page.locator(f"{attributes} dt").all_inner_texts() == ["Plan"]
    lineup.say("earlier", "As before", customer={"id": "yamada", "attributes": states.ATTRIBUTES})


def keeps_a_note_on_the_person(browser, lineup) -> None:
    """What a colleague has written meanwhile is shown, and neither text is lost."""
    page, field = browser.page, browser.page.locator(".customer-note textarea")
    ken = lineup.admin(lineup.ken_email)

    def note(text: str = "", changed_at: int | None = None):
        url = f"{lineup.server.url}/admin/api/threads/{lineup.shown}/customer"
        if text:
            body = {"customer": "shop/yamada", "text": text, "changed_at": changed_at}
            assert ken.session.put(f"{url}/note", json=body).ok
        return ken.session.get(url).json()["customer"]["note"]

    field.fill("Calls")
    note("Speaks Dutch")
    page.wait_for_selector(".customer-note-theirs")
    field.press_sequentially(" at")
    assert "Speaks Dutch" in page.locator(".customer-note-theirs").inner_text(), "as long as it is"
    page.locator(".customer-note-theirs .button", has_text="Use theirs").click()
    wait_until(lambda: field.input_value() == "Speaks Dutch", what="the colleague's words")
    field.fill("Calls at six")
    field.press("Control+Enter")
    browser.wait_for("() => document.querySelector('.customer-note-foot time')", "who, and when")
    assert page.locator(".customer-note-foot").inner_text().startswith("Mai · ")
    field.press_sequentially(" o'clock")
    note("Speaks English", note()["at"])
    page.wait_for_selector(".customer-note-theirs")
    assert "Speaks English" in page.locator(".customer-note-theirs").inner_text()
    assert field.input_value() == "Calls at six o'clock"
    page.locator(".customer-note .button-accent", has_text="Replace with mine").click()
    browser.wait_for("() => document.querySelector('.customer-note-foot time')", "being saved")
    assert note()["text"] == "Calls at six o'clock"
    note("Speaks English", note()["at"])
    browser.wait_for(
        "() => document.querySelector('.customer-note textarea').value === 'Speaks English'",
        "the note of a colleague in an open panel",
    )
    field.fill("")
    page.locator(".customer-note .button-accent").click()
    wait_until(lambda: note() is None, what="the note being deleted")


def test_who_answered_is_named_on_a_row_that_left_a_held_list(browser, lineup):
    id = lineup.say("answered", "Somebody?")
    browser.page.evaluate("() => { location.hash = '#/not_respond/arrival'; }")
    browser.wait_until_shown("not_respond/arrival")
    browser.wait_for(has_row(id, "Somebody?"), "the row")
    browser.page.locator(".list").focus()
    browser.page.keyboard.press("p")
    lineup.admin(lineup.ken_email).reply(id, "Here I am")
    browser.wait_for(has_row(id, "Answered by Ken"), "the row telling who answered")
    browser.page.keyboard.press("p")
    browser.wait_for(f"() => !document.getElementById('row-{id}')", "the row's going")


@pytest.mark.parametrize(
    ("follow", "name"), [("off", "t-150"), ("always", "t-151"), ("after_reply", "t-152")]
)
def test_the_list_follows_the_open_thread_only_where_that_is_chosen(browser, lineup, follow, name):
    lineup.admin(lineup.mai_email).prefer(follow=follow)
    browser.renew()
    id = lineup.ids[name]
    browser.open(id)
    browser.page.keyboard.press(".")
    browser.wait_for(has_row(id), "the row in the list")
    browser.wait_for("() => window.lineup.list().hold === 'live'")
    place = dict(map(reversed, browser.rows_in_view())).get(id)
    top = browser.page.locator(".list").evaluate("(list) => list.scrollTop")
    assert place is not None and place > 20
    lineup.say(name, "It moves up")
    if follow == "always":
        browser.wait_for("() => document.querySelector('.list').scrollTop === 0", "the following")
        wait_until(lambda: browser.rows_in_view()[:1] == [(1, id)], what="its place at the top")
    else:
        wait_until(lambda: browser.state()["ids"][0] == id, what="the move")
        browser.wait_for("() => window.lineup.list().painted[0] !== undefined")
        assert browser.page.locator(".list").evaluate("(list) => list.scrollTop") >= top
    lineup.admin(lineup.mai_email).prefer(follow="off")


def test_the_list_follows_the_open_thread_after_ones_own_reply(browser, lineup):
    lineup.admin(lineup.mai_email).prefer(follow="after_reply")
    browser.renew("arrival/longest_wait")
    id = lineup.ids["t-170"]
    browser.open(id)
    browser.page.keyboard.press(".")
    browser.wait_for(has_row(id), "the row in the list")
    place = dict(map(reversed, browser.rows_in_view()))[id]
    browser.page.fill(".composer-field", "It is on its way")
    browser.page.keyboard.press("Control+Enter")
    # It no longer waits, so it stands below all waiting threads.
    wait_until(lambda: place_of(browser, id) > place + 10, 10, "its new place, in view")
    assert browser.page.locator(".chip").count() == 0
    assert browser.page.evaluate("() => document.activeElement.className") == "composer-field"
    lineup.admin(lineup.mai_email).prefer(follow="off")


def place_of(browser, id: int) -> int:
    """The place of the thread's row in the list; 0 if it is out of view."""
    return dict(map(reversed, browser.rows_in_view())).get(id, 0)


def test_the_next_unanswered_thread_is_opened_from_within_a_reply(browser, lineup):
    browser.open(lineup.shown)
    browser.page.keyboard.press(".")
    browser.page.locator(".composer-field").focus()
    browser.page.keyboard.press("Alt+Shift+ArrowDown")
    wait_until(lambda: opened(browser) not in ("", str(lineup.shown)), what="another thread")
    assert browser.page.locator(".row.current.unread").count() == 1


def test_what_is_typed_ahead_of_a_slow_search_lands_in_its_field(browser):
    asked = []
    browser.page.route(LATER, lambda route: asked.append(route))
    browser.renew()
    browser.page.locator(".list").focus()
    before = browser.state()
    browser.page.keyboard.press("/")
    browser.page.keyboard.type("sj-44p")
    wait_until(lambda: browser.state() and asked, what="the script being asked")
    asked[0].continue_()
    browser.wait_for(
        "() => document.querySelector('#search-field')?.value === 'sj-44p'", "the words"
    )
    after = browser.state()
    assert [after[name] for name in ("sort", "hold")] == [before[name] for name in ("sort", "hold")]


def test_a_module_that_cannot_be_loaded_gives_a_notice_and_opens_later(browser):
    browser.page.route(LATER, lambda route: route.abort())
    browser.renew()
    browser.page.keyboard.press("?")
    browser.wait_for(toast("The server could not be reached."), "the refusal")
    browser.page.unroute(LATER)
    browser.page.keyboard.press("?")
    browser.page.wait_for_selector(".help-keys")


def test_a_chip_shows_where_the_open_thread_went_after_a_reply(browser, lineup):
    id = lineup.ids["t-160"]
    browser.page.evaluate("() => { location.hash = '#/arrival/longest_wait'; }")
    browser.wait_until_shown("arrival/longest_wait")
    browser.open(id)
    browser.page.keyboard.press(".")
    browser.wait_for(has_row(id), "the row in the list")
    browser.page.fill(".composer-field", "It is on its way")
    browser.page.keyboard.press("Control+Enter")
    browser.page.wait_for_selector(".chip", timeout=10_000)
    browser.page.click(".chip")
    browser.wait_for(has_row(id), "the row at its new place")
    browser.page.wait_for_selector(".chip", state="detached")
