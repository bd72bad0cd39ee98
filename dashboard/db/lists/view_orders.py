"""The order in which an admin has the views, built-in ones included."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select

from dashboard.db.models.views import view_orders
from dashboard.db.upsert import insert_on


def ordered(
    connection: Connection, admin_id: int, built_in: Sequence[str], saved: Iterable[str]
) -> list[str]:
    """These ids of views in an admin's order.

    Those that it does not name stand where they would without an order: built-in ones before all
    others, saved ones behind them.
    """
    held = select(view_orders.c.ids).where(view_orders.c.admin_id == admin_id)
    places = {id: place for place, id in enumerate(connection.scalar(held) or ())}
    first = [id for id in built_in if id not in places]
    last = [id for id in saved if id not in places]
    named = [id for id in (*built_in, *saved) if id in places]
    return [*first, *sorted(named, key=places.__getitem__), *last]


def save(connection: Connection, admin_id: int, ids: Sequence[str]) -> None:
    """Sets an admin's order."""
    statement = insert_on(connection, view_orders).values(admin_id=admin_id, ids=list(ids))
    connection.execute(
        statement.on_conflict_do_update(index_elements=["admin_id"], set_={"ids": list(ids)})
    )
