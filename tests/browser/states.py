"""The states of the page that are looked at, in pictures and by the accessibility check."""

from collections.abc import Callable

from tests.browser.desk import Desk
from tests.browser.stage import Stage

State = Callable[[Desk, Stage], None]

#: The thread that the pictures show.
SHOWN = "shown"
BODIES = (
    ("client", "注文した商品がまだ届いていません。追跡番号を教えてください。"),
    ("bot", "ご注文番号を教えていただけますか。"),
    ("client", "JP-4471 です。 https://example.com/orders/JP-4471"),
)


#: By dot: the customer's name, and what they set.
DOTS = {
    "offline": ("佐藤 花子", {"visibility": "nobody"}),
    "lately": ("Minh Trần", {}),
    "dnd": ("Phương Anh Lê", {"status": "dnd"}),
    "busy": ("Diego Ramos", {"status": "busy"}),
    "away": ("Alice Carter", {"status": "away"}),
    "online": ("Linh Nguyễn", {}),
}


def prepare(stage: Stage) -> None:
    """Writes the thread that is shown, one more of its customer, and canned replies."""
    for role, body in BODIES:
        stage.says(SHOWN, body, role=role, name="山田 太郎", customer_id="yamada")
    stage.says("earlier", "返品したいのですが。", name="山田 太郎", customer_id="yamada")
    files = [
        {"url": "https://example.com/box.jpg", "type": "image/jpeg", "name": "box.jpg"},
        {"url": "https://example.com/order.pdf", "type": "application/pdf", "name": "order.pdf"},
    ]
    stage.shown = stage.says(
        SHOWN, "もしもし？", name="山田 太郎", customer_id="yamada", attachments=files
    )
    admin = stage.acts(stage.mai)
    admin.make_canned("hello", "こんにちは、{{customer.name}} 様。{{admin.name}} です。")
    admin.make_canned("track", "You can follow your parcel at https://example.com/track.")


def live(desk: Desk, stage: Stage) -> None:
    desk.page.wait_for_selector(".row:not(.skeleton)")


def open_thread(desk: Desk, stage: Stage) -> None:
    desk.open(stage.shown)
    desk.page.fill(".composer-field", "追跡番号は JP-4471-8802 です。")


def note(desk: Desk, stage: Stage) -> None:
    open_thread(desk, stage)
    desk.page.locator(".composer-mode").nth(1).click()


def held(desk: Desk, stage: Stage) -> None:
    open_thread(desk, stage)
    box = desk.page.locator(".list").bounding_box()
    assert box is not None
    desk.page.mouse.move(box["x"] + 90, box["y"] + 250)
    desk.page.mouse.move(box["x"] + 92, box["y"] + 252)
    for number in range(3):
        stage.says(f"new-{number}", "Is anybody there?")
    desk.page.wait_for_selector(".news")


def stale_reply(desk: Desk, stage: Stage) -> None:
    open_thread(desk, stage)
    desk.page.context.set_offline(True)
    desk.page.keyboard.press("Control+Enter")
    stage.says(SHOWN, "やっぱり解決しました。", name="山田 太郎", customer_id="yamada")
    desk.page.context.set_offline(False)
    desk.page.wait_for_selector(".message[data-state]:not([data-state=sending])", timeout=20_000)


def empty(desk: Desk, stage: Stage) -> None:
    desk.page.evaluate("() => { location.hash = '#/history/arrival?filter=mine'; }")
    desk.page.wait_for_selector(".empty-title")


def explain(desk: Desk, stage: Stage) -> None:
    open_thread(desk, stage)
    desk.page.locator("#explain-button").click()
    desk.page.wait_for_selector(".explain-facts")


def help_keys(desk: Desk, stage: Stage) -> None:
    live(desk, stage)
    desk.page.locator(".nav-help").first.click()
    desk.page.wait_for_selector(".help-keys")


def offline(desk: Desk, stage: Stage) -> None:
    open_thread(desk, stage)
    desk.page.context.set_offline(True)
    desk.page.wait_for_selector(".banner")


def picked(desk: Desk, stage: Stage) -> None:
    live(desk, stage)
    desk.page.locator(".list").focus()
    for key in ("ArrowDown", "x", "Shift+ArrowDown", "Shift+ArrowDown"):
        desk.page.keyboard.press(key)
    desk.page.wait_for_selector(".bulk-count")


def search(desk: Desk, stage: Stage) -> None:
    live(desk, stage)
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("JP-4471")
    desk.page.wait_for_selector(".found")


def palette(desk: Desk, stage: Stage) -> None:
    live(desk, stage)
    desk.page.keyboard.press("Control+k")
    desk.page.wait_for_selector(".palette-entry")


def settings(desk: Desk, stage: Stage) -> None:
    live(desk, stage)
    desk.page.locator(".nav-settings").click()
    desk.page.wait_for_selector(".settings")


def canned(desk: Desk, stage: Stage) -> None:
    open_thread(desk, stage)
    desk.page.fill(".composer-field", "")
    desk.page.keyboard.type("/")
    desk.page.wait_for_selector(".canned-choice")


def canned_dialog(desk: Desk, stage: Stage) -> None:
    settings(desk, stage)
    desk.page.locator(".settings .button").first.click()
    desk.page.wait_for_selector(".canned-item")


def customer(desk: Desk, stage: Stage) -> None:
    open_thread(desk, stage)
    desk.page.locator(".messages").focus()
    desk.page.keyboard.press("i")
    desk.page.wait_for_selector(".customer-thread")


def presence(desk: Desk, stage: Stage) -> None:
    """Every dot there is, colleagues in threads, and a customer who writes."""
    ids = {}
    for dot, (name, settings) in DOTS.items():
        body = BODIES[len(ids) % len(BODIES)][1]
        ids[dot] = stage.says(f"dot-{dot}", body, name=name, customer_id=dot)
        if dot != "lately":
            stage.is_here(dot, **settings)
    # A message is a sign of life, in a moment.
    desk.page.wait_for_selector(f"#row-{ids['lately']} .dot[data-dot=online]", state="attached")
    stage.is_gone("lately")
    stage.colleague("Noor").reads(ids["busy"], 1)
    stage.colleague("Linh").writes(ids["busy"])
    for dot, id in ids.items():
        desk.page.wait_for_selector(f"#row-{id} .dot[data-dot={dot}]", state="attached")
    desk.page.wait_for_selector(f"#row-{ids['busy']} .face + .face")
    stage.types("dot-away", "away")
    desk.page.wait_for_selector(f"#row-{ids['away']}[data-typing]")


def team(desk: Desk, stage: Stage) -> None:
    presence(desk, stage)
    stage.colleague("Noor").sets(status="busy", activity="in_call", text="Back at 3")
    desk.page.locator("[popovertarget=team-panel]").click()
    desk.page.wait_for_selector("#team-panel .dot[data-dot=busy]")
    desk.page.wait_for_selector("#team-panel .person-thread")


def online(desk: Desk, stage: Stage) -> None:
    presence(desk, stage)
    desk.page.locator("[popovertarget=online-panel]").click()
    desk.page.wait_for_selector("#online-panel button.person")


def together(desk: Desk, stage: Stage) -> None:
    """One colleague reads, one writes, and so does the customer."""
    open_thread(desk, stage)
    messages = desk.page.locator(".message[data-id]")
    read = int(messages.nth(-3).get_attribute("data-id") or 0)
    stage.colleague("Noor").reads(stage.shown, read)
    stage.colleague("Linh").writes(stage.shown)
    desk.page.wait_for_selector(".cursors .face:not([hidden]) + .face:not([hidden])")
    stage.types(SHOWN, "yamada")
    desk.page.wait_for_selector(".here-typing")


#: By name.
STATES: dict[str, State] = {
    "live": live,
    "open": open_thread,
    "note": note,
    "held": held,
    "picked": picked,
    "search": search,
    "palette": palette,
    "customer": customer,
    "canned": canned,
    "canned-dialog": canned_dialog,
    "settings": settings,
    "stale": stale_reply,
    "empty": empty,
    "explain": explain,
    "help": help_keys,
    "offline": offline,
    "presence": presence,
    "team": team,
    "online": online,
    "together": together,
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
    "offline": offline,
}
