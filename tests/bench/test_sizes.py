"""The bytes of rows in SQL are counted over the table and all its indexes."""

from bench.sizes import measured

THREADS = 300


def test_every_table_has_rows_and_bytes():
    found = measured("sqlite", THREADS)
    assert found["customers_rows"] == found["threads_rows"] == THREADS < found["events_rows"]
    # A row alone, without the indexes, takes less than half of these.
    assert 40 < found["customers_bytes"] < 400
    assert 350 < found["threads_bytes"] < 2_000
    assert 150 < found["events_bytes"] < 1_000
