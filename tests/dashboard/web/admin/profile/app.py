"""The authenticator app of an admin, and sign-ins with its codes."""

from typing import Any

from flask.testing import FlaskClient

from dashboard.db.accounts import second_factor
from tests.drivers.application import PASSWORD, ApplicationDriver

SECOND_FACTOR = "/admin/api/profile/second-factor"
from tests.support import code_at


class App:
    """Sets up a factor in a signed-in browser, and confirms it with the code of the step before."""

    def __init__(self, dashboard: ApplicationDriver, client: FlaskClient):
        self._dashboard = dashboard
        made = client.post(SECOND_FACTOR, json={"password": PASSWORD})
        assert made.status_code == 201
        self.secret: str = made.json["secret"]
        confirmed = client.post(f"{SECOND_FACTOR}/confirm", json={"code": self.code(-1)})
        assert confirmed.status_code == 200
        self.recovery_codes: list[str] = confirmed.json["recovery_codes"]

    def code(self, steps: int = 0) -> str:
        """Returns the code that the app shows so many steps from now."""
        return code_at(self.secret, self._dashboard.clock() + steps * second_factor.STEP_MS)

    def next_code(self) -> str:
        """Waits for the next step, and returns its code."""
        self._dashboard.clock.advance(second_factor.STEP_MS)
        return self.code()


def credentials(name: str = "mai") -> dict[str, str]:
    return {"email": f"{name}@example.com", "password": PASSWORD}


def token_of(client: FlaskClient, **more: Any) -> str:
    """Returns the token of a sign-in with the right password."""
    answer = client.post("/login", json=credentials() | more)
    assert (answer.status_code, answer.json["code"]) == (401, "second_factor_required")
    return answer.json["token"]


def send_code(client: FlaskClient, token: str, code: str):
    return client.post("/login/code", json={"token": token, "code": code})


def is_signed_in(client: FlaskClient) -> bool:
    return client.get("/admin/api/me").status_code == 200
