"""Files of messages: chosen, dropped and pasted; sent, taken back, kept by the draft."""

import base64

import pytest

from tests.browser.axe import violations
from tests.dashboard.files import samples
from tests.drivers.browser import BrowserDriver

pytestmark = pytest.mark.slow

PICTURE = {"name": "map.png", "mimeType": "image/png", "buffer": samples.picture(size=(320, 200))}
PDF = {"name": "Hóa đơn.pdf", "mimeType": "application/pdf", "buffer": samples.PDF}
LARGE = {"name": "report.exe", "mimeType": "", "buffer": bytes(10 * 1024 * 1024 + 1)}
#: Puts a picture on an element, as dropping and pasting do.
GIVE = """([selector, type, content, texts = {}]) => {
  const bytes = Uint8Array.from(atob(content), (each) => each.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], 'given.png', { type: 'image/png' }));
  for (const [kind, text] of Object.entries(texts)) data.items.add(text, kind);
  const about = { bubbles: true, cancelable: true };
  const event = type === 'paste' ? new ClipboardEvent(type, { ...about, clipboardData: data })
    : new DragEvent(type, { ...about, dataTransfer: data });
  document.querySelector(selector).dispatchEvent(event);
}"""
CHIPS = "() => [...document.querySelectorAll('.file')].map((each) => each.dataset.state)"


def choose(browser: BrowserDriver, *files: dict) -> None:
    browser.page.set_input_files(".composer-files-input", list(files))


def wait_for_chips(browser: BrowserDriver, *states: str) -> None:
    wanted = list(states)
    browser.wait_for(f"() => JSON.stringify(({CHIPS})()) === JSON.stringify({wanted})", str(states))


def test_files_are_chosen_sent_and_shown(browser, lineup):
    thread = lineup.say("with-files")
    browser.open(thread)
    page = browser.page
    page.emulate_media(reduced_motion="reduce")
    choose(browser, PICTURE, PDF, LARGE)
    wait_for_chips(browser, "done", "done", "refused")
    assert page.locator(".file[data-state=refused]").inner_text() == (
        "report.exe\nreport.exe is larger than 10 MB"
    )
    browser.wait_for("() => document.querySelector('.file-picture')?.naturalWidth === 320")
    assert violations(page) == []
    page.locator(".composer-field").press("Control+Enter")
    page.wait_for_selector(".message[data-kind=own] .message-file")
    browser.wait_for(
        "() => document.querySelector('.message-own-picture img')?.naturalWidth === 320"
    )
    assert page.locator(".file").count() == 0
    assert violations(page) == []
    with page.expect_download() as download:
        page.locator(".message[data-kind=own] .message-file a").click()
    assert download.value.suggested_filename == "Hóa đơn.pdf"
    with page.context.expect_page() as opened:
        page.locator(".message-own-picture").click()
    opened.value.wait_for_load_state()
    assert opened.value.url.startswith(f"{browser.server.url}/admin/api/files/")


def test_pictures_are_dropped_and_pasted_and_wait_in_the_draft(browser, lineup):
    thread = lineup.say("with-dropped")
    browser.open(thread)
    content = base64.b64encode(samples.picture()).decode()
    for selector, kind in ((".thread-head", "drop"), (".composer-field", "paste")):
        browser.page.evaluate(GIVE, [selector, kind, content])
    wait_for_chips(browser, "done", "done")
    browser.page.reload()
    browser.wait_until_shown("arrival/arrival")
    browser.open(thread)
    wait_for_chips(browser, "done", "done")
    browser.page.locator(".composer-mode").nth(1).click()
    wait_for_chips(browser, "done", "done")
    browser.page.locator(".file-remove").first.click()
    wait_for_chips(browser, "done")
    browser.page.locator(".composer-send").click()
    browser.page.wait_for_selector(".message[data-kind=note] .message-own-picture")
    wait_for_chips(browser)


def test_a_reply_waits_for_its_files(browser, lineup):
    thread = lineup.say("with-late")
    browser.open(thread)
    held = []
    browser.page.route("**/files?name=*", lambda route: held.append(route))
    choose(browser, PDF)
    wait_for_chips(browser, "sending")
    browser.page.locator(".composer-field").fill("See the file")
    browser.page.locator(".composer-send").click()
    browser.wait_for(
        "() => document.querySelector('.composer-state').textContent.startsWith('Sent as soon')"
    )
    assert browser.page.locator(".message[data-kind=own]").count() == 0
    browser.wait_for("() => true")
    held[0].continue_()
    browser.page.wait_for_selector(".message[data-kind=own] .message-file")
    assert browser.page.locator(".message[data-kind=own] .message-body").inner_text() == (
        "See the file"
    )


def test_a_file_that_was_copied_is_attached_and_text_with_a_picture_stays_text(browser, lineup):
    """As macOS and Office put them on the clipboard."""
    browser.open(lineup.say("pasted-names"))
    page = browser.page
    content = base64.b64encode(samples.picture(size=(32, 20))).decode()
    field = ".composer-field"
    page.evaluate(GIVE, [field, "paste", content, {"text/plain": "Dear", "text/html": "<p>Dear"}])
    page.evaluate(GIVE, [field, "paste", content, {"text/plain": "given.png"}])
    wait_for_chips(browser, "done")
    assert page.locator(field).input_value() == "", "no name was pasted"
