"""Calls of accounts and invitations, as the page makes them."""

from flask.testing import FlaskClient

API = "/admin/api"


def account(client: FlaskClient, name: str) -> dict:
    """The account of this name, as a supervisor sees it."""
    found = client.get(f"{API}/accounts").json["accounts"]
    return next(each for each in found if each["name"] == name)


def token_of(link: str) -> str:
    return link.partition("#")[2]
