"""Queues in the page: a day of twenty hand-outs, and the page on which supervisors make queues."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from sqlalchemy import select

from dashboard.db.models.queues import queue_state
from dashboard.db.models.threads import thread_acts
from dashboard.db.threads import threads
from tests.browser.axe import violations
from tests.browser.outside import outside
from tests.browser.threads.test_case import is_said, toast
from tests.drivers.admin import AdminDriver
from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver, running_lineup
from tests.support import wait_until

pytestmark = pytest.mark.slow

VIPS, REST = "VIPs who wait", "All others"
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
#: The names in the notices of given threads, the oldest first.
GIVEN = "() => [...document.querySelectorAll('.given bdi')].map((each) => each.textContent)"
SWITCH = "() => document.querySelector('.queue-corner')?.getAttribute('aria-checked')"
LOAD = "() => document.querySelector('.queue-corner .queue-switch-load')?.textContent"
NEXT = "() => document.querySelector('.queue-next-count')?.textContent"
FOCUSED = "() => [document.activeElement.className, document.activeElement.value]"
OPEN = "() => Number(document.querySelector('.composer-field')?.dataset.thread ?? 0)"
NAMES = "() => [...document.querySelectorAll('.policy-name')].map((one) => one.textContent)"


class Day:
    """A desk with two shared views, the supervisor Sue, and the windows of two admins."""

    def __init__(self, chromium: Browser, lineup: LineupDriver):
        self.chromium, self.lineup = chromium, lineup
        self.sue_email = lineup.server.create_admin("Sue", "supervisor")
        self.sue = lineup.admin(self.sue_email)
        self.views = [
            self.view(VIPS, "tag:vip is:waiting"),
            self.view(REST, "-tag:vip is:waiting"),
        ]
        self.windows: list[BrowserDriver] = []

    def view(self, name: str, query: str) -> dict[str, Any]:
        draft = {"name": name, "query": query, "sort": "longest_wait", "owner": "all"}
        return self.sue.post("views", draft)

    def window(self, email: str) -> BrowserDriver:
        made = BrowserDriver(
            self.chromium, self.lineup.server, email, viewport=WIDE, reduced_motion="reduce"
        )
        self.windows.append(made)
        return made

    def vip(self, name: str) -> int:
        """Posts a thread that the push queue hands out."""
        message = self.lineup.message_event(name, name=name)
        tags = {field: message[field] for field in ("thread", "occurred_at")}
        tags |= {"id": f"tags-{name}", "type": "thread.tags", "add": ["vip"]}
        return self.lineup.post(message, tags)[0]

    def hand_outs(self) -> int:
        with self.lineup.database.read() as connection:
            return connection.scalar(select(queue_state.c.hand_outs)) or 0

    def assignee(self, id: int) -> str | None:
        url = f"{self.lineup.server.url}/admin/api/threads?ids={id}"
        [row] = self.lineup.mai.get(url).json()["rows"]
        return row["assignee"] and row["assignee"]["name"]


@pytest.fixture
def day(chromium, tmp_path) -> Iterator[Day]:
    with running_lineup(tmp_path) as lineup:
        made = Day(chromium, lineup)
        yield made
        for window in made.windows:
            window.close()
            assert window.errors == []


def press(window: BrowserDriver, key: str) -> None:
    window.page.focus(".list")
    window.page.keyboard.press(key)


def faults(page: Page) -> list[Any]:
    page.mouse.move(2, 2)
    found = [*violations(page), *outside(page)]
    page.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
    return found


def accepts(window: BrowserDriver) -> None:
    """By keyboard; the switch says what it does."""
    window.wait_for(f"() => ({SWITCH})() === 'false'", "the switch")
    window.page.focus(".queue-corner")
    assert window.page.get_attribute(".queue-corner", "role") == "switch"
    window.page.keyboard.press("Space")
    window.wait_for(f"() => ({SWITCH})() === 'true'", "accepting")


def gets(window: BrowserDriver, count: int) -> list[str]:
    window.wait_for(f"() => ({GIVEN})().length === {count}", f"{count} given threads")
    return window.page.evaluate(GIVEN)


def shares_vips(day: Day, ana: BrowserDriver, bo: BrowserDriver) -> None:
    """In turn; a notice leaves the focus to a writer, and survives a reload (Q32, Q33)."""
    mine = day.lineup.say("of-ana", name="Own")
    ana.open(mine)
    ana.page.fill(".composer-field", "While I write")
    for number in range(4):
        day.vip(f"V{number}")
    given = [gets(window, 2) for window in (ana, bo)]
    assert sorted(given[0] + given[1]) == sorted(
        f"You got a thread: V{number}, from “{VIPS}”." for number in range(4)
    )
    focus = ana.page.evaluate(FOCUSED)
    assert "composer-field" in focus[0] and focus[1] == "While I write"
    found = faults(ana.page)
    ana.page.set_viewport_size(PHONE)
    found += faults(ana.page)
    ana.page.set_viewport_size(WIDE)
    assert found == []
    ana.page.fill(".composer-field", "")
    ana.page.reload()
    assert gets(ana, 2) == given[0], "the server sends them again"
    opens_all(day, ana, 2)
    bo.page.locator(".given .button").first.click()
    bo.wait_for(f"() => ({GIVEN})().length === 1", "one left")
    opens_all(day, bo, 1)


def opens_all(day: Day, window: BrowserDriver, count: int) -> None:
    """One key opens the oldest; its notice goes."""
    for left in reversed(range(count)):
        before = window.page.evaluate(OPEN)
        press(window, "Shift+O")
        window.wait_for(f"() => ![0, {before}].includes(({OPEN})())", "the thread")
        gets(window, left)


def is_not_taken(day: Day, ana: BrowserDriver, bo: BrowserDriver) -> None:
    """It goes on to the other one; the first one stops accepting, and is told so (Q34)."""
    id = day.vip("Late")
    late = wait_until(
        lambda: next((one for one in (ana, bo) if one.page.evaluate(GIVEN)), None),
        what="the notice",
    )
    other = bo if late is ana else ana
    late.wait_for(toast("Late went back to “VIPs who wait”, not opened in time."), "the return")
    late.wait_for(toast("You no longer accept threads."))
    late.wait_for(f"() => ({SWITCH})() === 'false'")
    gets(late, 0)
    gets(other, 1)
    opens_all(day, other, 1)
    other.wait_for(is_said("did not open it in time"), "the line")
    other.wait_for(is_said("“VIPs who wait” gave it to you"))
    late.page.get_by_role("button", name="Accept again").click()
    late.wait_for(f"() => ({SWITCH})() === 'true'")
    late.wait_for("() => !document.getElementById('toasts').textContent.includes('Accept again')")
    assert other.page.evaluate(OPEN) == id


def takes_the_rest(day: Day, windows: tuple[BrowserDriver, ...], admins: list[AdminDriver]) -> None:
    """In the order of the view, up to the capacity; then the page says why not (Q40 to Q45)."""
    taken: list[list[int]] = [[], []]
    refused = set[int]()
    while day.hand_outs() < 17:
        at = sum(map(len, taken)) % 2
        window, admin = windows[at], admins[at]
        first = waiting(day)[0]
        load = window.page.evaluate(LOAD)
        if load == "5 of 5":
            if at not in refused:
                press(window, "q")
                window.wait_for(toast("You have 5 of 5 threads."), "no free place")
            refused.add(at)
            admin.reply(taken[at][-1] if taken[at] else window.page.evaluate(OPEN), "Done.")
            window.wait_for(f"() => ({LOAD})() === '4 of 5'", "a free place")
            continue
        if len(taken[at]) % 2:
            press(window, "q")
        else:
            window.page.click(".queue-next")
        window.wait_for(f"() => ({OPEN})() === {first}", "the first thread")
        window.wait_for(is_said(f"You took it from “{REST}”"), "the line")
        window.wait_for(f"() => ({LOAD})() !== {load!r}", "the load")
        taken[at].append(first)


def waiting(day: Day) -> list[int]:
    """The threads that the second queue hands out, as SQL orders them."""
    with day.lineup.database.read() as connection:
        ids = [
            entry.id
            for entry in threads.listed(
                connection, "not_respond", "unassigned", 0, "longest_wait", 99
            )
        ]
    return ids


def gives_back(day: Day, ana: BrowserDriver) -> None:
    """With a reason, by the key; it stands first again (Q50, I5)."""
    id = ana.page.evaluate(OPEN)
    press(ana, "t")
    ana.page.fill(".queue-release [name=reason]", "Speaks Dutch")
    ana.page.keyboard.press("Enter")
    ana.wait_for(is_said(f"You gave it back to “{REST}”"), "the line")
    assert waiting(day)[0] == id
    ana.page.focus(".list")
    ana.page.keyboard.press("w")
    ana.page.locator(".explain-queue", has_text=f"Waits in “{REST}”.").wait_for()
    assert "Number 1 of" in ana.page.inner_text(".explain-queue")
    ana.page.keyboard.press("Escape")


def takes_one_on_a_phone(window: BrowserDriver) -> None:
    """The switch and the button stand above the list."""
    page = window.page
    page.set_viewport_size(PHONE)
    page.evaluate("() => { location.hash = '#/arrival/arrival'; }")
    page.locator(".queue-bar-switch").wait_for()
    assert faults(page) == []
    page.click(".queue-next")
    page.locator(".composer-field").wait_for()


def hands_over_above_capacity(day: Day, sue: BrowserDriver, id: int) -> None:
    """The picker shows loads, and asks once (Q60)."""
    page = sue.page
    page.locator("[popovertarget=team-panel]").click()
    person = page.locator("#team-panel .person", has_text="Ana")
    person.filter(has_text="at capacity").wait_for()
    page.keyboard.press("Escape")
    for agreed in (False, True):
        sue.open(id)
        press(sue, "a")
        option = page.locator(".hand-option", has_text="Ana")
        option.filter(has_text="at capacity").click()
        page.locator("#ask-text", has_text="Ana has 5 of 5 threads already.").wait_for()
        page.click(".ask-yes" if agreed else ".ask-no")
        if not agreed:
            assert day.assignee(id) is None
    wait_until(lambda: day.assignee(id) == "Ana", what="the hand-over")


def test_a_day_of_twenty_hand_outs_by_two_admins_and_a_supervisor(day: Day):
    emails = [day.lineup.server.create_admin(name) for name in ("Ana", "Bo")]
    ana, bo = (day.window(email) for email in emails)
    admins = [day.lineup.admin(email) for email in emails]
    assert ana.page.evaluate(SWITCH) is None and ana.page.locator(".queue-bar").count() == 0
    push, pull = (
        day.sue.post("queues", {"view": view["id"], "mode": mode, "take_within": 600})["queue"]
        for view, mode in zip(day.views, ("push", "pull"), strict=True)
    )
    for window in (ana, bo):
        accepts(window)
    press(ana, "q")
    ana.wait_for(toast("Nothing waits"), "an empty queue")
    shares_vips(day, ana, bo)
    assert day.hand_outs() == 4
    fields = ("view", "mode", "admins", "delay", "return")
    draft = {name: push[name] for name in fields} | {"take_within": 10}
    day.sue.put(f"queues/{push['id']}", draft)
    is_not_taken(day, ana, bo)
    assert day.hand_outs() == 6
    for number in range(16):
        day.lineup.say(f"r-{number}", name=f"Rest {number}")
    takes_the_rest(day, (ana, bo), admins)
    gives_back(day, bo)
    takes_one_on_a_phone(bo)
    takes_up_to_twenty(day, ana, admins[0])
    hands_over_above_capacity(day, day.window(day.sue_email), waiting(day)[0])
    has_an_act_for_each_hand_out(day)
    for queue in (push, pull):
        day.sue.delete(f"queues/{queue['id']}")
    ana.wait_for("() => !document.querySelector('.queue-switch, .queue-next')", "nothing is left")


def takes_up_to_twenty(day: Day, ana: BrowserDriver, admin: AdminDriver) -> None:
    while day.hand_outs() < 20:
        if ana.page.evaluate(LOAD) == "5 of 5":
            admin.reply(ana.page.evaluate(OPEN), "Done.")
            ana.wait_for(f"() => ({LOAD})() === '4 of 5'", "a free place")
        press(ana, "q")
        ana.wait_for(f"() => ({LOAD})() === '5 of 5'", "the load")


def has_an_act_for_each_hand_out(day: Day) -> None:
    """I6."""
    assert day.hand_outs() == 20
    with day.lineup.database.read() as connection:
        of_type = thread_acts.c.type == "thread.assigned"
        acts = connection.scalars(select(thread_acts.c.data).where(of_type)).all()
    assert sum("queue" in data for data in acts) == 20


def writes_a_queue(sue: BrowserDriver, view: str, mode: str) -> None:
    page = sue.page
    page.click(".area-action")
    page.locator(".late-line", has_text="to hand out").wait_for()  # before a field is touched
    page.select_option(".queue-form [name=view]", label=view)
    page.locator(".queue-form .choice", has_text=mode).click()
    page.locator(".late-line", has_text="to hand out").wait_for()
    page.locator(".queue-form [type=submit]").click()
    page.locator(".area-note", has_text=f"The queue “{view}” is saved").wait_for()


def has_faults_at_their_fields(sue: BrowserDriver) -> None:
    """The form says what the queue would do now, and what is wrong (Q7)."""
    page = sue.page
    page.locator(".policy-open").first.click()
    page.locator(".queue-form .queue-cancel").click()
    page.wait_for_selector(".queue-form", state="detached")  # nothing was changed: no question
    page.locator(".policy-open").first.click()
    now = "Now: 3 unassigned threads to hand out. Nobody accepts threads at the moment."
    page.locator(".late-line", has_text=now).wait_for()
    page.locator(".queue-form .set-help", has_text="go out by “Longest wait”.").wait_for()
    page.fill(".queue-form [name=take_within]", "5")
    page.locator("#take_within-said", has_text="from 10 to 3").wait_for()
    page.fill(".queue-form [name=take_within]", "90")
    page.locator(".queue-form .choice", has_text="Admins of these desks").click()
    page.locator("#admins-said", has_text="Choose at least one desk").wait_for()
    page.locator(".queue-desks .choice").first.click()
    found = faults(page)
    page.set_viewport_size(PHONE)
    found += faults(page)
    page.set_viewport_size(WIDE)
    assert found == []
    page.locator(".queue-form [type=submit]").click()
    page.locator(".area-note", has_text="is saved").wait_for()


def is_put_in_order_and_deleted(day: Day, sue: BrowserDriver) -> None:
    page = sue.page
    page.locator(".policy-open").first.focus()
    page.keyboard.press("Alt+ArrowDown")
    page.click(".policy-order-save")
    page.locator(".area-note", has_text="The order is saved").wait_for()
    assert [queue["name"] for queue in day.sue.get("queues")["queues"]] == [REST, VIPS]
    page.locator(".policy-delete").first.click()
    page.locator("#ask-text", has_text="waiting thread").wait_for()
    page.click(".ask-yes")
    page.locator(".area-note", has_text=f"The queue “{REST}” is deleted").wait_for()
    assert page.evaluate(NAMES) == [VIPS]


def sets_capacity_of_mai(day: Day, sue: BrowserDriver) -> None:
    page = sue.page
    page.click(".area-nav [href='/settings/accounts']")
    page.locator("tr", has_text="Mai").locator(".set-open").click()
    page.fill("[name=capacity]", "2")
    page.locator(".account-editor [type=submit]").click()

    def capacity() -> int:
        accounts = day.sue.get("accounts")["accounts"]
        return next(one["capacity"] for one in accounts if one["name"] == "Mai")

    wait_until(lambda: capacity() == 2, what="the capacity")


def loses_its_notice_everywhere(day: Day, ana: BrowserDriver, other: BrowserDriver) -> int:
    """A thread that is opened in one window needs no notice in the other one (Q37)."""
    id = day.vip("Both")
    for window in (ana, other):
        gets(window, 1)
    ana.page.locator(".given .button").first.click()
    gets(other, 0)
    ana.wait_for(f"() => ({OPEN})() === {id}", "the thread")
    return id


def is_given_back_with_a_reason(ana: BrowserDriver, other: BrowserDriver, id: int) -> None:
    """The row alone offers it; the line says who gave it back, and why (Q55, Q76)."""
    ana.page.locator(".act-claim", has_text="Give back").click()
    ana.page.fill(".queue-release [name=reason]", "She is my aunt")
    ana.page.keyboard.press("Enter")
    ana.wait_for(is_said(f"You gave it back to “{VIPS}” · “She is my aunt”"), "the line")
    other.open(id)
    other.wait_for(is_said(f"You gave it back to “{VIPS}” · “She is my aunt”"))


def asks_before_taking(day: Day, ana: BrowserDriver, id: int) -> None:
    """By the key, once and with the numbers (Q60)."""
    for agreed in (False, True):
        ana.open(id)
        press(ana, "t")
        ana.page.locator("#ask-text", has_text="You have 1 of 1 threads already.").wait_for()
        ana.page.click(".ask-yes" if agreed else ".ask-no")
        if not agreed:
            assert day.assignee(id) is None
    wait_until(lambda: day.assignee(id) == "Ana", what="the thread")


def asks_before_handing_over_all(day: Day, sue: BrowserDriver, id: int) -> None:
    """In the form, which has the numbers; the second press does it (Q60)."""
    page = sue.page
    page.locator("[popovertarget=team-panel]").click()
    person = page.locator("#team-panel .person", has_text="Ana").first
    person.locator("button.person-thread", has_text="Hand over all").click()
    page.locator(".hand-all .hand-option").filter(has=page.get_by_text("Bo", exact=True)).click()
    page.locator(".hand-all [type=submit]").click()
    page.locator(".hand-all-over", has_text="Bo has 0 of 1 threads and gets 2 more.").wait_for()
    found = faults(page)
    page.set_viewport_size(PHONE)
    found += faults(page)
    page.set_viewport_size(WIDE)
    assert found == [] and day.assignee(id) == "Ana"
    page.locator(".hand-all [type=submit]", has_text="anyway").click()
    wait_until(lambda: day.assignee(id) == "Bo", what="the hand-over")


def works_in_two_windows(day: Day) -> None:
    """Two windows of an admin, and questions above a capacity."""
    emails = [day.lineup.server.create_admin(name) for name in ("Ana", "Bo")]
    push = day.sue.post("queues", {"view": day.views[0]["id"], "mode": "push"})["queue"]
    for email in emails:
        day.lineup.admin(email).put("me/accepting", {"accepting": False, "capacity": 1})
    ana, other = (day.window(emails[0]) for _ in range(2))
    accepts(ana)
    id = loses_its_notice_everywhere(day, ana, other)
    ana.page.click(".queue-corner")
    ana.wait_for(f"() => ({SWITCH})() === 'false'")
    is_given_back_with_a_reason(ana, other, id)
    day.sue.delete(f"queues/{push['id']}")
    day.sue.post("queues", {"view": day.views[1]["id"], "mode": "pull"})
    ids = [day.lineup.say(f"r-{number}", name=f"Rest {number}") for number in range(2)]
    ana.wait_for(f"() => ({NEXT})() === '2'", "two to take")
    press(ana, "q")
    ana.wait_for(f"() => ({OPEN})() === {ids[0]} && ({LOAD})() === '1 of 1'", "the first")
    asks_before_taking(day, ana, ids[1])
    asks_before_handing_over_all(day, day.window(day.sue_email), ids[1])


def test_supervisors_make_order_and_delete_queues(day: Day):
    """Q5 to Q7, Q22, Q23, Q37, Q55, Q60."""
    vips = [day.vip(f"V{number}") for number in range(3)]
    sue = day.window(day.sue_email)
    page = sue.page
    page.goto(f"{day.lineup.server.url}/settings/queues")
    page.locator(".hours-none", has_text="There is no queue yet").wait_for()
    writes_a_queue(sue, VIPS, "Hands out by itself")
    writes_a_queue(sue, REST, "Admins ask for the next one")
    assert page.evaluate(NAMES) == [VIPS, REST]
    page.locator(".policy-about", has_text="3 waiting, nobody accepts threads at").wait_for()
    assert faults(page) == []
    has_faults_at_their_fields(sue)
    [first, _] = day.sue.get("queues")["queues"]
    assert (first["take_within"], first["admins"]) == (90, ["main"])
    page.select_option("#set-load", "open")
    wait_until(lambda: day.sue.get("queues")["load"] == "open", what="what counts")
    is_put_in_order_and_deleted(day, sue)
    sets_capacity_of_mai(day, sue)
    day.sue.delete(f"queues/{day.sue.get('queues')['queues'][0]['id']}")
    day.sue.put("queues/load", {"load": "waiting"})
    for id in vips:
        assert day.sue.act(id, "close").status_code == 200
    works_in_two_windows(day)
