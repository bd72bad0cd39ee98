"""Webhooks, for supervisors: the page, and the calls that it makes."""

from collections.abc import Callable
from typing import Annotated

from flask import Blueprint, Response, redirect
from pydantic import Field, StrictInt

from dashboard.delivery.desk import WebhookDesk
from dashboard.errors import NotFound, Problem
from dashboard.intake.field_errors import one
from dashboard.intake.fields import INTEGER_MAX, Strict
from dashboard.store.sources import NAME
from dashboard.web import admin_forms
from dashboard.web.calls import answer, parsed, require_our_page
from dashboard.web.identity import Identities, Unauthorized, current
from dashboard.web.origins import Origins
from dashboard.web.pages import Pages

LOG_DEFAULT = 50
LOG_MAX = 200
Time = Annotated[StrictInt, Field(ge=0, le=INTEGER_MAX)]


class WebhookForm(Strict):
    """A new webhook; without `events` it gets all types."""

    source: str
    url: str
    events: list[str] | None = None


class ReplayForm(Strict):
    """What to send again: one event by its id, or all of a time in ms."""

    event: str | None = None
    since: Time | None = None
    until: Time | None = None


class WebhookApi:
    def __init__(self, desk: WebhookDesk):
        self._desk = desk

    def listing(self) -> Response:
        found = self._desk.listing()
        return answer({"webhooks": [each._asdict() | {"waiting": count} for each, count in found]})

    def create(self) -> Response:
        form = parsed(WebhookForm)
        if not NAME.fullmatch(form.source):
            raise one("/source", "invalid_id", "must be 1 to 64 of a-z, 0-9 and “-”")
        made = self._desk.create(form.source, form.url, form.events)
        return answer(made._asdict(), 201)

    def rotate(self, id: int) -> Response:
        parsed(admin_forms.NothingForm)
        return answer({"secret": self._desk.rotate(id)})

    def enable(self, id: int) -> Response:
        parsed(admin_forms.NothingForm)
        self._desk.enable(id)
        return Response(status=204)

    def revoke(self, id: int) -> Response:
        self._desk.revoke(id)
        return Response(status=204)

    def test(self, id: int) -> Response:
        """Posts a test event at once; what came of it."""
        parsed(admin_forms.NothingForm)
        return answer(self._desk.test(id)._asdict())

    def log(self, id: int) -> Response:
        before = admin_forms.number("before", None, 1)
        limit = admin_forms.number("limit", LOG_DEFAULT, 1, LOG_MAX)
        assert limit is not None
        attempts, more = self._desk.log(id, before, limit)
        return answer({"attempts": attempts, "more": more})

    def replay(self, id: int) -> Response:
        form = parsed(ReplayForm)
        if (form.event is None) == (form.since is None):
            raise one("/event", "missing_field", "or since must be given, one of them")
        if form.event is not None:
            count = self._desk.replay(id, name=form.event)
            if not count:
                raise NotFound("There is no such event for this webhook.")
        else:
            until = INTEGER_MAX if form.until is None else form.until
            count = self._desk.replay(id, from_ms=form.since, to_ms=until)
        return answer({"replayed": count})


def blueprint(desk: WebhookDesk, origins: Origins, identities: Identities) -> Blueprint:
    """`/admin/api/webhooks`, for supervisors, and from our own pages."""
    api = WebhookApi(desk)
    made = Blueprint("webhook_api", __name__, url_prefix="/admin/api/webhooks")
    made.before_request(lambda: require_our_page(origins))
    made.before_request(identities.require)
    made.before_request(_require_supervisor)
    one_of_them = f"/<int(max={INTEGER_MAX}):id>"
    routes: tuple[tuple[str, str, Callable[..., Response]], ...] = (
        ("GET", "", api.listing),
        ("POST", "", api.create),
        ("DELETE", one_of_them, api.revoke),
        ("POST", f"{one_of_them}/rotate", api.rotate),
        ("POST", f"{one_of_them}/enable", api.enable),
        ("POST", f"{one_of_them}/test", api.test),
        ("POST", f"{one_of_them}/replay", api.replay),
        ("GET", f"{one_of_them}/log", api.log),
    )
    for method, rule, view in routes:
        made.add_url_rule(rule, view_func=view, methods=[method], endpoint=view.__name__)
    return made


def page_blueprint(pages: Pages, identities: Identities) -> Blueprint:
    """`/webhooks`."""
    site = Blueprint("webhooks_page", __name__)

    @site.get("/webhooks")
    def webhooks() -> Response:
        try:
            identities.require()
        except Unauthorized:
            return redirect("/login?next=/webhooks", 302)  # type: ignore[return-value]
        _require_supervisor()
        return pages.webhooks(current())

    return site


def _require_supervisor() -> None:
    if current().role != "supervisor":
        raise Problem(403, "forbidden", "Webhooks are for supervisors.")
