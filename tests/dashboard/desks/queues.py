"""Queues in the two worlds, and the admins who get threads from them."""

from typing import TYPE_CHECKING, Literal

from dashboard.db.lists import views
from dashboard.db.queues import admins, definitions, entries
from dashboard.db.queues.definitions import QueueDraft

if TYPE_CHECKING:
    from tests.dashboard.desks.world import World

#: The supervisor who saves them.
BOSS = 3


def queue_of(
    world: "World", view: views.View, mode: Literal["push", "pull"], desk: str | None
) -> int:
    """Makes the view hand out its threads to the admins of a desk, None: to all."""
    desks = None if desk is None else frozenset({desk})
    draft = QueueDraft(view.id, mode, desks, 120, 0, 120, "waiting")

    def write(connection):
        id = definitions.create(connection, draft, BOSS, world.clock())
        entries.synchronize(connection)
        return id

    return world.database.write(write)


def is_here(world: "World", admin_id: int, **values: object) -> None:
    """Lets queues know that the admin is online; `values`: further ones, such as `accepting`."""
    online = {"status": "online", "shown_status": "online", **values}
    world.database.write(lambda connection: admins.put(connection, admin_id, **online))
