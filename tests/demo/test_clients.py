"""The simulator's client of the bot API: the calls that it repeats, and its reports."""

import socket
from random import Random

import pytest

from demo.clients import BotClient, CallError, Stopped
from tests.demo.server import Reply, serving

EVENT = {"id": "e-1", "type": "thread.close", "thread": "t-1"}
CREATED = Reply(201, {"status": "created", "id": "e-1"})


class Waits(list):
    """Keeps the seconds of each wait, and stops after `most` waits."""

    def __init__(self, most: int = 100):
        super().__init__()
        self.most = most

    def __call__(self, seconds: float) -> bool:
        self.append(seconds)
        return len(self) >= self.most


def client_of(url: str, waits: Waits, reports: list[str]) -> BotClient:
    return BotClient(url, "lu_key", wait=waits, report=reports.append, random=Random(1))


def test_it_repeats_the_same_events_until_the_server_can_take_them():
    waits, reports, replies = Waits(), [], [Reply(503, {"code": "storage_unavailable"})] * 3
    with serving(lambda call: replies.pop() if replies else CREATED) as server:
        answer = client_of(server.url, waits, reports).post("/api/v1/events", EVENT)
    assert answer.status == 201
    assert [call.document for call in server.calls] == [EVENT] * 4
    assert all(wait <= 0.1 * 2**tries for tries, wait in enumerate(waits)) and len(waits) == 3
    assert ["storage_unavailable" in text for text in reports] == [True, False]
    assert reports[1].endswith("is back.")


def test_it_waits_as_long_as_the_server_asks_for():
    waits, replies = Waits(), [Reply(429, {}, {"Retry-After": "7"})]
    with serving(lambda call: replies.pop() if replies else CREATED) as server:
        client_of(server.url, waits, []).post("/api/v1/events", EVENT)
    assert waits == [7.0]


def test_a_connection_that_ends_without_an_answer_is_made_anew_with_the_same_events():
    waits, replies = Waits(), [Reply(None)] * 2
    with serving(lambda call: replies.pop() if replies else CREATED) as server:
        answer = client_of(server.url, waits, []).post("/api/v1/events", EVENT)
    assert answer.status == 201
    assert [call.document for call in server.calls] == [EVENT] * 3


def test_one_connection_is_kept_for_all_calls():
    with serving(lambda call: CREATED) as server:
        client = client_of(server.url, Waits(), [])
        for _ in range(3):
            client.post("/api/v1/events", EVENT)
        client.close()
    assert len({call.client_port for call in server.calls}) == 1


def test_an_idle_connection_that_the_server_ended_is_not_reported():
    waits, reports, replies = Waits(), [], [CREATED._replace(then_close=True), CREATED]
    with serving(lambda call: replies.pop(0)) as server:
        client = client_of(server.url, waits, reports)
        assert [client.post("/api/v1/events", EVENT).status for _ in range(2)] == [201, 201]
    assert (waits, reports) == ([], [])


def test_it_stops_while_the_server_is_away():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    client = client_of(f"http://127.0.0.1:{port}", Waits(most=3), reports := [])
    with pytest.raises(Stopped):
        client.post("/api/v1/events", EVENT)
    assert len(reports) == 1


def test_a_wrong_key_ends_it_with_one_sentence():
    problem = {"code": "unauthorized", "detail": "No such key."}
    with (
        serving(lambda call: Reply(401, problem)) as server,
        pytest.raises(CallError, match=r"does not take this key \(unauthorized: No such key"),
    ):
        client_of(server.url, Waits(), []).get("/api/v1/lists/arrival/arrival")
    assert server.calls[0].authorization == "Bearer lu_key"


@pytest.mark.parametrize("url", ["localhost:5000", "ftp://host", "http://", "", "http://host:x"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(CallError):
        client_of(url, Waits(), [])


def test_a_refusal_is_an_answer():
    with serving(lambda call: Reply(409, {"code": "event_id_conflict"})) as server:
        assert client_of(server.url, Waits(), []).post("/api/v1/events", EVENT).status == 409
