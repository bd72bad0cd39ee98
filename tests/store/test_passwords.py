"""Password hashes."""

import time

from dashboard.store.passwords import hashed, matches


def test_only_the_right_password_matches():
    hash = hashed("correct horse")
    assert matches("correct horse", hash)
    assert not matches("correct horse ", hash)
    assert not matches("", hash)


def test_no_account_matches_nothing():
    assert not matches("nobody has this password", None)


def test_what_is_no_hash_matches_nothing():
    assert not matches("x", "x")


def test_an_unknown_account_takes_as_long_as_a_wrong_password():
    hash = hashed("correct horse")

    def fastest(password_hash):
        def once():
            started = time.perf_counter()
            matches("wrong", password_hash)
            return time.perf_counter() - started

        return min(once() for _ in range(7))

    known, unknown = fastest(hash), fastest(None)
    assert 0.5 < known / unknown < 2, f"{known:.4f} s and {unknown:.4f} s"
