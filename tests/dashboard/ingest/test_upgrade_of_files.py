"""Revision 0038: which threads have a file, as the product keeps it."""

from sqlalchemy import select

from dashboard.db import migrate
from dashboard.db.models.threads import threads


def have_file(database) -> dict[str, bool]:
    with database.read() as connection:
        columns = threads.c.external_id, threads.c.has_file
        return dict(connection.execute(select(*columns)).all())


def test_threads_with_files_among_their_stored_messages_are_found(any_database, shop):
    files = [{"url": "https://x.example/a.png"}, {"url": "https://x.example/b.png"}]
    shop.says(0, thread="none")
    shop.does("thread.handoff", 0, thread="silent")
    shop.says(0, thread="sent", attachments=files)
    shop.says(10, thread="sent", attachments=files[:1])
    shop.says(20, thread="sent")
    shop.says(0, thread="noted")
    shop.says(10, thread="noted", role="admin", private=True, attachments=files)
    right = have_file(any_database)
    assert right == {"none": False, "silent": False, "sent": True, "noted": True}
    any_database.write(lambda connection: migrate.downgrade(connection, "0037"))
    migrate.bring_to_head(any_database)
    assert have_file(any_database) == right
    shop.says(30, thread="none", attachments=files)
    assert have_file(any_database)["none"]
