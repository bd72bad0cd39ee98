"""Admins for the live tests of presence."""

import random

import pytest


@pytest.fixture(scope="module")
def sign_in(lineup):
    """Signs in a new admin; returns the session and the admin's id."""
    numbers = iter(range(1_000))

    def make(role: str = "admin"):
        email = lineup.server.create_admin(f"Admin{next(numbers)}x{random.random():.6f}"[:20], role)
        session = lineup.server.sign_in(email)
        me = session.get(f"{lineup.server.url}/admin/api/me").json()
        return session, me["id"]

    return make
