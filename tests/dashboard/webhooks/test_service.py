"""The acts of supervisors on webhooks."""

from functools import partial

import pytest
from standardwebhooks import Webhook

from dashboard.db.outbox import deliveries, outgoing, webhooks
from dashboard.errors import Invalid, NotFound, Problem
from dashboard.webhooks.http_client import Answer
from dashboard.webhooks.service import check_url
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


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("xn--aaaaaaaaaa", "not valid Punycode"),
        ("xn--.example", "letters, digits and hyphens"),
        ("good.example\\bot", "letters, digits and hyphens"),
        ("bot.xn--55555577.example", "not valid Punycode"),
        ("xn--a", "not valid Punycode"),
        # A capital, a symbol, a full-width letter, and a joiner where none may be.
        ("xn--BCHER-KVB7.example", "not valid Punycode"),
        ("xn--i-7iq.ws", "not valid Punycode"),
        ("xn--ls8h.example", "not valid Punycode"),
        ("xn--a-ecp.example", "not valid Punycode"),
        ("xn---abc.example", "not valid Punycode"),
        ("bot..example", "empty label"),
        (".example", "empty label"),
        (".", "ends with a dot"),
        ("bot.example.", "ends with a dot"),
        ("bot.example..", "ends with a dot"),
        ("x" * 64 + ".example", "label of 64 characters"),
        (".".join(["x" * 60] * 5), "host of 304 characters"),
        ("-bot.example", "letters, digits and hyphens"),
        ("bot-.example", "letters, digits and hyphens"),
        ("bot!.example", "letters, digits and hyphens"),
        ("bo%74.example", "letters, digits and hyphens"),
        ("bücher.example", "write “xn--bcher-kva.example”"),
        ("ｂｏｔ.example", "write “bot.example”"),
        ("bot。example", "write “bot.example”"),
        ("\u2488.example", "not a DNS name"),
        ("127.1", "not an IP address"),
        ("2130706433", "not an IP address"),
        ("0x7f000001", "not an IP address"),
        ("0x7f.0.0.1", "not an IP address"),
        ("0177.0.0.1", "not an IP address"),
        ("127.0.0.01", "not an IP address"),
        ("1.2.3.4.5", "not an IP address"),
        ("256.1.1.1", "not an IP address"),
        ("bot.0x7f", "not an IP address"),
        ("bot.42", "not an IP address"),
        ("[::1", "not an IP address"),
        ("[::g]", "not an IP address"),
        ("[127.0.0.1]", "not an IP address"),
        ("[fe80::1%25eth0]", "not an IP address"),
        ("bot.example:0", "port “0”"),
        ("bot.example:65536", "port “65536”"),
        ("bot.example:", "port “”"),
        ("bot.example:+80", "port “+80”"),
        ("bot.example:８０", "port “８０”"),
        ("[::1]:0", "port “0”"),
        ("a:80:90", "port “80:90”"),
    ],
)
def test_the_reason_is_said_why_a_host_is_not_valid(host, reason):
    with pytest.raises(Invalid) as found:
        check_url(f"https://{host}/hook")
    [error] = found.value.errors
    assert (error.pointer, error.code) == ("/url", "invalid_host"), error
    assert reason in error.detail


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://mai@bot.example/", "a user name or a password"),
        ("https://:@bot.example/", "a user name or a password"),
        ("https://good.example\\@bot.example/", "a user name or a password"),
        ("https:bot.example", "must begin with"),
        ("https:///bot.example", "must begin with"),
        ("//bot.example", "must begin with"),
        ("https://bot.example/ế", "percent-encoded"),
        ("https://bot.example/\u200b", "blanks, controls"),
        (" https://bot.example", "blanks, controls"),
    ],
)
def test_the_reason_is_said_why_an_address_is_not_valid(url, reason):
    with pytest.raises(Invalid, match=reason):
        check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://bot.example", "HTTP://Bot.Example:8443/a?b=c", "http://localhost:8000/",
        "https://xn--bcher-kva.example/", "https://XN--Fiqs8S.example/", "https://a.b-c.d_e.example/",
        "http://192.0.2.7:65535/", "http://[2001:db8::1]:8080/", "http://[::1]/", "http://lineup_bot/",
        "https://r3---sn-4g5.example/", "https://1a.2b/", "https://bot.example/a@b:c\\d",
        f"https://{'x' * 63}.example/",
    ],
)  # fmt: skip
def test_valid_addresses_are_taken(url):
    check_url(url)


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
    for _ in range(deliveries.TESTS_KEPT + 5):
        driver.webhooks.test(id)
    assert len(driver.webhooks.log(id, None, 100)[0]) == deliveries.TESTS_KEPT


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


def test_what_waits_behind_a_replayed_event_follows_it(driver):
    """It was put off with the one before it."""
    id = driver.webhook(events=["message.created"])
    driver.poster.will_answer(URL, *[Answer(None, "timeout")] * 3)
    driver.reply("one")
    driver.reply("two")
    for milliseconds in (0, 5_000, 300_000):
        driver.later(milliseconds)
    [body, *_] = driver.poster.bodies()
    assert driver.said() == ["one"] * 3
    driver.webhooks.replay(OPERATOR, id, name=body["id"])
    driver.settle()
    assert driver.said()[3:] == ["one", "two"]


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


def test_a_period_with_more_events_than_one_transaction_takes_is_replayed_whole(
    driver, monkeypatch
):
    monkeypatch.setattr("dashboard.db.outbox.deliveries.REPLAYED_AT_ONCE", 2)
    id = driver.webhook(events=["message.created"])
    for number in range(5):
        driver.clock.advance(1_000)
        driver.reply(f"No. {number}")
        driver.actions.claim(driver.linh, driver.thread())
        driver.actions.release(driver.linh, driver.thread())
    driver.settle()
    assert driver.webhooks.replay(OPERATOR, id, from_ms=0, to_ms=driver.clock()) == 5
    driver.settle()
    assert driver.said() == [f"No. {number}" for number in range(5)] * 2
