"""What explaining a thread answers about its due time."""

from typing import Annotated, Literal

from pydantic import Field

from dashboard.web.http.schemas import Answer, Milliseconds


class DueExplanation(Answer):
    """Why a thread is to be answered by then: so many minutes of opening time since somebody has
    been waiting."""

    due_at: Milliseconds
    policy: Annotated[str, Field(description="The name of the first policy that holds.")]
    calendar: Annotated[str, Field(description="The name of its opening hours.")]
    timezone: str
    target: Literal["first_reply", "next_reply"]
    minutes: int
    since: Milliseconds
