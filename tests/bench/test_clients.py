"""A dashboard of the bench holds what the server sends, also after a list was rebuilt."""

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest

from bench.drive.clients import LineupDashboard
from bench.drive.payloads import Payloads
from bench.drive.views import ViewDashboard
from tests.support import run_aside


def answer(epoch: str, version: int, entries: dict[int, int]) -> dict[str, Any]:
    found = {"ok": True, "epoch": epoch, "version": version, "total": len(entries), "rows": []}
    return found | {"ids": [*entries], "scores": [*entries.values()]}


def frame(epoch: str, since: int, version: int, set=(), gone=()) -> dict[str, Any]:
    found = {"epoch": epoch, "from": since, "version": version, "rows": {}}
    return found | {"set": [*set], "del": [*gone]}


class Opened(LineupDashboard):
    """A dashboard without a server: each opening is answered with the next of `answers`."""

    def __init__(self, *answers: dict[str, Any]):
        super().__init__({"url": "", "view": "v5", "sort": "arrival", "whole": 1}, Payloads(), 0)
        self.answers = [*answers]
        self.link = Mock()
        self._early, self._opening = [], None
        self._fetching = self._watching = asyncio.Future()

    async def _open_list(self) -> dict[str, Any]:
        await asyncio.sleep(0)
        return self.answers.pop(0)


async def opened_again(version: int) -> Opened:
    """A dashboard opened at `version`, and again after a rebuild at version 6."""
    dashboard = Opened(answer("e1", version, {1: 10, 2: 20}), answer("e2", 7, {2: 20}))
    await dashboard._take_list()
    dashboard.apply(frame("e1", version, version + 1, set=[(3, 30)]))
    assert dashboard.whole == {1: 10, 2: 20, 3: 30}
    dashboard.apply(frame("e2", 6, 6))  # no browser can apply it
    dashboard.apply(frame("e2", 7, 8, set=[(4, 40)], gone=[2]))
    await dashboard._opening
    return dashboard


@pytest.mark.parametrize("version", [4, 900])
def test_a_list_that_was_built_anew_is_opened_again(version):
    dashboard = run_aside(opened_again(version))
    assert dashboard.whole == {4: 40}, "and what came while it was opened is not lost"
    assert (dashboard.epoch, dashboard.version, dashboard.problems) == ("e2", 8, [])


def test_what_a_dashboard_of_views_holds_is_read_without_opening_the_list():
    """If the list were opened while a frame is under way, the server would count it as sent."""

    class Shown(ViewDashboard, Opened):
        pass

    async def held() -> dict[str, Any]:
        dashboard = Shown(answer("e1", 4, {1: 10}))
        dashboard.settings["views"], dashboard.totals = ["v5"], {}
        await dashboard._take_list()
        return await dashboard.held()

    assert run_aside(held())["whole"] == [(10, 1)]
