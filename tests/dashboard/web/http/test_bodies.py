"""The size of a body, however it is announced, decides if it is parsed beside other requests."""

import io
import json

import pytest
from flask import Flask, request

from dashboard.web.http.bodies import OFFLOAD, document, document_or_empty

LARGE = {"text": "a" * 300_000}


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize(
    ("posted", "beside"), [(LARGE, 1), ({"text": "a"}, 0)], ids=["large", "small"]
)
def test_large_bodies_are_parsed_beside_others(chunked, posted, beside):
    calls = []

    def offload(work, *arguments):
        calls.append(work)
        return work(*arguments)

    app = Flask(__name__)
    app.config[OFFLOAD] = offload
    body = json.dumps(posted).encode()
    environ = (
        {"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"} if chunked else {}
    )
    length = {} if chunked else {"content_length": len(body)}
    with app.test_request_context(
        method="POST",
        input_stream=io.BytesIO(body),
        content_type="application/json",
        environ_overrides=environ,
        **length,
    ):
        assert (request.content_length is None) == chunked
        assert document() == posted
        assert document_or_empty() == posted
    assert len(calls) == 2 * beside
