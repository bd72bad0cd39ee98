"""A real provider of OpenID Connect: oidc-provider on Node, as a process of the test."""

import json
import re
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import requests

from tests.servers.ports import free_port, is_taken
from tests.servers.programs import missing
from tests.support import wait_until

_SCRIPT = Path(__file__).with_suffix(".mjs")
CLIENT_ID, CLIENT_SECRET = "lineup", "a secret: of the client/for+tests%"
GROUPS = "support=admin:main,sales; leads=supervisor; billing=admin:billing"


class OidcProvider:
    """A provider that `with` starts; `people` maps subjects to the claims of people to sign in."""

    def __init__(
        self,
        folder: Path,
        client_url: str,
        *,
        port: int | None = None,
        kid: str = "first",
        claims_in_token: bool = True,
        names_sessions: bool = True,
    ):
        """`client_url`: the address of the Lineup. `names_sessions`: logout tokens have a `sid`."""
        self.port = port or free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.client_url = client_url
        self._people_file = folder / "people.json"
        self._hostile_file = folder / "hostile"
        self._options = {
            "port": self.port,
            "client": {"id": CLIENT_ID, "secret": CLIENT_SECRET, "url": client_url},
            "people": str(self._people_file),
            "hostile": str(self._hostile_file),
            "kid": kid,
            "claims_in_token": claims_in_token,
            "names_sessions": names_sessions,
        }
        self._process: subprocess.Popen[str] | None = None
        self.log: deque[str] = deque(maxlen=200)
        if not self._people_file.exists():
            self._people_file.write_text("{}")
        self._hostile_file.write_text("")

    def environment(self, **more: str) -> dict[str, str]:
        """Returns the settings of a Lineup that signs in here."""
        return {
            "LINEUP_OIDC_ISSUER": self.issuer,
            "LINEUP_OIDC_CLIENT_ID": CLIENT_ID,
            "LINEUP_OIDC_CLIENT_SECRET": CLIENT_SECRET,
            "LINEUP_OIDC_GROUPS": GROUPS,
        } | more

    def add(self, subject: str, groups: list[str], **claims: Any) -> None:
        """Adds a person, or changes the claims of one."""
        people = json.loads(self._people_file.read_text())
        people[subject] = {
            "email": f"{subject}@example.com",
            "email_verified": True,
            "name": subject.capitalize(),
            "groups": groups,
        } | claims
        self._people_file.write_text(json.dumps(people))

    @contextmanager
    def hostile(self, variant: str) -> Iterator[None]:
        """Spoils the next ID token; hostile_answers.mjs has the variants. Fails if it was not."""
        self._hostile_file.write_text(variant)
        try:
            yield
            assert not self._hostile_file.read_text(), f"“{variant}” was not sent: {self.log}"
        finally:
            self._hostile_file.write_text("")

    def __enter__(self) -> "OidcProvider":
        node = shutil.which("node") or missing("there is no node for the provider")
        self._process = subprocess.Popen(
            [node, str(_SCRIPT), json.dumps(self._options)],
            cwd=_SCRIPT.parents[2],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._keep_log, args=[self._process], daemon=True).start()
        try:
            wait_until(self._is_up, what="the provider")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)

    def _is_up(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "the provider ended:\n" + "\n".join(self.log)
        return is_taken(self.port)

    def _keep_log(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.log.extend(line.rstrip() for line in process.stdout)


class PersonDriver:
    """A person's browser at the provider, by HTTP alone."""

    def __init__(self, provider: OidcProvider, subject: str):
        self._provider = provider
        self._subject = subject
        self.http = requests.Session()

    def sign_in(self, authorization_url: str) -> str:
        """Signs in and consents; returns the URL at Lineup to which the provider redirects."""
        answer = self.http.get(authorization_url, allow_redirects=False)
        while True:
            if answer.is_redirect:
                goal = urljoin(answer.url, answer.headers["Location"])
                if goal.startswith(self._provider.client_url):
                    return goal
                answer = self.http.get(goal, allow_redirects=False)
                continue
            assert answer.status_code == 200, answer.text
            form = _form(answer.text)
            given = form.fields | ({"login": self._subject} if "login" in answer.text else {})
            address = urljoin(answer.url, form.action)
            answer = self.http.post(address, data=given, allow_redirects=False)

    def sign_out(self) -> requests.Response:
        """Signs out at the provider, which informs Lineup by itself."""
        page = self.http.get(f"{self._provider.issuer}/session/end")
        form = _form(page.text)
        given = form.fields | {"logout": "yes"}
        answer = self.http.post(form.action, data=given, allow_redirects=False)
        assert answer.status_code < 400, answer.text
        return answer


class _form:
    """The form in one of the provider's pages."""

    def __init__(self, page: str):
        found = re.search(r'<form[^>]*action="([^"]*)"', page)
        assert found, page
        self.action = unescape(found[1])
        self.fields: dict[str, str] = {}
        for field in re.findall(r"<input[^>]*>", page):
            name, value = re.search(r'name="([^"]*)"', field), re.search(r'value="([^"]*)"', field)
            if name and 'type="hidden"' in field:
                self.fields[name[1]] = unescape(value[1]) if value else ""


def parameters(url: str) -> Mapping[str, str]:
    """Returns the parameters in the query string of a URL."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
