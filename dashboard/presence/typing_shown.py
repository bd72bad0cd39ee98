"""Whether an admin lets others see them type."""

from collections.abc import Callable

from dashboard.errors import StorageUnavailable
from dashboard.presence.service import PresenceService

#: Seconds for which the setting is cached: a change on another worker counts after that.
_CACHE_SECONDS = 1.0


class TypingShown:
    """Reads the setting `show_typing` from SQL, where every worker writes it first."""

    def __init__(self, presence_service: PresenceService, monotonic: Callable[[], float]):
        self._presence_service = presence_service
        self._monotonic = monotonic
        self._known: dict[int, tuple[float, bool]] = {}

    def of(self, admin_id: int) -> bool:
        """The admin's setting; False while SQL is away."""
        now = self._monotonic()
        until, shown = self._known.get(admin_id, (now, False))
        if now < until:
            return shown
        person = str(admin_id)
        try:
            shown = self._presence_service.admin_settings([person])[person].show_typing
        except StorageUnavailable:
            return False
        self._known = {id: known for id, known in self._known.items() if now < known[0]}
        self._known[admin_id] = now + _CACHE_SECONDS, shown
        return shown

    def forget(self, admin_id: int) -> None:
        """The admin's settings have changed."""
        self._known.pop(admin_id, None)
