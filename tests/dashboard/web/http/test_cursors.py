"""A cursor is valid only for its list, and only where the secret key is the same."""

import base64

import pytest

from dashboard.errors import Invalid
from dashboard.web.http.queries import Cursors

CURSORS = Cursors("a secret")


@pytest.mark.parametrize("position", [0, [2**52, 7], "text", None])
def test_a_cursor_gives_its_position_in_any_process(position):
    cursor = CURSORS.encode("arrival/priority", position)
    assert Cursors("a secret").decode("arrival/priority", cursor) == position


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "x",
        "é",
        "A" * 5_000,
        # The form of unsigned cursors.
        base64.urlsafe_b64encode(b"arrival/priority/1/1").decode(),
        CURSORS.encode("arrival/arrival", [1, 1]),
        Cursors("another secret").encode("arrival/priority", [1, 1]),
        CURSORS.encode("arrival/priority", [1, 1])[:-1],
    ],
)
def test_what_is_no_cursor_of_the_list_is_refused(wrong):
    with pytest.raises(Invalid) as raised:
        CURSORS.decode("arrival/priority", wrong)
    [error] = raised.value.errors
    assert (error.pointer, error.code) == ("/cursor", "unknown_value")


def test_a_refusal_names_the_parameter():
    with pytest.raises(Invalid) as raised:
        CURSORS.decode("events", "x", "/after")
    assert raised.value.errors[0].pointer == "/after"
