"""Revisions 0009 and 0032: rows that show what others wrote show the customer's message instead."""

import pytest
from sqlalchemy import select, text

from dashboard.db import migrate
from dashboard.db.models.threads import threads
from dashboard.ingest.actions import Actions, Admin, Reply
from tests.dashboard.ingest.shop import Shop, message, new_admin

#: What the earlier release had made of the same events.
_SHOWS_THE_BOT = """
    UPDATE threads SET preview_role = 'bot', preview_body = 'I am passing you on to our team.',
        preview_at = 1780000000090, preview_event_id = 1,
        stamps = '{"preview": [1780000000090, "of-the-bot"]}'
"""


#: What the release before 0032 had made of events in which an admin wrote last.
_SHOWS_THE_ADMIN = """
    UPDATE threads SET preview_role = 'admin', preview_body = 'Yes?',
        preview_at = 1780000000090, preview_event_id = 1,
        stamps = '{"preview": [1780000000090, "/of-the-admin"]}'
"""


@pytest.mark.parametrize(
    ("revision", "others"), [("0008", _SHOWS_THE_BOT), ("0031", _SHOWS_THE_ADMIN)]
)
def test_rows_from_before_show_what_customers_wrote(any_database, clock, revision, others):
    shop, actions = Shop(any_database, clock), Actions(any_database, clock)
    linh = Admin(new_admin(any_database, "Linh"), "Linh")
    shop.says(1, "earlier", thread="asked")
    shop.says(9, "Where is my parcel?" + " 👨‍👩‍👧‍👦" * 40, thread="asked")
    shop.says(5, "delivered late", thread="asked")
    picture = {"url": "https://x.example/a.png", "name": "a.png"}
    shop.says(3, "", thread="picture", attachments=[picture])
    shop.says(4, "For us", thread="picture", role="admin", private=True)
    shop.send(
        message(7, "first by id", thread="tie", id="A"),
        message(7, "last by id", thread="tie", id="b"),
    )
    shop.says(2, "Hello?", thread="answered")
    actions.reply(linh, shop.row("answered")["id"], Reply("Yes?", "tok"))
    for name in ("asked", "picture", "tie", "answered", "greeted"):
        shop.says(90, "I am passing you on to our team.", thread=name, role="bot")
    right = previews(any_database)
    assert right["asked"][0] == right["answered"][0] == "client"
    any_database.write(lambda c: migrate.downgrade(c, revision))
    any_database.write(lambda c: c.execute(text(others)))
    shown_before = previews(any_database)["greeted"]
    migrate.bring_to_head(any_database)
    upgraded = previews(any_database)
    assert upgraded.pop("greeted") == shown_before
    assert upgraded == {name: right[name] for name in upgraded}
    shop.says(6, "older than what is shown", thread="asked")
    assert previews(any_database)["asked"] == right["asked"]


def previews(database):
    """For each thread what its row shows, the event, and the event's place among others."""
    names = ("preview_role", "preview_body", "preview_at", "preview_event_id", "stamps")
    columns = (threads.c[name] for name in ("external_id", *names))
    with database.read() as connection:
        rows = connection.execute(select(*columns)).all()
    return {id: (*shown, stamps["preview"]) for id, *shown, stamps in rows}
