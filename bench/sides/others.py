"""The sides that Lineup is compared with: the recipe, polling, and the floor under both."""

from typing import Any

from bench.dataset import all_threads
from bench.processes import BenchError
from bench.recipe.store import Store
from bench.sides.side import Side
from tests.servers.ports import free_port


class Recipe(Side):
    name = kind = "recipe"
    options: tuple[str, ...] = ()

    def start(self) -> None:
        url, setting = self.start_redis(), self.setting
        self.start_python(
            "bench.recipe.server",
            free_port(),
            *("--redis", url, "--database", self.folder / "recipe.sqlite"),
            *("--threads", setting.threads, "--newest-ms", setting.newest_ms, *self.options),
        )

    def check(self, held: dict[str, Any]) -> None:
        key = f"list:{self.setting.view}:{self.setting.sort}"
        truth = _names(self.client().zrange(key, 0, -1))
        if held["held"][0] != truth or not held["same"]:
            raise BenchError("what the recipe's browser holds is not what its Redis holds")
        expected = {
            each.name
            for each in all_threads(self.setting.threads, self.setting.newest_ms)
            if not each.facts.closed
        }
        if self.setting.view == "arrival" and set(truth) != expected:
            raise BenchError("the recipe's list does not hold the open threads")


def _names(members: Any) -> list[str]:
    return [member.decode() for member in members]


class GatheringRecipe(Recipe):
    """The recipe that takes all waiting notifications before sending a list."""

    name = "recipe, gathering"
    options = ("--gather",)


class Polling(Side):
    name = kind = "polling"

    def start(self) -> None:
        setting = self.setting
        self.start_python(
            "bench.polling.server",
            free_port(),
            *("--database", self.folder / "polling.sqlite"),
            *("--threads", setting.threads, "--newest-ms", setting.newest_ms),
        )

    def dashboard_settings(self) -> dict[str, Any]:
        return super().dashboard_settings() | {"poll_seconds": self.setting.poll_seconds}

    def check(self, held: dict[str, Any]) -> None:
        found = Store(str(self.folder / "polling.sqlite")).listed(
            self.setting.view, self.setting.sort, len(held["held"][0])
        )
        if held["held"][0] != [id for id, _, _ in found] or held["problems"]:
            raise BenchError(f"polling shows another list than SQL: {held['problems']}")


class Floor(Side):
    """The same server and sockets with nothing behind them."""

    name = kind = "floor"

    def start(self) -> None:
        setting = self.setting
        self.start_python(
            "bench.floors.server",
            free_port(),
            *("--bytes", setting.frame_bytes, "--async-mode", setting.async_mode),
        )

    def check(self, held: dict[str, Any]) -> None:
        """Accepts everything: the floor shows nothing that could be wrong."""


class EmptyPost(Floor):
    name = "empty post"

    def start(self) -> None:
        self.start_python(
            "bench.floors.server", free_port(), "--async-mode", self.setting.async_mode
        )
