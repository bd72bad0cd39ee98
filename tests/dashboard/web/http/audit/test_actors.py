"""Who a request says did something: the session's admin, or nobody, from an address."""

from flask import Flask, g

from dashboard.db.accounts.admins import Admin
from dashboard.db.accounts.sessions import Identity
from dashboard.db.audit import Actor
from dashboard.web.http import audit

APP = Flask("test")
FROM = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}, "headers": {"User-Agent": "Firefox/140.0"}}


def test_the_actor_is_the_admin_of_the_session():
    with APP.test_request_context(**FROM):
        g.identity = Identity(7, "mai@example.org", "Mai", "supervisor", b"", 2, 1, None)
        assert audit.acting() == Actor(
            "page", 7, "Mai", "mai@example.org", "192.0.2.7", "Firefox/140.0"
        )


def test_before_a_sign_in_the_actor_is_nobody_and_after_it_the_admin():
    with APP.test_request_context(**FROM):
        assert audit.signing_in() == Actor("page", None, "", None, "192.0.2.7", "Firefox/140.0")
        mai = Admin(7, "mai@example.org", "Mai", "admin")
        assert audit.signing_in(mai)[1:4] == (7, "Mai", "mai@example.org")


def test_a_request_without_an_address_or_a_browsers_name_has_an_actor():
    with APP.test_request_context(environ_base={"REMOTE_ADDR": ""}, headers={"User-Agent": ""}):
        assert audit.signing_in() == Actor("page")
