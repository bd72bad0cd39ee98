"""A limit for reading announcements: without acknowledgement they would be read without end."""

from dashboard.presence.tasks import PresenceTasks

#: Far more than a test needs.
READS_MAX = 200


def limit_reads(tasks: PresenceTasks) -> None:
    """Makes a test fail that reads the announcements to store again and again."""
    left = iter(range(READS_MAX))
    for outbox, _, _ in tasks._stored:

        def read(*given, read_once=outbox.read_once):
            assert next(left, None) is not None, "announcements are read without end"
            return read_once(*given)

        outbox.read_once = read
