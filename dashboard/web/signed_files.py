"""`GET /files/TEXT`: files of messages for chatbots, by signed addresses and without a session."""

from flask import Blueprint, Response

from dashboard.db.database import Database
from dashboard.db.files import stored_files
from dashboard.errors import NotFound
from dashboard.files.addresses import SIGNED_PATH, FileAddresses
from dashboard.files.store import FileStore
from dashboard.web.http.files.answers import file_response


def blueprint(database: Database, store: FileStore, addresses: FileAddresses) -> Blueprint:
    made = Blueprint("signed_files", __name__)

    @made.get(f"{SIGNED_PATH}<text>")
    def signed_file(text: str) -> Response:
        id = addresses.id_of(text)
        with database.read() as connection:
            found = stored_files.find(connection, id)
        if found is None or found.event_id is None:
            raise NotFound("There is no such file.")
        return file_response(found.file, store.open(id))

    return made
