"""Settings that are checked at the start."""

from pathlib import Path

import pytest

from dashboard.errors import StartError
from dashboard.settings import Settings


def picture_hosts(text: str) -> tuple[str, ...]:
    return Settings.from_environment({"LINEUP_PICTURE_HOSTS": text}, Path("instance")).picture_hosts


def test_hosts_of_pictures_are_hosts_and_nothing_else():
    assert picture_hosts("") == picture_hosts(" , ") == ()
    assert picture_hosts("CDN.shop.example, img.example:8443") == (
        "cdn.shop.example",
        "img.example:8443",
    )


@pytest.mark.parametrize(
    "text",
    [
        "https://cdn.example",
        "*",
        "*.example",
        "cdn.example/pictures",
        "a b",
        "a.example; x",
        "'self'",
    ],
)
def test_what_is_no_host_of_pictures_stops_the_start(text):
    with pytest.raises(StartError, match="LINEUP_PICTURE_HOSTS must be hosts such as"):
        picture_hosts(text)


def test_history_has_a_number_of_days():
    def history_days(**given: str) -> int:
        return Settings.from_environment(given, Path("instance")).history_days

    assert (history_days(), history_days(LINEUP_HISTORY_DAYS="1")) == (90, 1)
    assert history_days(LINEUP_HISTORY_DAYS="36500") == 36_500
    sentence = "LINEUP_HISTORY_DAYS must be a whole number from 1 to 36500, not “%s”."
    for wrong in ("0", "36501", "-1", "1.5", "many"):
        with pytest.raises(StartError) as error:
            history_days(LINEUP_HISTORY_DAYS=wrong)
        assert str(error.value) == sentence % wrong


def test_an_environment_file_may_have_gone_through_an_editor():
    given = {"\ufeffLINEUP_HISTORY_DAYS": "7\r", "LINEUP_SECRET_KEY": "x" * 40 + "\r\n"}
    settings = Settings.from_environment(given, Path("instance"))
    assert (settings.history_days, settings.secret_key) == (7, "x" * 40)
