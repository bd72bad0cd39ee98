"""Bursts of sign-ins are answered, every one of them."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from tests.servers.lineup import PASSWORD

pytestmark = pytest.mark.slow

AT_ONCE = 30
BURSTS = 3


def test_thirty_sign_ins_at_once_are_all_answered(lineup):
    """H10: right and wrong ones, in bursts; other requests are served meanwhile."""
    server = lineup.server
    names = [server.create_admin(f"Burst{number}") for number in range(AT_ONCE // 2)]

    def sign_in(number):
        is_right = number % 2
        email = names[number // 2] if is_right else f"nobody{number}@example.com"
        answer = requests.post(
            f"{server.url}/login",
            json={"email": email, "password": PASSWORD},
            headers={"Origin": server.url},
            timeout=30,
        )
        return is_right, answer.status_code

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in range(BURSTS):
            found = set(pool.map(sign_in, range(AT_ONCE)))
            assert found <= {(1, 204), (0, 401), (0, 429), (1, 429)}, found
            assert (1, 204) in found
    started = time.monotonic()
    server.stop()
    assert server.process.returncode == 0
    assert time.monotonic() - started < 10
    server.start()
