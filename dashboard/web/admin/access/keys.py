"""API keys of sources: routes and answers."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal

from flask import Response
from pydantic import AfterValidator, Field, StrictBool, StrictInt, WithJsonSchema

from dashboard.db.accounts.api_keys import SCOPES, USUAL_SCOPES, ApiKeyInfo
from dashboard.db.accounts.sources import NAME
from dashboard.errors import quoted
from dashboard.ingest.accounts import KeyDraft
from dashboard.services import Services
from dashboard.validation.fields import DeskName, Strict, check_characters, fault
from dashboard.web.admin.routes import SUPERVISOR
from dashboard.web.http.audit import acting
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, done, route
from dashboard.web.http.schemas import Answer, Milliseconds
from dashboard.webhooks.dispatcher import spawn_thread


class Key(Answer):
    """An API key without its secret; `handoff` and `desk` are settings of its source."""

    id: int
    prefix: Annotated[str, Field(description="The first characters of the key, after `lu_`.")]
    source: str
    scopes: list[str]
    handoff: bool
    desk: str
    rate: Annotated[int | None, Field(description="Maximum events a second; null: no limit.")]
    created_at: Milliseconds
    last_used_at: Annotated[
        Milliseconds | None, Field(description="Up to 10 minutes old; null: not used yet.")
    ]
    revoked_at: Milliseconds | None


class Keys(Answer):
    """All keys, the oldest first, including revoked ones."""

    keys: list[Key]


class NewKey(Answer):
    """The id of a new key, and the key, which cannot be read again."""

    id: int
    key: str


log = logging.getLogger(__name__)

#: The highest limit of a key, in events a second.
RATE_MAX = 1_000_000
#: Every call is for supervisors.
_route = partial(route, scope=SUPERVISOR)


def _source(text: str) -> str:
    if not NAME.fullmatch(check_characters(text)):
        raise fault("invalid_id", f"{quoted(text, 60)} is not 1 to 64 of a-z, 0-9 and “-”")
    return text


Source = Annotated[
    str,
    AfterValidator(_source),
    WithJsonSchema({"type": "string", "pattern": f"^{NAME.pattern}$", "examples": ["shop"]}),
]


class KeyRequest(Strict):
    """A new key. With `handoff`, threads of the source wait only after the chatbot hands them over.
    `desk` is the desk of the source's new threads, and is created if it is missing."""

    source: Source
    scopes: Annotated[
        list[Literal[SCOPES]],  # type: ignore[valid-type]
        Field(min_length=1, max_length=len(SCOPES)),
    ] = Field(list(USUAL_SCOPES))
    handoff: StrictBool = False
    desk: DeskName | None = None
    rate: Annotated[StrictInt, Field(ge=1, le=RATE_MAX)] | None = None


class KeysApi:
    """The routes below /keys."""

    def __init__(self, services: Services):
        self._keys = services.api_keys

    @_route("GET", "/keys", "getKeys", summary="List the API keys", answers=done(Keys))
    def listing(self) -> Response:
        return json_response({"keys": [_json(key) for key in self._keys.listing()]})

    @_route(
        "POST",
        "/keys",
        "postKey",
        summary="Create an API key; it is shown only in this answer",
        description="If `handoff` changes, existing threads of the source are updated soon after.",
        body=(KeyRequest,),
        example={"source": "shop", "scopes": ["events", "read"], "desk": "sales"},
        answers={201: Documented("Created.", (NewKey,))},
    )
    def create(self, body: KeyRequest) -> Response:
        scopes = list(dict.fromkeys(body.scopes))
        key = self._keys.create(
            acting(), KeyDraft(body.source, scopes, body.handoff, body.desk, body.rate)
        )
        if body.handoff:
            spawn_thread(_logged, self._keys.refold, body.source)
        return json_response(key._asdict(), 201)

    @_route(
        "DELETE",
        "/keys/{key_id}",
        "deleteKey",
        summary="Revoke an API key: every worker refuses it within a second",
        answers=NO_CONTENT,
        problems=(404,),
    )
    def revoke(self, key_id: int) -> Response:
        self._keys.revoke(acting(), key_id)
        return Response(status=204)


def _json(key: ApiKeyInfo) -> Key:
    return Key(
        id=key.id,
        prefix=key.prefix,
        source=key.source,
        scopes=list(key.scopes),
        handoff=key.handoff_only,
        desk=key.desk,
        rate=key.rate_per_second,
        created_at=key.created_at,
        last_used_at=key.last_used_at,
        revoked_at=key.revoked_at,
    )


def _logged(work: Callable[..., object], source: str) -> None:
    try:
        work(source)
    except Exception:
        log.exception("not all threads of %s are up to date: it is tried again soon", source)
