"""Revision 0010: the role of the newest public message of each thread, as the product keeps it."""

from sqlalchemy import select, text

from dashboard.db import migrate
from dashboard.db.models.threads import threads


def last_roles(database) -> dict[str, tuple]:
    columns = threads.c.external_id, threads.c.last_role, threads.c.stamps
    with database.read() as connection:
        return {
            name: (role, stamps.get("last"))
            for name, role, stamps in connection.execute(select(*columns))
        }


def test_last_roles_of_stored_messages_are_found(any_database, shop):
    shop.says(0, thread="asked")
    shop.says(20, thread="answered", role="bot")
    shop.says(10, thread="answered")
    shop.says(30, thread="noted", role="admin", private=True)
    shop.says(5, thread="noted")
    shop.does("thread.handoff", 0, thread="silent")
    for id, role in (("a", "client"), ("b", "bot")):
        shop.says(50, thread="equal", id=f"equal-{id}", role=role)
    right = last_roles(any_database)
    assert {name: role for name, (role, _) in right.items()} == {
        "asked": "client",
        "answered": "bot",
        "noted": "client",
        "silent": None,
        "equal": "bot",
    }
    any_database.write(lambda connection: migrate.downgrade(connection, "0009"))
    any_database.write(
        lambda connection: connection.execute(
            text("UPDATE threads SET stamps = '{}' WHERE external_id <> 'silent'")
        )
    )
    migrate.bring_to_head(any_database)
    assert last_roles(any_database) == right
