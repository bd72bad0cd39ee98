"""Codes of an authenticator app, and recovery codes; SQL lets each be used once."""

import base64
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import select

from dashboard.db.accounts import admins, second_factor
from dashboard.db.accounts.second_factor import Codes, Sealing, typed
from dashboard.db.models.accounts import recovery_codes, second_factors
from tests.support import code_at

KEY = "a secret key of a test"
#: Tries of the same code at the same moment.
AT_ONCE = 6


@pytest.fixture
def codes(clock):
    return Codes(Sealing(KEY), clock)


def create(database, name="mai") -> int:
    return database.write(
        lambda connection: admins.create(connection, f"{name}@example.com", name, "admin", "x", 1)
    )


@pytest.fixture
def mai(any_database):
    return create(any_database)


def set_up(database, codes, admin_id, clock) -> str:
    """Sets up a factor, confirmed with the code of the step before; returns its secret."""
    secret = second_factor.new_secret()
    sealed = Sealing(KEY).seal(admin_id, secret)
    assert database.write(lambda c: second_factor.begin(c, admin_id, sealed, clock()))
    code = code_at(secret, clock() - second_factor.STEP_MS)
    assert database.write(lambda c: codes.confirm(c, admin_id, code))
    return secret


def use(database, codes, admin_id, code):
    return database.write(lambda connection: codes.use(connection, admin_id, code))


def test_a_secret_counts_once_its_first_code_has_confirmed_it(any_database, codes, mai, clock):
    secret = second_factor.new_secret()
    sealed = Sealing(KEY).seal(mai, secret)
    any_database.write(lambda c: second_factor.begin(c, mai, sealed, clock()))
    code = code_at(secret, clock())
    with any_database.read() as connection:
        assert second_factor.has(connection, [mai]) == set()
    assert use(any_database, codes, mai, code) is None
    assert not any_database.write(lambda c: codes.confirm(c, mai, "000000"))
    assert any_database.write(lambda c: codes.confirm(c, mai, code))
    assert use(any_database, codes, mai, code) is None, "the code that confirmed it is used"
    with any_database.read() as connection:
        assert second_factor.has(connection, [mai]) == {mai}


def test_a_set_up_that_was_not_confirmed_is_replaced_and_a_confirmed_one_is_not(
    any_database, codes, mai, clock
):
    any_database.write(lambda c: second_factor.begin(c, mai, "given up", clock()))
    set_up(any_database, codes, mai, clock)
    assert not any_database.write(lambda c: second_factor.begin(c, mai, "another", clock()))
    with any_database.read() as connection:
        assert second_factor.of(connection, mai).secret != "another"


def test_a_code_is_taken_once(any_database, codes, mai, clock):
    secret = set_up(any_database, codes, mai, clock)
    code = code_at(secret, clock())
    assert use(any_database, codes, mai, f" {code[:3]} {code[3:]} ") == "totp"
    assert use(any_database, codes, mai, code) is None
    later = code_at(secret, clock() + second_factor.STEP_MS)
    assert use(any_database, codes, mai, later) == "totp"
    assert use(any_database, codes, mai, code) is None


#: The ways to type a code of two groups: separators, digits and letters.
SEPARATORS = [*" -.,_/:·–—\u2011\u2212－・　", "\u00a0", "\t", "\r\n", " - ", "\u200b", "\u00ad"]
WIDE = str.maketrans({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
INDIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


@pytest.mark.parametrize("digits", [{}, WIDE, INDIC], ids=["plain", "wide", "arabic"])
def test_a_code_of_the_app_is_taken_in_any_width_and_with_any_separators(digits):
    for between in SEPARATORS:
        text = f"{between}123{between}456 ".translate(digits)
        assert typed(text) == "123456", ascii(text)


@pytest.mark.parametrize("width", [{}, WIDE], ids=["plain", "wide"])
def test_a_recovery_code_is_taken_in_any_width_and_with_any_separators(
    any_database, codes, mai, clock, width
):
    set_up(any_database, codes, mai, clock)
    for between, shown in zip(SEPARATORS, second_factor.new_codes() * 2, strict=False):
        any_database.write(lambda c, code=shown: second_factor.replace_codes(c, mai, [code]))
        text = shown.replace("-", between).lower().translate(width)
        assert use(any_database, codes, mai, text) == "recovery_code", ascii(text)


@pytest.mark.parametrize("text", ["123456x", "12345", "1234567", "x", "½", "一二三四五六"])
def test_what_holds_other_letters_and_digits_is_another_code(text):
    assert typed(text) != "123456"


def test_a_code_counts_for_its_own_account_alone(any_database, codes, mai, clock):
    secret = set_up(any_database, codes, mai, clock)
    ken = create(any_database, "ken")
    set_up(any_database, codes, ken, clock)
    assert use(any_database, codes, ken, code_at(secret, clock())) is None
    shown = second_factor.new_codes()
    any_database.write(lambda c: second_factor.replace_codes(c, mai, shown))
    assert use(any_database, codes, ken, shown[0]) is None
    assert use(any_database, codes, mai, shown[0]) == "recovery_code"


def test_each_recovery_code_is_taken_once_however_it_is_typed(any_database, codes, mai, clock):
    set_up(any_database, codes, mai, clock)
    shown = second_factor.new_codes()
    assert len(set(shown)) == second_factor.RECOVERY_CODES == 10
    any_database.write(lambda c: second_factor.replace_codes(c, mai, shown))
    typed = shown[0].lower().replace("-", " ").replace("0", "o").replace("1", "l")
    assert use(any_database, codes, mai, f"  {typed} ") == "recovery_code"
    assert use(any_database, codes, mai, shown[0]) is None
    with any_database.read() as connection:
        assert second_factor.codes_left(connection, mai) == 9
    any_database.write(lambda c: second_factor.replace_codes(c, mai, second_factor.new_codes()))
    assert use(any_database, codes, mai, shown[1]) is None, "new ones end those before"


def test_recovery_codes_need_a_factor_that_counts(any_database, codes, mai):
    shown = second_factor.new_codes()
    any_database.write(lambda c: second_factor.replace_codes(c, mai, shown))
    assert use(any_database, codes, mai, shown[0]) is None


@pytest.mark.parametrize("wrong", ["", "A" * 24, "0" * 65, "\ud800", "' OR 1=1 --"])
def test_a_wrong_code_is_refused(any_database, codes, mai, clock, wrong):
    set_up(any_database, codes, mai, clock)
    assert use(any_database, codes, mai, wrong) is None


@pytest.mark.parametrize("kind", ["totp", "recovery_code"])
def test_of_several_uses_of_a_code_at_the_same_time_one_counts(
    any_database, codes, mai, clock, kind
):
    secret = set_up(any_database, codes, mai, clock)
    shown = second_factor.new_codes()
    any_database.write(lambda c: second_factor.replace_codes(c, mai, shown))
    code = code_at(secret, clock()) if kind == "totp" else shown[0]
    together = threading.Barrier(AT_ONCE)

    def take(_: int):
        together.wait()
        return use(any_database, codes, mai, code)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(take, range(AT_ONCE)))
    assert sorted(found, key=str) == [None] * (AT_ONCE - 1) + [kind]


def test_nothing_is_stored_that_lets_anybody_in(any_database, codes, mai, clock):
    secret = set_up(any_database, codes, mai, clock)
    shown = second_factor.new_codes()
    any_database.write(lambda c: second_factor.replace_codes(c, mai, shown))
    with any_database.read() as connection:
        stored = repr(connection.execute(select(second_factors)).all())
        stored += repr(connection.execute(select(recovery_codes)).all())
    assert secret not in stored
    for code in shown:
        assert code not in stored and code.replace("-", "") not in stored


def test_a_secret_is_read_with_its_key_for_its_account_alone():
    sealed = Sealing(KEY).seal(1, "SECRET")
    assert Sealing(KEY).open(1, sealed) == "SECRET"
    assert Sealing(KEY).open(2, sealed) is None
    assert Sealing(f"{KEY}!").open(1, sealed) is None
    assert Sealing(KEY).open(1, sealed[:-4] + "AAA=") is None


def test_with_another_secret_key_recovery_codes_still_count(any_database, codes, mai, clock):
    secret = set_up(any_database, codes, mai, clock)
    shown = second_factor.new_codes()
    any_database.write(lambda c: second_factor.replace_codes(c, mai, shown))
    other = Codes(Sealing("another secret key"), clock)
    assert use(any_database, other, mai, code_at(secret, clock())) is None
    assert use(any_database, other, mai, shown[0]) == "recovery_code"


def test_what_is_removed_counts_no_more(any_database, codes, mai, clock):
    secret = set_up(any_database, codes, mai, clock)
    shown = second_factor.new_codes()
    any_database.write(lambda c: second_factor.replace_codes(c, mai, shown))
    assert any_database.write(lambda c: second_factor.remove(c, mai))
    assert not any_database.write(lambda c: second_factor.remove(c, mai))
    for code in (code_at(secret, clock()), shown[0]):
        assert use(any_database, codes, mai, code) is None


def test_a_step_is_taken_once_whatever_was_read_before(any_database, codes, mai, clock):
    set_up(any_database, codes, mai, clock)
    step = clock() // second_factor.STEP_MS
    take = [
        any_database.write(lambda c, at=at: second_factor.take_step(c, mai, at))
        for at in (step, step)
    ]
    assert take == [True, False]
    assert not any_database.write(lambda c: second_factor.take_step(c, mai, step - 1))


@pytest.mark.postgres
def test_of_two_transactions_that_read_before_either_wrote_one_takes_the_code(
    postgres_database, clock, monkeypatch
):
    mai, codes = create(postgres_database), Codes(Sealing(KEY), clock)
    secret = set_up(postgres_database, codes, mai, clock)
    both_have_read = threading.Barrier(2)
    take_step = second_factor.take_step

    def take_late(*given) -> bool:
        both_have_read.wait(30)
        return take_step(*given)

    monkeypatch.setattr(second_factor, "take_step", take_late)
    code = code_at(secret, clock())
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: use(postgres_database, codes, mai, code), range(2)))
    assert sorted(found, key=str) == [None, "totp"]


#: The seed of RFC 6238, appendix B, for SHA-1.
SEED = base64.b32encode(b"12345678901234567890").decode()
#: Its times in seconds, and the last six of its eight digits.
VECTORS = [
    (59, "287082"),
    (1_111_111_109, "081804"),
    (1_111_111_111, "050471"),
    (1_234_567_890, "005924"),
    (2_000_000_000, "279037"),
    (20_000_000_000, "353130"),
]
NOW = 1_790_000_010_000
STEP = NOW // second_factor.STEP_MS


@pytest.mark.parametrize(("seconds", "code"), VECTORS)
def test_codes_are_those_of_the_standard(seconds, code):
    assert code_at(SEED, seconds * 1000) == code
    assert second_factor.step_of(SEED, code, seconds * 1000) == seconds // 30


@pytest.mark.parametrize(("steps", "is_taken"), [(-2, 0), (-1, 1), (0, 1), (1, 1), (2, 0)])
def test_a_clock_may_be_one_step_off(steps, is_taken):
    code = code_at(SEED, NOW + steps * second_factor.STEP_MS)
    found = second_factor.step_of(SEED, code, NOW)
    assert found == (STEP + steps if is_taken else None)


def test_a_code_counts_to_the_last_millisecond_of_the_step_after_its_own():
    code = code_at(SEED, NOW)
    start = STEP * second_factor.STEP_MS
    assert second_factor.step_of(SEED, code, start + 2 * second_factor.STEP_MS - 1) == STEP
    assert second_factor.step_of(SEED, code, start + 2 * second_factor.STEP_MS) is None
    assert second_factor.step_of(SEED, code, start - second_factor.STEP_MS) == STEP
    assert second_factor.step_of(SEED, code, start - second_factor.STEP_MS - 1) is None


@pytest.mark.parametrize("after", [STEP, STEP + 1])
def test_no_code_counts_of_a_step_that_was_used_or_before_it(after):
    assert second_factor.step_of(SEED, code_at(SEED, NOW), NOW, after) is None
    assert second_factor.step_of(SEED, code_at(SEED, NOW), NOW, STEP - 1) == STEP


@pytest.mark.parametrize(
    "wrong", ["", "28708", "2870820", "٢٨٧٠٨٢", "\ud800", "287082\n", "abcdef"]
)
def test_what_is_no_code_is_wrong(wrong):
    assert second_factor.step_of(SEED, wrong, 59_000) is None


def test_a_new_secret_has_160_bits_and_is_another_each_time():
    secrets = {second_factor.new_secret() for _ in range(50)}
    assert len(secrets) == 50
    assert {len(base64.b32decode(secret)) for secret in secrets} == {20}


def test_the_address_for_the_app_names_account_issuer_and_secret():
    parts = urlsplit(second_factor.uri(SEED, "mai+1@example.com"))
    assert (parts.scheme, parts.netloc) == ("otpauth", "totp")
    assert parts.path == "/Lineup:mai%2B1%40example.com"
    assert parse_qs(parts.query) == {"secret": [SEED], "issuer": ["Lineup"]}
