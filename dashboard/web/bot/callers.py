"""The callers of the bot API, found by the API key in the Authorization header."""

from dashboard.db.accounts.api_keys import Caller, KeyRing
from dashboard.errors import Problem
from dashboard.turns import turns

_SCHEME = "bearer"


class Unauthorized(Problem):
    """The same answer for every wrong key: it reveals nothing about existing keys."""

    def __init__(self) -> None:
        super().__init__(
            401,
            "unauthorized",
            "A valid API key is required: “Authorization: Bearer KEY”.",
            headers={"WWW-Authenticate": 'Bearer realm="Lineup"'},
        )


class Callers:
    """Finds callers by their keys, which are only read from the header."""

    def __init__(self, keys: KeyRing):
        self._keys = keys

    def require(self, authorization: str | None, scope: str) -> Caller:
        """Returns the key's owner. Raises Unauthorized, Problem (403) and StorageUnavailable."""
        scheme, _, key = (authorization or "").partition(" ")
        # A missing key is looked up, too, so that it takes as long as a wrong one.
        caller = self._keys.caller(key.strip() if scheme.lower() == _SCHEME else "")
        if caller is None:
            raise Unauthorized()
        if scope not in caller.scopes:
            raise Problem(403, "forbidden_scope", f"This key does not have the scope “{scope}”.")
        turns.known_as(("key", caller.key_id))
        return caller
