"""Which names a note calls by `@`: docs/requirements/mentions.md."""

import pytest

from dashboard.ingest.mentions import names
from dashboard.ingest.mentions.names import folded, names_in

TEAM = {
    "Ana",
    "Ana Lê",
    "Ken",
    "Nguyễn Thị Mai",
    "山田",
    "山田太郎",
    "김민수",
    "สมชาย",
    "J. O'Hara",
}


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("@Ken look", ["Ken"]),
        ("look, @Ken!", ["Ken"]),
        ("(@Ken)", ["Ken"]),
        ("@Ken, @Ana and @Ken", ["Ana", "Ken"]),
        ("@ken and @ANA", ["Ana", "Ken"]),
        # The longest name counts, and only it.
        ("@Ana Lê knows", ["Ana Lê"]),
        ("@Ana  Lê knows", ["Ana Lê"]),
        ("@Ana Lên knows", ["Ana"]),
        ("@Ana\nLê", ["Ana Lê"]),
        ("@J. O'Hara.", ["J. O'Hara"]),
        # Composed or not.
        ("@Nguye\u0302\u0303n Thi\u0323 Mai ơi", ["Nguyễn Thị Mai"]),
        ("@Ana Le\u0302 knows", ["Ana Lê"]),
        # Within a word, behind a letter, or alone: nobody.
        ("@Kenny", []),
        ("@Ken2", []),
        ("@Ana\u0301", []),
        ("shop@Ken", []),
        ("a.b@ken.example", []),
        ("mail ken@Ana", []),
        ("@@Ken", []),
        ("@ Ken", []),
        ("@", []),
        ("Ken @", []),
        ("@Nobody", []),
        # Scripts without blanks between words.
        ("@山田さん、お願いします", ["山田"]),
        ("お願いします@山田太郎さん", ["山田太郎"]),
        ("@김민수님", ["김민수"]),
        ("@สมชายครับ", ["สมชาย"]),
    ],
)
def test_a_name_is_called_by_an_at_sign(body, called):
    assert sorted(names_in(body, TEAM)) == called


def test_it_says_how_the_name_is_written():
    assert names_in("@KEN and @ken", {"Ken"}) == {"Ken": "KEN"}
    assert names_in("@Ana  Lê", {"Ana Lê"}) == {"Ana Lê": "Ana  Lê"}


def test_names_that_are_written_alike_are_all_called():
    assert names_in("@ana", {"Ana", "ANA"}) == {"Ana": "ana", "ANA": "ana"}


@pytest.mark.parametrize("body", [" @ x" * 5_000, "\n@" + "a " * 9_000, " @Colleague" * 1_800])
def test_a_long_text_of_at_signs_is_bounded_work(body, monkeypatch):
    team = {f"Colleague {number}" + "x" * 60 for number in range(1_000)}
    compared = []
    monkeypatch.setattr(names, "folded", lambda text: compared.append(text) or folded(text))
    assert names_in(body, team) == {}
    assert len(compared) < 2 * len(team) + names.PLACES_MAX * (2 * 73 + 8)
    assert max(map(len, compared)) < 2 * 73 + 8
