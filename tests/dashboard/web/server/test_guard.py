"""The guard around the application: large answers in turns, and the last answers of a stop."""

import pytest

from dashboard.web.server.guard import PIECE_BYTES, Guard
from dashboard.web.server.state import ServerState
from dashboard.wsgi_keys import CLOSE, CONNECTION


class Served:
    """A connection that notes turns, and the application behind a guard."""

    def __init__(self):
        self.noted = []
        self.state = ServerState()
        self.body = [b"small"]
        self.guard = Guard(self._app, self.state)

    def begin_request(self):
        self.noted.append("begun")

    def give_turn(self):
        self.noted.append("turn")

    def _app(self, environ, start_response):
        length = str(sum(map(len, self.body)))
        start_response("200 OK", [("Content-Length", length)])
        return self.body

    def ask(self, **environ):
        """Status and pieces of an answer."""
        given = {
            "REQUEST_METHOD": "GET",
            CONNECTION: self,
            CLOSE: lambda: self.noted.append("last"),
        } | environ
        started = []
        pieces = list(self.guard(given, lambda status, headers, *error: started.append(status)))
        return started[0], pieces


@pytest.fixture
def served():
    return Served()


def test_a_large_answer_is_written_in_turns(served):
    """H11: after each piece of 64 KiB others come first."""
    served.body = [b"x" * (2 * PIECE_BYTES + 1), b"y"]
    _, pieces = served.ask()
    assert b"".join(pieces) == b"".join(served.body)
    assert max(map(len, pieces)) == PIECE_BYTES
    assert served.noted == ["begun", "turn", "turn", "turn", "turn"]


def test_a_small_answer_takes_no_turn(served):
    assert served.ask() == ("200 OK", [b"small"])
    assert served.noted == ["begun"]


def test_while_it_stops_answers_are_the_last_ones_and_no_socket_opens(served):
    """H22"""
    served.state.is_stopping = True
    assert served.ask()[0] == "200 OK"
    assert served.noted == ["begun", "last"]
    status, _ = served.ask(HTTP_UPGRADE="websocket")
    assert status.startswith("503 ")


def test_without_the_names_of_the_library_the_application_answers(served):
    assert served.ask(**{CONNECTION: None}) == ("200 OK", [b"small"])
