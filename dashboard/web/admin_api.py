"""The dashboard's own API: what a signed-in admin reads and does."""

from collections.abc import Callable, Iterator
from typing import Any

from flask import Blueprint, Response, request

from dashboard.errors import NotFound, Problem, StorageUnavailable
from dashboard.intake.actions import Admin, Reply
from dashboard.intake.field_errors import one
from dashboard.store import admins, messages, threads
from dashboard.store.sessions import Identity
from dashboard.web import admin_forms, preferences
from dashboard.web.calls import answer, document, parsed, require_our_page
from dashboard.web.canned_api import CannedApi
from dashboard.web.explain import Explainer
from dashboard.web.identity import Identities, current
from dashboard.web.origins import Origins
from dashboard.web.pages import THEME_COOKIE, Pages, describe
from dashboard.web.parts import Parts
from dashboard.web.search_api import SearchApi
from scoring.pages import FILTERS, PAGES
from scoring.sorts import SORTS

MESSAGES_DEFAULT = 50
MESSAGES_MAX = 200
#: A year, in seconds.
_THEME_SECONDS = 31_536_000


class AdminApi:
    """The calls below /admin/api; `current()` says who makes them."""

    def __init__(self, parts: Parts, pages: Pages):
        self._database = parts.database
        self._intake = parts.intake
        self._actions = parts.actions
        self._explainer = Explainer(parts.database, parts.ranking)
        self._pages = pages

    def me(self) -> Response:
        identity = current()
        return answer(describe(identity) | {"preferences": self._pages.preferences(identity)})

    def prefer(self) -> Response:
        """Changes some preferences; answers all of them."""
        identity, change = current(), preferences.check(document())

        def write(connection):
            held = admins.preferences(connection, identity.admin_id)
            chosen = preferences.merged(held, change)
            admins.save_preferences(connection, identity.admin_id, chosen)

        self._database.write(write)
        made = self._pages.preferences(identity)
        response = answer(made)
        # The sign-in page, where nobody is known yet, looks the same.
        response.set_cookie(
            THEME_COOKIE, made["theme"], max_age=_THEME_SECONDS, samesite="Lax", httponly=True
        )
        return response

    def rows(self) -> Response:
        """The rows that a list shows; those that there are not are said to be missing."""
        ids = admin_forms.ids()
        found = self._rows(ids)
        return answer(
            {
                "rows": [found[id] for id in ids if id in found],
                "missing": [id for id in ids if id not in found],
            }
        )

    def messages(self, thread_id: int) -> Response:
        where, place = admin_forms.one_number_of("before", "after", "around")
        limit = admin_forms.number("limit", MESSAGES_DEFAULT, 1, MESSAGES_MAX)
        assert limit is not None
        with self._database.read() as connection:
            if not threads.names(connection, [thread_id]):
                raise NotFound("There is no such thread.")
            found = messages.at(connection, thread_id, where, place, limit)
        return answer(found._asdict())

    def reply(self, thread_id: int) -> Response:
        form = parsed(admin_forms.ReplyForm)
        reply = Reply(form.body, form.token, form.private, form.seen_message_id, form.confirm)
        replied = self._act(self._actions.reply, thread_id, reply)
        return answer({"message": replied.message}, 201 if replied.created else 200)

    def send_again(self, thread_id: int, message_id: int) -> Response:
        """Tries once more to bring a reply to the customer."""
        parsed(admin_forms.NothingForm)
        return answer({"message": self._act(self._actions.send_again, thread_id, message_id)})

    def act(self, thread_id: int, action: str) -> Response:
        """Claim, release, close, reopen."""
        parsed(admin_forms.NothingForm)
        self._act(self._simple(action), thread_id)
        return self._row(thread_id)

    def prioritise(self, thread_id: int) -> Response:
        self._act(self._actions.set_priority, thread_id, parsed(admin_forms.PriorityForm).priority)
        return self._row(thread_id)

    def bulk(self) -> Response:
        """One action on many threads: a result for each, in their order."""
        form = parsed(admin_forms.BulkForm)
        if (form.action == "priority") != (form.priority is not None):
            code = "missing_field" if form.action == "priority" else "unknown_field"
            raise one("/priority", code, "goes with the action priority, and with no other")
        return answer({"results": list(self._bulk_results(form))})

    def explain(self, thread_id: int) -> Response:
        """Why the thread stands where it stands on a list."""
        page = admin_forms.choice("page", PAGES)
        sort = admin_forms.choice("sort", tuple(SORTS))
        filter = admin_forms.choice("filter", FILTERS, "all")
        return answer(self._explainer.explain(thread_id, page, filter, sort, current().admin_id))

    def _bulk_results(self, form: admin_forms.BulkForm) -> Iterator[dict[str, Any]]:
        """Each thread in a transaction of its own; none is tried any more once SQL is away."""
        away: Problem | None = None
        for id in dict.fromkeys(form.ids):
            problem = away or self._bulk_problem(form, id)
            if problem is None:
                yield {"id": id, "status": "done"}
                continue
            yield {"id": id, "status": "rejected", "problem": problem.body()}
            if isinstance(problem, StorageUnavailable):
                away = problem

    def _bulk_problem(self, form: admin_forms.BulkForm, thread_id: int) -> Problem | None:
        try:
            if form.priority is not None:
                self._act(self._actions.set_priority, thread_id, form.priority)
            else:
                self._act(self._simple(form.action), thread_id)
        except Problem as problem:
            return problem
        return None

    def _simple(self, action: str) -> Callable[..., Any]:
        return {
            "claim": self._actions.claim,
            "release": self._actions.release,
            "close": self._actions.close,
            "reopen": self._actions.reopen,
        }[action]

    def _act(self, action: Callable[..., Any], *given: Any) -> Any:
        return self._intake.act(action, _admin(current()), *given)

    def _rows(self, ids: list[int]) -> dict[int, dict[str, Any]]:
        with self._database.read() as connection:
            return threads.rows(connection, ids)

    def _row(self, thread_id: int) -> Response:
        return answer({"row": self._rows([thread_id])[thread_id]})


def blueprint(parts: Parts, origins: Origins, identities: Identities, pages: Pages) -> Blueprint:
    """`/admin/api`, for who is signed in, and from our own pages."""
    api = AdminApi(parts, pages)
    finding = SearchApi(parts.database)
    canned = CannedApi(parts.database, parts.clock)
    made = Blueprint("admin_api", __name__, url_prefix="/admin/api")
    made.before_request(lambda: require_our_page(origins))
    made.before_request(identities.require)
    thread = "/threads/<int:thread_id>"
    routes: tuple[tuple[str, str, Callable[..., Response]], ...] = (
        ("GET", "/me", api.me),
        ("PATCH", "/me/preferences", api.prefer),
        ("GET", "/threads", api.rows),
        ("POST", "/threads/bulk", api.bulk),
        ("GET", f"{thread}/messages", api.messages),
        ("POST", f"{thread}/replies", api.reply),
        ("POST", f"{thread}/messages/<int:message_id>/send-again", api.send_again),
        ("POST", f"{thread}/<any(claim, release, close, reopen):action>", api.act),
        ("PUT", f"{thread}/priority", api.prioritise),
        ("GET", f"{thread}/explain", api.explain),
        ("GET", f"{thread}/customer", finding.customer),
        ("GET", "/search", finding.search),
        ("GET", "/canned", canned.listing),
        ("POST", "/canned", canned.create),
        ("PUT", "/canned/<int:canned_id>", canned.change),
        ("DELETE", "/canned/<int:canned_id>", canned.remove),
    )
    for method, rule, view in routes:
        made.add_url_rule(
            rule, view_func=view, methods=[method], endpoint=view.__qualname__.replace(".", "_")
        )
    made.before_request(_check_ids)
    return made


def _check_ids() -> None:
    """A number that no database holds is something that there is not."""
    for given in (request.view_args or {}).values():
        if isinstance(given, int) and given > admin_forms.INTEGER_MAX:
            raise NotFound("There is no such thing.")


def _admin(identity: Identity) -> Admin:
    return Admin(identity.admin_id, identity.name, identity.role)
