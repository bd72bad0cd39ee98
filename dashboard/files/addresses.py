"""Addresses of files: the dashboard's own ones, and signed ones for chatbots."""

from collections.abc import Callable

from dashboard.db.threads.messages import Attachment
from dashboard.errors import NotFound, Problem
from dashboard.signed_texts import NotSigned, SignedTexts
from dashboard.validation.strict_json import JsonObject

#: The path at which admins read a file; its id follows.
OWN_PATH = "/admin/api/files/"
#: The path at which anybody who knows the address reads a file; the signed text follows.
SIGNED_PATH = "/files/"
#: Validity of a signed address: 7 days.
GOOD_MS = 7 * 24 * 3_600_000
_CHARACTERS_MAX = 300


class FileAddresses:
    """Signs addresses with the secret key. `origin()` gives their beginning, `clock` gives ms."""

    def __init__(self, secret_key: str, clock: Callable[[], int], origin: Callable[[], str]):
        self._clock = clock
        self._origin = origin
        self._texts = SignedTexts(secret_key, "address of a file", _CHARACTERS_MAX)

    def signed(self, id: str) -> str:
        """Returns an address of the file that is valid for 7 days."""
        text = self._texts.text_of([id, self._clock() + GOOD_MS])
        return f"{self._origin()}{SIGNED_PATH}{text}"

    def id_of(self, text: str) -> str:
        """Returns the id of the file that a signed address names.

        Raises NotFound for a text that was not signed here, and Problem (410) for one that expired.
        """
        try:
            id, good_until = self._texts.read(text)
        except NotSigned:
            raise NotFound("There is no such file.") from None
        if self._clock() >= good_until:
            detail = "The address was valid for 7 days; read the event again for a new one."
            raise Problem(410, "address_expired", detail)
        return str(id)

    def for_chatbots(self, document: JsonObject) -> JsonObject:
        """Returns an event's document; files of admins in it get new signed addresses."""
        found = dict(document)
        attachments = found["data"].get("attachments")
        if attachments:
            signed = [self._for_chatbots(each) for each in attachments]
            found["data"] = {**found["data"], "attachments": signed}
        return found

    def _for_chatbots(self, attachment: Attachment) -> Attachment:
        url = attachment["url"]
        if url.startswith(OWN_PATH):
            url = self.signed(url.removeprefix(OWN_PATH))
        return {**attachment, "url": url}
