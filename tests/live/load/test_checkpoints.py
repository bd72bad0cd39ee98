"""SQLite's log is copied into the database while a Lineup serves, however short the log is."""

from pathlib import Path

from tests.support import wait_until

EVENTS, CHARACTERS = 50, 8_000


def test_the_database_holds_what_was_written_a_moment_ago(lineup):
    database = Path(str(lineup.database.engine.url.database))
    before = database.stat().st_size
    for number in range(EVENTS):
        lineup.say(f"long-{number}", "x" * CHARACTERS)

    def has_grown() -> bool:
        return database.stat().st_size >= before + EVENTS * CHARACTERS

    wait_until(has_grown, 30, "a checkpoint")
