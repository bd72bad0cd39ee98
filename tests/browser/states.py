"""The states of the page that are looked at, in pictures and by the accessibility check."""

from collections.abc import Callable
from uuid import uuid4

from tests.drivers.browser import BrowserDriver
from tests.drivers.lineup import LineupDriver

State = Callable[[BrowserDriver, LineupDriver], None]

#: The thread that the pictures show.
SHOWN = "shown"
BODIES = (
    ("client", "注文した商品がまだ届いていません。追跡番号を教えてください。"),
    ("bot", "ご注文番号を教えていただけますか。"),
    ("client", "JP-4471 です。 https://example.com/orders/JP-4471"),
)


#: What the chatbot tells about the customer of that thread.
ATTRIBUTES = {
    "Plan": "Gold",
    "Orders": "12",
    "Account": "https://shop.example/customers/a-very-long-address-that-needs-more-than-one-line",
    "Site": "http://plain.example",
    "Said": "see https://other.example",
}

#: Dot → (the customer's name, the presence settings).
DOTS = {
    "offline": ("佐藤 花子", {"visibility": "nobody"}),
    "lately": ("Minh Trần", {}),
    "dnd": ("Phương Anh Lê", {"status": "dnd"}),
    "busy": ("Diego Ramos", {"status": "busy"}),
    "away": ("Alice Carter", {"status": "away"}),
    "online": ("Linh Nguyễn", {}),
}


def prepare(lineup: LineupDriver) -> None:
    """Writes the thread that is shown, one more of its customer, and canned replies."""
    for role, body in BODIES:
        lineup.say(SHOWN, body, role=role, name="山田 太郎", customer_id="yamada")
    known = {"id": "yamada", "name": "山田 太郎", "attributes": ATTRIBUTES}
    lineup.say("earlier", "返品したいのですが。", customer=known)
    files = [
        {"url": "https://example.com/box.jpg", "type": "image/jpeg", "name": "box.jpg"},
        {"url": "https://example.com/order.pdf", "type": "application/pdf", "name": "order.pdf"},
    ]
    lineup.shown = lineup.say(
        SHOWN, "もしもし？", name="山田 太郎", customer_id="yamada", attachments=files
    )
    admin = lineup.admin(lineup.mai_email)
    admin.make_canned("hello", "こんにちは、{{customer.name}} 様。{{admin.name}} です。")
    admin.make_canned("track", "You can follow your parcel at https://example.com/track.")


def live(browser: BrowserDriver, lineup: LineupDriver) -> None:
    browser.page.wait_for_selector(".row:not(.skeleton)")


def open_thread(browser: BrowserDriver, lineup: LineupDriver) -> None:
    browser.open(lineup.shown)
    browser.page.fill(".composer-field", "追跡番号は JP-4471-8802 です。")


def note(browser: BrowserDriver, lineup: LineupDriver) -> None:
    open_thread(browser, lineup)
    browser.page.locator(".composer-mode").nth(1).click()


def held(browser: BrowserDriver, lineup: LineupDriver) -> None:
    open_thread(browser, lineup)
    box = browser.page.locator(".list").bounding_box()
    assert box is not None
    browser.page.mouse.move(box["x"] + 90, box["y"] + 250)
    browser.page.mouse.move(box["x"] + 92, box["y"] + 252)
    for number in range(3):
        lineup.say(f"new-{number}", "Is anybody there?")
    browser.page.wait_for_selector(".news")


def stale_reply(browser: BrowserDriver, lineup: LineupDriver) -> None:
    open_thread(browser, lineup)
    browser.page.context.set_offline(True)
    browser.page.keyboard.press("Control+Enter")
    lineup.say(SHOWN, "やっぱり解決しました。", name="山田 太郎", customer_id="yamada")
    browser.page.context.set_offline(False)
    browser.page.wait_for_selector(".message[data-state]:not([data-state=sending])", timeout=20_000)


def held_reply(browser: BrowserDriver, lineup: LineupDriver) -> None:
    """A reply that waits for one more press, beside a draft on its row."""
    open_thread(browser, lineup)
    body = f"まだですか。 {uuid4()}"
    lineup.say(SHOWN, body, name="山田 太郎", customer_id="yamada")
    browser.wait_for(f"() => document.getElementById('messages').textContent.includes('{body}')")
    browser.page.keyboard.press("Control+Enter")
    browser.page.wait_for_selector(".composer-held")


def unsent(browser: BrowserDriver, lineup: LineupDriver) -> None:
    """The list of a reply that was not sent and of a draft, in a thread with two colleagues."""
    stale_reply(browser, lineup)
    read = browser.page.locator(".message[data-id]").last.get_attribute("data-id")
    lineup.colleague("Noor").reads(lineup.shown, int(read or 0))
    lineup.colleague("Linh").writes(lineup.shown)
    browser.page.locator(f"#row-{lineup.shown} .face + .face").wait_for(state="attached")
    browser.page.fill(".composer-field", "もう一つ。")
    # Attached is enough: in a narrow window the left column is only visible beside the list.
    browser.page.locator(".nav-item[data-kind=draft]:not([data-none])").wait_for(state="attached")
    browser.page.locator(".nav-item[data-kind=unsent]:not([data-none])").dispatch_event("click")
    browser.page.wait_for_selector(".unsent-item + .unsent-item, .unsent-list + h3 + .unsent-list")


def empty(browser: BrowserDriver, lineup: LineupDriver) -> None:
    mai = lineup.admin(lineup.mai_email)
    for id in lineup.in_sql("arrival", "arrival", "mine", mai.id):  # taken by other tests
        mai.act(id, "release")
    browser.page.evaluate("() => { location.hash = '#/mine/arrival'; }")
    browser.page.wait_for_selector("#list-empty .empty-title")


def explain(browser: BrowserDriver, lineup: LineupDriver) -> None:
    open_thread(browser, lineup)
    browser.choose_act("Why here?")
    browser.page.wait_for_selector(".explain-facts")


def help_keys(browser: BrowserDriver, lineup: LineupDriver) -> None:
    live(browser, lineup)
    browser.page.locator(".nav-help").first.click()
    browser.page.wait_for_selector(".help-keys")


def offline(browser: BrowserDriver, lineup: LineupDriver) -> None:
    open_thread(browser, lineup)
    browser.page.context.set_offline(True)
    browser.page.wait_for_selector(".banner")


def picked(browser: BrowserDriver, lineup: LineupDriver) -> None:
    live(browser, lineup)
    browser.page.locator(".list").focus()
    for key in ("ArrowDown", "x", "Shift+ArrowDown", "Shift+ArrowDown"):
        browser.page.keyboard.press(key)
    browser.page.wait_for_selector(".bulk-count")


def search(browser: BrowserDriver, lineup: LineupDriver) -> None:
    live(browser, lineup)
    browser.page.keyboard.press("/")
    browser.page.keyboard.type("JP-4471")
    browser.page.wait_for_selector(".found")


def found(browser: BrowserDriver, lineup: LineupDriver) -> None:
    """A result that is open at its message."""
    search(browser, lineup)
    browser.page.keyboard.press("Enter")
    browser.page.wait_for_selector(".message[aria-current] mark")


def query(browser: BrowserDriver, lineup: LineupDriver) -> None:
    """Conditions with a mistake, a filter that is set, and suggestions."""
    live(browser, lineup)
    browser.page.keyboard.press("/")
    browser.page.keyboard.type("-lang:ja asigned:me ")
    browser.page.wait_for_selector(".query-wrong", state="attached")
    browser.page.keyboard.press("Alt+ArrowDown")
    browser.page.keyboard.press("ArrowDown")
    browser.page.wait_for_selector(".query-option[aria-selected=true]")


def palette(browser: BrowserDriver, lineup: LineupDriver) -> None:
    live(browser, lineup)
    browser.page.keyboard.press("Control+k")
    browser.page.wait_for_selector(".palette-entry")


def open_more(browser: BrowserDriver) -> bool:
    """Opens the sheet of what a phone's bar has no room for; returns whether there is one."""
    more = browser.page.locator(".nav-item[data-kind=more]")
    is_phone = more.is_visible()
    if is_phone:
        more.click()
    return is_phone


def settings(browser: BrowserDriver, lineup: LineupDriver) -> None:
    live(browser, lineup)
    is_phone = open_more(browser)
    browser.page.locator(".nav-settings:visible").click()
    browser.page.wait_for_selector(".area-item" if is_phone else ".profile-session")


def settings_page(name: str, shown: str = ".set-line") -> State:
    """Opens a page of settings from the profile, the first one."""

    def opened(browser: BrowserDriver, lineup: LineupDriver) -> None:
        settings(browser, lineup)
        browser.page.locator(f".area-nav [href='/settings/{name}']").click()
        browser.page.wait_for_selector(f".area-page[data-page={name}] {shown}")

    return opened


def canned(browser: BrowserDriver, lineup: LineupDriver) -> None:
    open_thread(browser, lineup)
    browser.page.fill(".composer-field", "")
    browser.page.keyboard.type("/")
    browser.page.wait_for_selector(".canned-choice")


def canned_page(browser: BrowserDriver, lineup: LineupDriver) -> None:
    settings(browser, lineup)
    browser.page.locator(".area-nav [href='/settings/canned']").click()
    browser.page.wait_for_selector(".canned-item")


def customer(browser: BrowserDriver, lineup: LineupDriver) -> None:
    open_thread(browser, lineup)
    browser.page.locator(".messages").focus()
    browser.page.keyboard.press("i")
    browser.page.wait_for_selector(".customer-thread")


def presence(browser: BrowserDriver, lineup: LineupDriver) -> None:
    """Every dot there is, colleagues in threads, and a customer who writes."""
    ids: dict[str, int] = {}
    for dot, (name, settings) in DOTS.items():
        body = BODIES[len(ids) % len(BODIES)][1]
        ids[dot] = lineup.say(f"dot-{dot}", body, name=name, customer_id=f"c-{dot}")
        if dot != "lately":
            lineup.customer_online(f"c-{dot}", **settings)
    # A message counts as a heartbeat, a moment later.
    browser.page.wait_for_selector(f"#row-{ids['lately']} .dot[data-dot=online]", state="attached")
    lineup.customer_offline("c-lately")
    lineup.colleague("Noor").reads(ids["busy"], 1)
    lineup.colleague("Linh").writes(ids["busy"])
    for dot, id in ids.items():
        browser.page.wait_for_selector(f"#row-{id} .dot[data-dot={dot}]", state="attached")
    browser.page.wait_for_selector(f"#row-{ids['busy']} .face + .face")
    lineup.customer_types("dot-away", "c-away")
    browser.page.wait_for_selector(f"#row-{ids['away']}[data-typing]")


def team(browser: BrowserDriver, lineup: LineupDriver) -> None:
    presence(browser, lineup)
    lineup.colleague("Noor").sets(status="busy", activity="in_call", text="Back at 3")
    open_more(browser)
    browser.page.locator("[popovertarget=team-panel]:visible").click()
    browser.page.wait_for_selector("#team-panel .dot[data-dot=busy]")
    browser.page.wait_for_selector("#team-panel .person-thread")


def online(browser: BrowserDriver, lineup: LineupDriver) -> None:
    presence(browser, lineup)
    open_more(browser)
    browser.page.locator("[popovertarget=online-panel]:visible").click()
    browser.page.wait_for_selector("#online-panel button.person")


def together(browser: BrowserDriver, lineup: LineupDriver) -> None:
    """One colleague reads, one writes, and so does the customer."""
    open_thread(browser, lineup)
    messages = browser.page.locator(".message[data-id]")
    read = int(messages.nth(-3).get_attribute("data-id") or 0)
    lineup.colleague("Noor").reads(lineup.shown, read)
    lineup.colleague("Linh").writes(lineup.shown)
    browser.page.wait_for_selector(".cursors .face:not([hidden])")
    browser.page.wait_for_selector(".here[data-busy]")
    lineup.customer_types(SHOWN, "yamada")
    browser.page.wait_for_selector(".here-typing")


def tags(browser: BrowserDriver, lineup: LineupDriver) -> None:
    """Tags on a row and in the head, and the picker with one that is on and one that is new."""
    open_thread(browser, lineup)
    url = f"{lineup.server.url}/admin/api/threads/{lineup.shown}/tags"
    assert lineup.mai.put(url, json={"add": ["返品", "vip"], "remove": []}).ok
    browser.page.wait_for_selector(".thread-tags .tag")
    browser.page.evaluate("document.activeElement.blur()")
    browser.page.keyboard.press("l")
    browser.page.wait_for_selector("#tags:popover-open")
    browser.page.keyboard.type("vi")
    browser.page.wait_for_selector(".tag-option[data-share=all]")


def hand_over(browser: BrowserDriver, lineup: LineupDriver) -> None:
    open_thread(browser, lineup)
    browser.page.evaluate("document.activeElement.blur()")
    browser.page.keyboard.press("a")
    browser.page.wait_for_selector("#hand-over:popover-open .hand-option")


#: Name → state.
STATES: dict[str, State] = {
    "live": live,
    "open": open_thread,
    "note": note,
    "held": held,
    "picked": picked,
    "search": search,
    "found": found,
    "query": query,
    "palette": palette,
    "customer": customer,
    "canned": canned,
    "canned-page": canned_page,
    "settings": settings,
    **{name: settings_page(name) for name in ("appearance", "notifications", "keyboard")},
    "profile": settings_page("profile", ".profile-session"),
    "tags-page": settings_page("tags", "h1"),
    "views-page": settings_page("views", ".area-action"),
    "stale": stale_reply,
    "unsent": unsent,
    "empty": empty,
    "explain": explain,
    "help": help_keys,
    "tags": tags,
    "hand-over": hand_over,
    "offline": offline,
    "presence": presence,
    "team": team,
    "online": online,
    "together": together,
    "held-reply": held_reply,
}
#: The same on a phone.
NARROW: dict[str, State] = {
    "presence": presence,
    "team": team,
    "together": together,
    "live": live,
    "open": open_thread,
    "customer": customer,
    "search": search,
    "found": found,
    "query": query,
    "offline": offline,
}
