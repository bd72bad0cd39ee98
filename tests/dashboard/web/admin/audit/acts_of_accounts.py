"""Calls of admins on their own accounts, of supervisors on those of others, and their entries."""

from typing import Any

from tests.dashboard.web.admin.audit.acts_of_calls import Chief
from tests.dashboard.web.admin.profile.app import App, credentials
from tests.drivers.application import PASSWORD

_CHIEF = ("1", "chief@example.com")
_ON = ("second_factor.enabled", *_CHIEF, {})
_ZONE = {"timezone": {"from": None, "to": "Asia/Tokyo"}}


def _profile(chief: Chief) -> None:
    for _ in range(2):
        chief.does("PUT", "profile", {"name": "Chief", "locale": "vi", "timezone": "Asia/Tokyo"})


def _password(chief: Chief) -> None:
    new = {"current": PASSWORD, "password": "staple of a new horse"}
    chief.does("POST", "profile/password", new)


_EMAIL = {"email": {"from": "chief@example.com", "to": "boss@example.com"}}


def _email(chief: Chief) -> None:
    chief.does("POST", "profile/email", {"password": PASSWORD, "email": "Boss@example.com"})


def _set_up(chief: Chief) -> App:
    return App(chief.dashboard, chief.client)


def _proven(chief: Chief, path: str) -> None:
    code = _set_up(chief).code()
    chief.does("POST", f"profile/second-factor/{path}", {"password": PASSWORD, "code": code})


def _reset(chief: Chief) -> None:
    chief.dashboard.create_admin("Mai")
    chief.does("POST", "team/2/reset-second-factor")


def _elsewhere(chief: Chief) -> None:
    other = chief.dashboard.client()
    assert other.post("/login", json=credentials("chief")).status_code == 204


def _one_ended(chief: Chief) -> None:
    _elsewhere(chief)
    found = chief.does("GET", "profile/sessions")["sessions"]
    other = next(each["id"] for each in found if not each["current"])
    chief.does("DELETE", f"profile/sessions/{other}")


def _all_ended(chief: Chief) -> None:
    _elsewhere(chief)
    for _ in range(2):
        chief.does("POST", "profile/sign-out-everywhere")


_ENDED = ("sessions.ended", *_CHIEF, {"count": 1})
#: In the form of the entries of supervisors' calls.
ENTRIES_OF_ACCOUNTS: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "putProfile": (
        _profile,
        [("account.changed", *_CHIEF, _ZONE | {"locale": {"from": None, "to": "vi"}})],
    ),
    "postEmail": (_email, [("account.changed", *_CHIEF, _EMAIL)]),
    "postPassword": (_password, [("account.password_changed", *_CHIEF, {})]),
    "postConfirmSecondFactor": (_set_up, [_ON]),
    "postRecoveryCodes": (
        lambda chief: _proven(chief, "recovery-codes"),
        [_ON, ("recovery_codes.created", *_CHIEF, {})],
    ),
    "postRemoveSecondFactor": (
        lambda chief: _proven(chief, "remove"),
        [_ON, ("second_factor.disabled", *_CHIEF, {})],
    ),
    "postResetSecondFactor": (_reset, [("second_factor.reset", "2", "mai@example.com", {})]),
    "deleteSession": (_one_ended, [_ENDED]),
    "postSignOutEverywhere": (_all_ended, [_ENDED]),
}
