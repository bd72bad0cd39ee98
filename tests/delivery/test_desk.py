"""What supervisors do with webhooks."""

import pytest
from standardwebhooks import Webhook

from dashboard.delivery.post import Answer
from dashboard.errors import Invalid, NotFound, Problem
from dashboard.store import delivery_log, outgoing, webhooks
from tests.delivery.outlet import URL, Outlet


@pytest.fixture
def outlet(any_database, clock) -> Outlet:
    return Outlet(any_database, clock)


def secrets_of(outlet: Outlet, id: int) -> tuple[str, ...]:
    with outlet.database.read() as connection:
        target = webhooks.target(connection, id, outlet.clock())
    assert target is not None
    return target.secrets


def test_a_secret_has_the_standards_form_and_32_bytes(outlet):
    made = outlet.desk.create("shop", URL, None)
    assert made.secret.startswith("whsec_")
    assert len(Webhook(made.secret)._whsecret) == 32


def test_after_a_rotation_both_secrets_sign_for_a_day(outlet):
    made = outlet.desk.create("shop", URL, None)
    fresh = outlet.desk.rotate(made.id)
    assert secrets_of(outlet, made.id) == (fresh, made.secret)
    outlet.reply("Hello")
    outlet.settle()
    signatures = outlet.poster.got[0][1].headers["webhook-signature"]
    assert len(signatures.split(" ")) == 2
    outlet.clock.advance(webhooks.OLD_SECRET_MS)
    assert secrets_of(outlet, made.id) == (fresh,)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://bot.example/",
        "bot.example",
        "https://",
        "https://mai:secret@bot.example/",
        "https://bot.example/#here",
        "https://bot.example/a b",
        "https://bot.example:99999/",
        "https://bot.example/\r\nX: y",
        "https://bót.example/",
        "https://bot.example/" + "x" * 2_048,
    ],
)
def test_addresses_that_cannot_be_are_refused(outlet, url):
    with pytest.raises(Invalid):
        outlet.desk.create("shop", url, None)


@pytest.mark.parametrize("events", [[], ["message.created", "message.deleted"]])
def test_types_that_there_are_not_are_refused(outlet, events):
    with pytest.raises(Invalid):
        outlet.desk.create("shop", URL, events)


def test_a_revoked_webhook_is_gone_and_gets_nothing(outlet):
    id = outlet.webhook()
    message = outlet.reply("Hello")
    with outlet.database.read() as connection:
        assert outgoing.has_unplaced(connection)
    outlet.database.write(lambda connection: outgoing.place(connection, outlet.clock()))
    outlet.desk.revoke(id)
    outlet.settle()
    assert outlet.poster.got == []
    assert outlet.desk.listing() == []
    assert outlet.delivery(message) == ("failed", "bot")
    for verb in (outlet.desk.rotate, outlet.desk.revoke, outlet.desk.test, outlet.desk.enable):
        with pytest.raises(NotFound):
            verb(id)


def test_a_test_is_posted_at_once_noted_and_told_to_nobody_else(outlet):
    id = outlet.webhook()
    outlet.poster.will_answer(URL, Answer(200, None, "pong"))
    assert outlet.desk.test(id).status == 200
    (body,) = outlet.poster.bodies()
    assert (body["type"], body["data"]) == ("webhook.test", {"source": "shop"})
    log, more = outlet.desk.log(id, None, 10)
    assert (len(log), more) == (1, False)
    assert (log[0]["status"], log[0]["answer"], log[0]["delivery"]) == (200, "pong", None)
    with outlet.database.read() as connection:
        assert outgoing.after(connection, outlet.shop.source_id, 0, 10)[0] == []
    for _ in range(delivery_log.TESTS_KEPT + 5):
        outlet.desk.test(id)
    assert len(outlet.desk.log(id, None, 100)[0]) == delivery_log.TESTS_KEPT


def test_the_log_holds_request_answer_and_time(outlet):
    id = outlet.webhook()
    outlet.poster.will_answer(URL, Answer(500, None, "oh dear"), Answer(None, "timeout"))
    outlet.reply("Hello")
    outlet.settle()
    outlet.later(5_000)
    outlet.later(300_000)
    log, more = outlet.desk.log(id, None, 2)
    assert more
    assert [(line["status"], line["error"]) for line in log] == [(200, None), (None, "timeout")]
    (oldest,), more = outlet.desk.log(id, log[-1]["id"], 2)
    assert not more
    assert (oldest["status"], oldest["answer"]) == (500, "oh dear")
    assert oldest["request"]["body"] == outlet.poster.bodies()[0]
    assert oldest["request"]["headers"] == outlet.poster.got[0][1].headers
    assert oldest["delivery"]["state"] == "done"


def test_one_event_or_those_of_a_time_are_sent_again(outlet):
    id = outlet.webhook(events=["message.created"])
    for body in ("one", "two", "three"):
        outlet.clock.advance(1_000)
        outlet.reply(body)
    outlet.actions.claim(outlet.linh, outlet.thread())
    outlet.settle()
    names = [body["id"] for body in outlet.poster.bodies()]
    assert outlet.desk.replay(id, name=names[0]) == 1
    outlet.settle()
    assert outlet.said() == ["one", "two", "three", "one"]
    since = outlet.clock() - 1_000
    assert outlet.desk.replay(id, from_ms=since, to_ms=outlet.clock()) == 2
    outlet.settle()
    assert outlet.said()[4:] == ["two", "three"]
    assert outlet.desk.replay(id, name="evt_nothing") == 0
    with outlet.database.read() as connection:
        assert webhooks.failing(connection) == {}


def test_what_is_switched_off_is_neither_tested_nor_sent_to_again(outlet):
    id = outlet.webhook()
    outlet.poster.will_answer(URL, 410)
    outlet.reply("Hello")
    outlet.settle()
    for verb in (outlet.desk.test, lambda id: outlet.desk.replay(id, from_ms=0, to_ms=1)):
        with pytest.raises(Problem, match="webhook_disabled"):
            verb(id)


def test_another_sources_events_cannot_be_sent_here(outlet):
    outlet.webhook()
    outlet.reply("Hello")
    outlet.settle()
    other = outlet.desk.create("else", "https://else.example/", None).id
    assert outlet.desk.replay(other, from_ms=0, to_ms=2**52) == 0
    assert outlet.desk.replay(other, name=outlet.poster.bodies()[0]["id"]) == 0
