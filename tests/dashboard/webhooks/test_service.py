"""What supervisors do with webhooks."""

from functools import partial

import pytest
from standardwebhooks import Webhook

from dashboard.db.outbox import delivery_log, outgoing, webhooks
from dashboard.errors import Invalid, NotFound, Problem
from dashboard.webhooks.http_client import Answer
from tests.dashboard.webhooks.webhook_driver import URL, WebhookDriver
from tests.drivers.audit import OPERATOR


def secrets_of(driver: WebhookDriver, id: int) -> tuple[str, ...]:
    with driver.database.read() as connection:
        target = webhooks.target(connection, id, driver.clock())
    assert target is not None
    return target.secrets


def test_a_secret_has_the_form_of_the_standard_and_32_bytes(driver):
    made = driver.webhooks.create(OPERATOR, "shop", URL, None)
    assert made.secret.startswith("whsec_")
    assert len(Webhook(made.secret)._whsecret) == 32


def test_after_a_rotation_both_secrets_sign_for_a_day(driver):
    made = driver.webhooks.create(OPERATOR, "shop", URL, None)
    fresh = driver.webhooks.rotate(OPERATOR, made.id)
    assert secrets_of(driver, made.id) == (fresh, made.secret)
    driver.reply("Hello")
    driver.settle()
    signatures = driver.poster.got[0][1].headers["webhook-signature"]
    assert len(signatures.split(" ")) == 2
    driver.clock.advance(webhooks.OLD_SECRET_MS)
    assert secrets_of(driver, made.id) == (fresh,)


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
def test_invalid_addresses_are_refused(driver, url):
    with pytest.raises(Invalid):
        driver.webhooks.create(OPERATOR, "shop", url, None)


@pytest.mark.parametrize("events", [[], ["message.created", "message.deleted"]])
def test_unknown_types_of_events_are_refused(driver, events):
    with pytest.raises(Invalid):
        driver.webhooks.create(OPERATOR, "shop", URL, events)


def test_a_revoked_webhook_is_unknown_and_gets_nothing(driver):
    id = driver.webhook()
    message = driver.reply("Hello")
    with driver.database.read() as connection:
        assert outgoing.needs_positions(connection)
    driver.database.write(lambda connection: outgoing.assign_positions(connection, driver.clock()))
    driver.webhooks.revoke(OPERATOR, id)
    driver.settle()
    assert driver.poster.got == []
    assert driver.webhooks.listing() == []
    assert driver.delivery(message) == ("failed", "bot")
    for verb in (
        partial(driver.webhooks.rotate, OPERATOR),
        partial(driver.webhooks.revoke, OPERATOR),
        driver.webhooks.test,
        partial(driver.webhooks.enable, OPERATOR),
    ):
        with pytest.raises(NotFound):
            verb(id)


def test_a_test_event_is_posted_and_logged_but_not_in_the_outbox(driver):
    id = driver.webhook()
    driver.poster.will_answer(URL, Answer(200, None, "pong"))
    assert driver.webhooks.test(id).status == 200
    (body,) = driver.poster.bodies()
    assert (body["type"], body["data"]) == ("webhook.test", {"source": "shop"})
    log, more = driver.webhooks.log(id, None, 10)
    assert (len(log), more) == (1, False)
    assert (log[0]["status"], log[0]["answer"], log[0]["delivery"]) == (200, "pong", None)
    with driver.database.read() as connection:
        assert outgoing.after(connection, driver.shop.source_id, 0, 10)[0] == []
    for _ in range(delivery_log.TESTS_KEPT + 5):
        driver.webhooks.test(id)
    assert len(driver.webhooks.log(id, None, 100)[0]) == delivery_log.TESTS_KEPT


def test_the_log_shows_requests_and_answers(driver):
    id = driver.webhook()
    driver.poster.will_answer(URL, Answer(500, None, "oh dear"), Answer(None, "timeout"))
    driver.reply("Hello")
    driver.settle()
    driver.later(5_000)
    driver.later(300_000)
    log, more = driver.webhooks.log(id, None, 2)
    assert more
    assert [(line["status"], line["error"]) for line in log] == [(200, None), (None, "timeout")]
    (oldest,), more = driver.webhooks.log(id, log[-1]["id"], 2)
    assert not more
    assert (oldest["status"], oldest["answer"]) == (500, "oh dear")
    assert oldest["request"]["body"] == driver.poster.bodies()[0]
    assert oldest["request"]["headers"] == driver.poster.got[0][1].headers
    assert oldest["delivery"]["state"] == "done"


def test_one_event_or_a_period_is_replayed(driver):
    id = driver.webhook(events=["message.created"])
    for body in ("one", "two", "three"):
        driver.clock.advance(1_000)
        driver.reply(body)
    driver.actions.claim(driver.linh, driver.thread())
    driver.settle()
    names = [body["id"] for body in driver.poster.bodies()]
    assert driver.webhooks.replay(OPERATOR, id, name=names[0]) == 1
    driver.settle()
    assert driver.said() == ["one", "two", "three", "one"]
    since = driver.clock() - 1_000
    assert driver.webhooks.replay(OPERATOR, id, from_ms=since, to_ms=driver.clock()) == 2
    driver.settle()
    assert driver.said()[4:] == ["two", "three"]
    assert driver.webhooks.replay(OPERATOR, id, name="evt_nothing") == 0
    with driver.database.read() as connection:
        assert webhooks.failing(connection) == {}


def test_a_disabled_webhook_is_neither_tested_nor_replayed(driver):
    id = driver.webhook()
    driver.poster.will_answer(URL, 410)
    driver.reply("Hello")
    driver.settle()
    replay = partial(driver.webhooks.replay, OPERATOR, from_ms=0, to_ms=1)
    for verb in (driver.webhooks.test, replay):
        with pytest.raises(Problem, match="webhook_disabled"):
            verb(id)


def test_events_of_another_source_are_not_replayed(driver):
    driver.webhook()
    driver.reply("Hello")
    driver.settle()
    other = driver.webhooks.create(OPERATOR, "else", "https://else.example/", None).id
    assert driver.webhooks.replay(OPERATOR, other, from_ms=0, to_ms=2**52) == 0
    assert driver.webhooks.replay(OPERATOR, other, name=driver.poster.bodies()[0]["id"]) == 0
