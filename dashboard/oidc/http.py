"""HTTP to the provider, whose addresses the operator has named.

Redirects are not followed; proxies and passwords of the environment are not used.
"""

from collections.abc import Mapping
from typing import Any

import requests
from authlib.integrations.requests_client import OAuth2Session
from requests.auth import AuthBase

from dashboard.oidc.refusals import ProviderUnavailable

#: Until a connection is there, and between two pieces of an answer.
TIMEOUT_SECONDS = (3.0, 5.0)


def get_object(url: str, auth: AuthBase | None = None) -> dict[str, Any]:
    """The JSON object at this address. Raises ProviderUnavailable."""
    with requests.Session() as session:
        session.trust_env = False
        try:
            answer = session.get(url, auth=auth, timeout=TIMEOUT_SECONDS, allow_redirects=False)
            found = answer.json() if answer.status_code == 200 else None
        except (requests.RequestException, ValueError) as error:
            raise ProviderUnavailable() from error
    if not isinstance(found, dict):
        raise ProviderUnavailable()
    return found


def oauth_session(**options: Any) -> OAuth2Session:
    """A client of OAuth for one exchange."""
    session = OAuth2Session(default_timeout=TIMEOUT_SECONDS, **options)
    session.trust_env = False
    return session


class Bearer(AuthBase):
    """Sends an access token."""

    def __init__(self, access_token: str):
        self._value = f"Bearer {access_token}"

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._value
        return request


def text_of(found: Mapping[str, Any], name: str) -> str:
    """A member that must be a text. Raises ProviderUnavailable."""
    value = found.get(name)
    if not isinstance(value, str):
        raise ProviderUnavailable()
    return value
