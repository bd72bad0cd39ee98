"""What the calls of API keys answer."""

from typing import Annotated

from pydantic import Field

from dashboard.web.http.schemas import Answer, Milliseconds


class Key(Answer):
    """An API key without its secret; `handoff` and `desk` are those of its source."""

    id: int
    prefix: Annotated[str, Field(description="What the key begins with, behind `lu_`.")]
    source: str
    scopes: list[str]
    handoff: bool
    desk: str
    rate: Annotated[int | None, Field(description="Most events a second; null: no limit.")]
    created_at: Milliseconds
    last_used_at: Annotated[
        Milliseconds | None, Field(description="Up to 10 minutes old; null: not used yet.")
    ]
    revoked_at: Milliseconds | None


class Keys(Answer):
    """All keys, the oldest first, the revoked included."""

    keys: list[Key]


class NewKey(Answer):
    """The id of a new key, and the key, which cannot be read again."""

    id: int
    key: str
