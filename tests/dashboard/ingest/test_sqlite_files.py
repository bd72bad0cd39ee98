"""The files of an SQLite database, shared by processes."""

import subprocess
import sys

import pytest
from sqlalchemy import text

from dashboard.db.database import Database

WRITE = """
import sys
from sqlalchemy import text
from dashboard.db.database import Database
database = Database(sys.argv[1])
database.write(lambda connection: connection.execute(text("INSERT INTO numbers VALUES (1)")))
database.close()
"""


@pytest.mark.slow
def test_another_process_that_opens_and_closes_it_does_not_take_the_log_away(tmp_path):
    """The last process that closes a database removes its log; locks tell it about the others."""
    database = Database(f"sqlite:///{tmp_path / 'lineup.sqlite'}")
    database.write(lambda connection: connection.execute(text("CREATE TABLE numbers (one INT)")))
    with database.read() as first, database.read() as second:
        for connection in (first, second):
            assert connection.scalar(text("SELECT count(*) FROM numbers")) == 0
    for count in (1, 2, 3):
        subprocess.run([sys.executable, "-c", WRITE, database.url], check=True)
        with database.read() as connection:
            assert connection.scalar(text("SELECT count(*) FROM numbers")) == count
    database.close()
