"""The names that a note mentions by `@`: docs/requirements/mentions.md."""

import json
from pathlib import Path

import pytest

from dashboard.ingest import mentioning
from dashboard.ingest.mentioning import folded, names_in

#: A team, and the names that notes mention; `tests/js/core/mentions.test.mjs` reads it, too.
GIVEN = json.loads((Path(__file__).parent / "names.json").read_text(encoding="utf-8"))
TEAM = set(GIVEN["team"])


@pytest.mark.parametrize(("body", "called"), GIVEN["notes"])
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
    monkeypatch.setattr(mentioning, "folded", lambda text: compared.append(text) or folded(text))
    assert names_in(body, team) == {}
    assert len(compared) < 2 * len(team) + mentioning.PLACES_MAX * (2 * 73 + 8)
    assert max(map(len, compared)) < 2 * 73 + 8
