"""Whatever one connection or one socket sends, the others are served meanwhile."""

import pytest

from tests.attack.attacks import ATTACKS
from tests.attack.measure import is_survived
from tests.attack.target import Target
from tests.servers.lineup import cookie_of

pytestmark = pytest.mark.slow

#: Rounds of three requests. How long they wait is measured by `python -m tests.attack`.
ROUNDS = 5
#: An attack that occupies a worker does so until its end.
SECONDS = 60


@pytest.fixture(scope="module")
def target(lineup) -> Target:
    """A server with two admins, who sign in before one attack sends wrong passwords: in the minute
    after it nobody can sign in from this address."""
    server = lineup.server
    attacker, other = cookie_of(lineup.mai), cookie_of(server.sign_in(lineup.ken_email))
    return Target(server.url, attacker, server.create_key("attacker"), other)


@pytest.mark.parametrize("name", ATTACKS)
def test_others_are_served_during_an_attack(target, name):
    """H7: one connection or one socket, with everything that it can send."""
    assert is_survived(target, ATTACKS[name], ROUNDS, SECONDS)
