"""Who calls the bot API: the source whose key stands in the Authorization header."""

from dashboard.errors import Problem
from dashboard.store.keys import Caller, KeyRing

_SCHEME = "bearer"


class Unauthorized(Problem):
    """One answer, whatever is wrong with the key: a stranger learns nothing from it."""

    def __init__(self) -> None:
        super().__init__(
            401,
            "unauthorized",
            "A valid API key is required: “Authorization: Bearer KEY”.",
            headers={"WWW-Authenticate": 'Bearer realm="Lineup"'},
        )


class Callers:
    """Tells callers by their keys, which the header alone may carry."""

    def __init__(self, keys: KeyRing):
        self._keys = keys

    def require(self, authorization: str | None, scope: str) -> Caller:
        """Whose key it is. Raises Unauthorized, Problem (403) and StorageUnavailable."""
        scheme, _, key = (authorization or "").partition(" ")
        # A missing key is looked up, too: it takes as long as a wrong one.
        caller = self._keys.caller(key.strip() if scheme.lower() == _SCHEME else "")
        if caller is None:
            raise Unauthorized()
        if scope not in caller.scopes:
            raise Problem(403, "forbidden_scope", f"This key does not have the scope “{scope}”.")
        return caller
