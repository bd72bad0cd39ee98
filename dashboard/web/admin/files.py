"""Files of replies: routes, bodies, answers."""

from typing import Annotated

from flask import Response
from pydantic import AfterValidator, Field

from dashboard.db import files
from dashboard.db.accounts.admin_desks import sees
from dashboard.db.files import StoredFile
from dashboard.errors import NotFound
from dashboard.files.store import ID
from dashboard.files.uploads import FILE_BYTES, Uploader, too_large
from dashboard.services import Services
from dashboard.validation.fields import check_length
from dashboard.web.http.files import body_chunks, file_response
from dashboard.web.http.identity import current
from dashboard.web.http.queries import Query, Words
from dashboard.web.http.responses import json_response
from dashboard.web.http.routes import NO_CONTENT, Documented, PathParameter, route
from dashboard.web.http.schemas import Answer

#: Longest name that is read; the name that is kept is shorter.
NAME_READ_MAX = 1_000


class UploadQuery(Query):
    """The name of the file on the admin's machine."""

    name: Annotated[
        Words,
        AfterValidator(lambda name: check_length(name, NAME_READ_MAX)),
        Field(examples=["invoice.pdf"], json_schema_extra={"maxLength": NAME_READ_MAX}),
    ]


class UploadedFile(Answer):
    """A file that waits for a message; `name` and `type` are the ones that will be shown."""

    id: str
    name: str
    type: str
    size: Annotated[int, Field(description="Bytes.", ge=1)]


class OneFile(Answer):
    """The stored file."""

    file: UploadedFile


_FILE = {"file_id": PathParameter({"type": "string", "pattern": f"^{ID.pattern}$"}, "0" * 32)}


class FilesApi:
    """The calls about files; `current()` gives the admin who makes them."""

    def __init__(self, services: Services):
        self._database = services.database
        self._store = services.file_store
        self._uploads = services.uploads

    @route(
        "POST",
        "/threads/{thread_id}/files",
        "postFile",
        summary="Upload a file for a message",
        description="The body is the content of one file, up to 10 MiB, as "
        "`application/octet-stream`; its type is found from the content. Name the `id` in `files` "
        "of a reply within a day.",
        query=UploadQuery,
        takes_file=True,
        answers={201: Documented("The file was stored.", (OneFile,))},
        problems=(404, 507),
    )
    def upload(self, thread_id: int, query: UploadQuery) -> Response:
        identity = current()
        file = self._uploads.receive(
            Uploader(identity.admin_id, identity.desks),
            thread_id,
            query.name,
            body_chunks(FILE_BYTES, too_large()),
        )
        return json_response({"file": file.to_json()}, 201)

    @route(
        "GET",
        "/files/{file_id}",
        "getFile",
        summary="Read a file",
        description="For admins who see its thread; before it is sent, only for its uploader.",
        path_parameters=_FILE,
        answers={
            200: Documented("The content.", is_file=True),
            304: Documented("The content matches `If-None-Match`."),
        },
        problems=(404,),
    )
    def read(self, file_id: str) -> Response:
        file = self._seen(file_id)
        return file_response(file, self._store.open(file.id))

    @route(
        "DELETE",
        "/files/{file_id}",
        "deleteFile",
        summary="Discard your unsent file",
        path_parameters=_FILE,
        answers=NO_CONTENT,
        problems=(404,),
    )
    def discard(self, file_id: str) -> Response:
        self._uploads.discard(current().admin_id, self._seen(file_id).id)
        return Response(status=204)

    def _seen(self, file_id: str) -> StoredFile:
        """Returns a file. Raises NotFound, also for one that the admin does not see."""
        identity = current()
        with self._database.read() as connection:
            row = files.find(connection, file_id) if ID.fullmatch(file_id) else None
        if row is None or not sees(identity.desks, row.desk):
            raise NotFound("There is no such file.")
        if row.event_id is None and row.file.admin_id != identity.admin_id:
            raise NotFound("There is no such file.")
        return row.file
