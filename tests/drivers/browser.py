"""A dashboard in Chromium, as a test sees it."""

from typing import Any

from playwright.sync_api import Browser, Page

from dashboard.db.database import Database
from dashboard.db.threads import threads
from tests.servers.lineup import LiveServer
from tests.support import wait_until

#: The rows in view, top first, as [place in the list, thread id].
_ROWS_IN_VIEW = """() => {
  const list = document.querySelector('[role=listbox]').getBoundingClientRect();
  return [...document.querySelectorAll('[role=option]')]
    .map((row) => ({ row, box: row.getBoundingClientRect() }))
    .filter(({ row, box }) => row.id && box.height > 0
      && box.top >= list.top - 1 && box.bottom <= list.bottom + 1)
    .sort((a, b) => a.box.top - b.box.top)
    .map(({ row }) => [Number(row.getAttribute('aria-posinset')), Number(row.id.slice(4))]);
}"""

#: The focused element, the typed texts, and the text of the page.
_ON_SCREEN = """() => {
  const focused = document.activeElement;
  return [
    `focus: ${focused?.tagName} ${focused?.id} ${focused?.className}`,
    ...[...document.querySelectorAll('input, textarea')]
      .map((field) => `${field.className}: ${JSON.stringify(field.value)}`),
    document.body.innerText,
  ].join('\\n');
}"""


class BrowserDriver:
    """A window of one admin who is signed in; `page` is playwright's."""

    errors: list[str]

    def __init__(
        self,
        chromium: Browser,
        server: LiveServer,
        email: str,
        list: str = "arrival/arrival",
        before: str = "",
        **context_options: Any,
    ):
        self.server = server
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "en"} | context_options
        context = chromium.new_context(**options)
        # Not by the form, which takes as long again as the page itself; test_outages fills it in.
        cookies = server.sign_in(email).cookies.items()
        context.add_cookies([{"name": k, "value": v, "url": server.url} for k, v in cookies])
        if before:
            context.add_init_script(before)
        self.page: Page = context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(f"{server.url}/#/{list}")
        self.wait_until_shown(list)

    def renew(self, list: str = "arrival/arrival") -> None:
        """A fresh page, online, with nothing open and no draft."""
        self.page.context.set_offline(False)
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.goto("about:blank")
        self.page.goto(f"{self.server.url}/#/{list}")
        self.wait_until_shown(list)

    def close(self) -> None:
        self.page.context.close()

    def state(self) -> dict[str, Any]:
        return self.page.evaluate("() => window.lineup.list()")

    def wait_until_shown(self, list: str) -> None:
        # Not playwright's own waiting: it evaluates text, which the page's policy forbids.
        shown = "() => { const l = window.lineup?.list(); return l && [l.place, l.sort, l.state]; }"
        wait_until(
            lambda: self.page.evaluate(shown) == [*list.split("/"), "live"],
            what=f"{list} being shown live",
        )

    def wait_for(self, expression: str, what: str = "", timeout_seconds: float = 60) -> Any:
        """Waits until the function in JavaScript returns something truthy, and returns that; a
        failure tells what was on screen."""
        try:
            return wait_until(
                lambda: self.page.evaluate(expression), timeout_seconds, what or expression
            )
        except AssertionError as error:
            shown = self.page.evaluate(_ON_SCREEN)
            raise AssertionError(f"{error}\n{shown}\n{self.errors}"[:6000]) from None

    def open(self, thread_id: int) -> None:
        """Opens a thread by its address, and waits for its messages."""
        state = self.state()
        address = f"#/{state['place']}/{state['sort']}/{thread_id}"
        self.page.evaluate("(to) => { location.hash = to; }", address)
        self.page.wait_for_selector(f".composer-field[data-thread='{thread_id}']")
        self.page.wait_for_selector(".message")

    def open_first(self) -> None:
        """Opens the thread of a list that is about to have one."""
        wait_until(lambda: len(self.state()["ids"]) == 1, 10, "the customer's thread")
        self.open(self.state()["ids"][0])

    def reply(self, body: str) -> None:
        """Sends a reply in the open thread."""
        self.page.fill("textarea", body)
        self.page.keyboard.press("Control+Enter")

    def choose_act(self, text: str) -> None:
        """Chooses an action of the open thread's menu."""
        self.page.click(".act-more")
        self.page.locator("#more-menu .menu-item", has_text=text).click()

    def rows_in_view(self) -> list[tuple[int, int]]:
        """(place in the list from 1, thread id) of each row in view, top first."""
        return [(place, id) for place, id in self.page.evaluate(_ROWS_IN_VIEW)]

    def wait_until_equal(self, database: Database, timeout_seconds: float = 60) -> None:
        """Waits until the rows in view are exactly SQL's, at the places where SQL has them."""
        try:
            wait_until(lambda: self._is_equal(database), timeout_seconds, "the list's order")
        except AssertionError as error:
            details = (error, self.rows_in_view(), self._wanted(database)[:40], self.state())
            raise AssertionError("\n".join(map(str, details))[:4000]) from None

    def _is_equal(self, database: Database) -> bool:
        shown, wanted = self.rows_in_view(), self._wanted(database)
        return len(shown) >= min(8, len(wanted)) and all(
            place <= len(wanted) and wanted[place - 1] == id for place, id in shown
        )

    def _wanted(self, database: Database) -> list[int]:
        state = self.state()
        with database.read() as connection:
            entries = threads.listed(
                connection, state["view"], state["filter"], None, state["sort"], 100_000
            )
        return [entry.id for entry in entries]
