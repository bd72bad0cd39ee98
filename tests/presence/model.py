"""Presence, slow and obvious: the rules over plain dictionaries."""

from dataclasses import dataclass, field

from presence.people import Connection
from presence.settings import Settings, StatusOverride
from presence.timing import Timing


@dataclass
class Held:
    """A connection until its deadline."""

    connection: Connection
    deadline: int


@dataclass(frozen=True)
class Truth:
    status: str = "offline"
    devices: tuple[str, ...] = ()
    text: str = ""
    activity: str = ""


@dataclass(frozen=True)
class Public:
    """The state that `audience` sees; other viewers see a person who was never seen."""

    truth: Truth = Truth()
    audience: str = ""
    shows_last_seen: bool = True
    last_seen: int | None = None


@dataclass
class Person:
    held: dict[str, Held] = field(default_factory=dict)
    settings: Settings | None = None
    row: Settings | None = None
    due: int | None = None
    last_seen: int | None = None
    filed: tuple[str, int] | None = None
    frozen: bool = False
    truth: Truth = Truth()
    public: Public = Public()


class Model:
    """Times come from outside; `announced` lists the people of each published change."""

    def __init__(self, timing: Timing):
        self.timing = timing
        self.flush()

    def flush(self) -> None:
        self.people: dict[str, Person] = {}
        self.announced: list[str] = []
        self.swept: int | None = None
        self.recovery_until = 0

    def person(self, name: str) -> Person:
        return self.people.setdefault(name, Person())

    def open(self, now: int, connection: Connection, settings: Settings | None) -> None:
        person = self.person(connection.person)
        lifetime = self.timing.lifetime_ms(connection.type)
        opened = connection._replace(opened_ms=now)
        person.held[connection.id] = Held(opened, now + lifetime)
        self._load(person, settings, now)
        person.last_seen = now
        self._settle(connection.person, now)

    def beat(self, now: int, name: str, connection: str, active: bool | None) -> bool:
        person = self.person(name)
        held = person.held.get(connection)
        if not held:
            return False
        deadline = now + self.timing.ttl_ms
        if deadline < held.deadline or deadline - held.deadline >= self.timing.coalesce_ms:
            held.deadline = deadline
            self._touch(person, now)
        if active is not None and held.connection.active != active:
            held.connection = held.connection._replace(active=active)
            person.last_seen = now
            self._settle(name, now)
        return True

    def idle(self, now: int, name: str, connection: str, active: bool) -> None:
        held = self.person(name).held.get(connection)
        if held and held.connection.active != active:
            held.connection = held.connection._replace(active=active)
            self._settle(name, now)

    def close(self, now: int, name: str, connection: str, grace: int) -> None:
        person = self.person(name)
        held = person.held.get(connection)
        if not held:
            return
        if grace:
            self._touch(person, now)
            held.deadline = min(held.deadline, now + grace)
            return
        del person.held[connection]
        person.last_seen = now
        self._settle(name, now)

    def set(self, now: int, name: str, settings: Settings) -> None:
        self._load(self.person(name), settings, now)
        self._settle(name, now)

    def sweep(self, now: int) -> None:
        if self.swept is not None and now - self.swept > self.timing.outage_after_ms:
            self.recovery_until = now + self.timing.recovery_grace_ms
        self.swept = now
        if now < self.recovery_until:
            return
        for name, person in self.people.items():
            over = {key for key, held in person.held.items() if held.deadline <= now}
            for key in over:
                del person.held[key]
            due = person.due is not None and person.due <= now
            if due:
                person.due = first_end(person.row or Settings(), now)
            if over or due:
                self._settle(name, now)

    def _load(self, person: Person, given: Settings | None, now: int) -> None:
        if given is None:
            return
        if person.row and person.row.revision >= given.revision:
            person.settings = person.row
            return
        person.settings = given
        if given.revision:
            person.row, person.due = given, first_end(given, now)

    def _touch(self, person: Person, now: int) -> None:
        """Takes a heartbeat; the public row moves only if it shows the truth."""
        person.last_seen = now
        if person.filed and not person.frozen:
            person.filed = (person.filed[0], now)

    def _settle(self, name: str, now: int) -> None:
        person = self.person(name)
        settings = person.row or person.settings
        override = in_force(settings, now) if settings else StatusOverride(status="invisible")
        visibility = (
            settings.visibility if settings else person.filed[0] if person.filed else "nobody"
        )
        shows = settings.show_last_seen if settings else True
        hidden = override.status == "invisible"
        was_shown = person.public.truth.status != "offline"
        truth = merged(person, override)
        self._file(person, visibility, shows, hidden, was_shown, now)
        public = Public(
            audience=person.filed[0] if person.filed else "",
            last_seen=person.filed[1] if person.filed else None,
        )
        if truth.status != "offline" and not hidden and visibility != "nobody":
            public = Public(truth, visibility, shows)
        if (truth, public) != (person.truth, person.public):
            self.announced.append(name)
        person.truth, person.public = truth, public
        if not person.held:
            person.settings = None

    def _file(
        self, person: Person, visibility: str, shows: bool, hidden: bool, was_shown: bool, now: int
    ) -> None:
        if visibility == "nobody" or not shows:
            person.filed, person.frozen = None, True
        elif hidden:
            known = person.filed[1] if person.filed else None
            left = now if was_shown and not (person.frozen and person.filed) else known
            person.filed = (visibility, left) if left is not None else None
            person.frozen = True
        elif not person.held and person.frozen and person.filed:
            person.filed = (visibility, person.filed[1])
        elif person.last_seen is not None:
            person.filed, person.frozen = (visibility, person.last_seen), False


def merged(person: Person, override: StatusOverride) -> Truth:
    if not person.held:
        return Truth()
    devices: dict[str, str] = {}
    for key, held in person.held.items():
        device = held.connection.device or key
        kind = held.connection.type
        devices[device] = min(kind, devices.get(device, kind))
    status = "online" if any(one.connection.active for one in person.held.values()) else "away"
    if override.status not in ("auto", "invisible"):
        status = override.status
    return Truth(status, tuple(sorted(devices.values())), override.text, override.activity)


def in_force(settings: Settings, now: int) -> StatusOverride:
    return settings.override.at(now)


def first_end(settings: Settings, now: int) -> int | None:
    overrides = [one for one in (settings.override, settings.override.before) if one]
    return min((one.until for one in overrides if one.until and one.until > now), default=None)
