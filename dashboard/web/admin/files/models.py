"""The query and the answer of an upload."""

from typing import Annotated

from pydantic import AfterValidator, Field

from dashboard.validation.fields import check_length
from dashboard.web.http.queries import Query, Words
from dashboard.web.http.schemas import Answer

#: Longest name that is read; what is kept of it is shorter.
NAME_READ_MAX = 1_000


class UploadQuery(Query):
    """The name of the file on the admin's machine."""

    name: Annotated[
        Words,
        AfterValidator(lambda name: check_length(name, NAME_READ_MAX)),
        Field(examples=["invoice.pdf"]),
    ]


class UploadedFile(Answer):
    """A file that waits for a message; `name` and `type` are what it will be shown as."""

    id: str
    name: str
    type: str
    size: Annotated[int, Field(description="Bytes.", ge=1)]


class OneFile(Answer):
    """The file that was stored."""

    file: UploadedFile
