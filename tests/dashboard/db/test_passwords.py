"""Password hashes, and the passwords that are refused."""

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError

from dashboard.db.accounts import passwords
from dashboard.db.accounts.passwords import WeakPassword, hashed, matches, require_strong

EMAIL, NAME = "mai.nguyen@example.com", "Mai Nguyen"
WEAK = {
    "short": "x7#Qp9",
    "empty": "",
    "too long": "x7#Qp9" * 200,
    "digits": "12345678",
    "more digits": "123456789012",
    "the commonest": "password",
    "with a year": "password2026",
    "with other letters": "P@ssw0rd",
    "twice": "passwordpassword",
    "a row of keys": "qwertyuiop",
    "eight blanks": " " * 8,
    "many blanks": " " * 40,
    "one letter": "a" * 60,
    "the address": EMAIL,
    "the address in capitals": f" {EMAIL.upper()} ",
    "the address and a digit": f"{EMAIL}1",
    "the name": NAME,
    "no text": "\udcff" * 12,
}


def test_only_the_right_password_matches():
    hash = hashed("correct horse")
    assert matches("correct horse", hash)
    assert not matches("correct horse ", hash)
    assert not matches("", hash)


def test_no_account_matches_nothing():
    assert not matches("no account has this password", None)


def test_an_invalid_hash_matches_nothing():
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


@pytest.mark.parametrize("password", WEAK.values(), ids=WEAK)
def test_a_weak_password_is_refused(password):
    """H21"""
    with pytest.raises(WeakPassword) as found:
        require_strong(password, EMAIL, NAME)
    assert (found.value.status, found.value.code) == (422, "weak_password")


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "hjkxwqzrpt",
        "0593184726",
        "mật khẩu rất dài",
        "x7#Qp9vL",
        "日本語の長い合言葉です",
    ],
)
def test_any_characters_will_do(password):
    """H21: small letters alone, digits alone, blanks, any language."""
    require_strong(password, EMAIL, NAME)


def test_a_long_password_takes_no_longer():
    require_strong("correct horse battery " * 45, EMAIL, NAME)


def test_a_password_is_the_same_composed_or_not():
    """Keyboards compose characters differently; an earlier hash may be of either form."""
    composed, decomposed = "mật khẩu tuyệt vời", "ma\u0323\u0302t khẩu tuye\u0323\u0302t vời"
    assert passwords.matches(decomposed, passwords.hashed(composed))
    assert passwords.matches(composed, passwords.hashed(decomposed))
    earlier = PasswordHasher().hash(decomposed)
    assert passwords.matches(decomposed, earlier)
    assert not passwords.matches("mat khau tuyet voi", passwords.hashed(composed))
    assert not passwords.matches(decomposed, None)
