"""Password hashes."""

from argon2 import extract_parameters
from argon2.exceptions import VerifyMismatchError

from dashboard.store import passwords
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


def test_an_unknown_account_costs_the_same_work_as_a_wrong_password(monkeypatch):
    verified = []

    class Spy:
        def verify(self, hash, password):
            verified.append(extract_parameters(hash))
            raise VerifyMismatchError

    known = hashed("correct horse")
    monkeypatch.setattr(passwords, "_HASHER", Spy())
    assert not matches("wrong", known)
    assert not matches("wrong", None)
    assert verified[0] == verified[1], "one hash each, of the same memory and passes"
