"""Receivers that are slow, hostile, or not at their name's address: each fails in good time."""

import socket
import ssl
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.webhooks import http_client
from dashboard.webhooks.http_client import LOOKUPS_MAX, Poster, signed
from tests.dashboard.webhooks.receiver import Receiver, answer
from tests.support import wait_until

REQUEST = signed({"id": "evt_1", "type": "test"}, ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], 0)
#: Instead of the usual 15 seconds.
SOON = 0.3


def posted(receiver: Receiver, timeout_seconds: float = 5.0) -> http_client.Answer:
    return Poster(True, timeout_seconds=timeout_seconds).post(receiver.url, REQUEST)


def test_a_receiver_has_fifteen_seconds():
    assert http_client.TIMEOUT_SECONDS == 15


def test_a_good_answer_is_good_and_the_request_is_whole():
    with Receiver(answer("204 No Content")) as receiver:
        assert posted(receiver) == http_client.Answer(204, None, "")
        assert posted(receiver).is_good
        head, _, body = receiver.requests[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /hook HTTP/1.1"
    assert f"Host: 127.0.0.1:{receiver.port}" in lines
    assert body == REQUEST.body
    assert {f"{name}: {value}" for name, value in REQUEST.headers.items()} <= set(lines)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_failures_and_are_not_followed(status):
    with (
        Receiver(answer("200 OK")) as elsewhere,
        Receiver(answer(f"{status} Elsewhere", f"Location: {elsewhere.url}")) as receiver,
    ):
        got = posted(receiver)
        assert (got.status, got.is_good) == (status, False)
        assert elsewhere.requests == []


def test_a_refusal_says_when_to_come_again():
    with Receiver(answer("429 Too Many", "Retry-After: 120", body=b"slow down")) as receiver:
        got = posted(receiver)
    assert (got.status, got.retry_after, got.text) == (429, "120", "slow down")


def hang(connection: socket.socket, request: bytes) -> None:
    connection.recv(1)


def drip_head(connection: socket.socket, request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-Slow: yes\r\n")
        time.sleep(0.05)


def drip_body(connection: socket.socket, request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        connection.sendall(b".")
        time.sleep(0.05)


def drip_without_length(connection: socket.socket, request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b".")
        time.sleep(0.05)


@pytest.mark.parametrize("behave", [hang, drip_head, drip_body, drip_without_length])
def test_a_slow_receiver_is_cut_off_however_it_drips(behave):
    with Receiver(behave) as receiver:
        began = time.monotonic()
        got = posted(receiver, SOON)
        assert (got.status, got.error) == (None, "timeout")
        assert time.monotonic() - began < SOON + 10


def cut_at_once(connection: socket.socket, request: bytes) -> None:
    return


def cut_in_the_head(connection: socket.socket, request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200")


def cut_in_the_body(connection: socket.socket, request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")


def cut_in_a_chunk(connection: socket.socket, request: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf")


def talk_nonsense(connection: socket.socket, request: bytes) -> None:
    connection.sendall(b"\x00\xff\xfe nonsense\r\n\r\n")


@pytest.mark.parametrize(
    "behave", [cut_at_once, cut_in_the_head, cut_in_the_body, cut_in_a_chunk, talk_nonsense]
)
def test_who_closes_in_the_middle_has_not_answered(behave):
    with Receiver(behave) as receiver:
        got = posted(receiver)
    assert (got.status, got.error) == (None, "connection_lost")
    assert not got.is_good


def test_of_a_huge_answer_the_beginning_is_read_and_kept():
    sent = threading.Event()

    def flood(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
        try:
            while True:
                connection.sendall(b"x" * 65_536)
        finally:
            sent.set()

    with Receiver(flood) as receiver:
        got = posted(receiver)
        assert sent.wait(5), "the connection was closed"
    assert got.is_good
    assert got.text == "x" * http_client.ANSWER_CHARACTERS_KEPT


def test_an_endless_head_is_no_answer():
    def flood(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            connection.sendall(b"X: " + b"y" * 100_000)

    with Receiver(flood) as receiver:
        assert posted(receiver).error == "connection_lost"


def test_what_is_no_text_is_kept_as_something_that_can_be_stored():
    with Receiver(answer("500 Oh", body=b"\x00\xff\xed\xa0\x80")) as receiver:
        got = posted(receiver)
    assert "\x00" not in got.text
    got.text.encode()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}/",
        "http://0.0.0.0:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.1:{port}/",
    ],
)
def test_private_addresses_are_not_called(url):
    with Receiver(answer("200 OK")) as receiver:
        got = Poster(False, timeout_seconds=5).post(url.format(port=receiver.port), REQUEST)
        assert got.error in ("private_address", "name_not_found")
        assert receiver.requests == []


def test_dns_rebinding_does_not_reach_a_private_address():
    """DNS rebinding: the address of the connection is the one that was checked."""
    answers = iter([("93.184.216.34", 1), ("127.0.0.1", 0)])

    with Receiver(answer("200 OK")) as receiver:
        asked: list[str] = []

        def resolve(host: str, port: int, **more):
            address, fails = next(answers)
            asked.append(address)
            if fails:
                raise ConnectionRefusedError
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, receiver.port))]

        poster = Poster(False, timeout_seconds=5, resolve=resolve)
        url = f"http://rebinding.example:{receiver.port}/"
        assert poster.post(url, REQUEST).error == "connection_refused"
        assert poster.post(url, REQUEST).error == "private_address"
        assert (len(asked), receiver.requests) == (2, [])


def test_private_addresses_of_a_name_are_skipped():
    with Receiver(answer("200 OK")) as receiver:

        def resolve(host: str, port: int, **more):
            kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
            return [(*kind, ("127.0.0.1", receiver.port)), (*kind, ("192.0.2.1", 9))]

        got = Poster(False, timeout_seconds=5, resolve=resolve).post(receiver.url, REQUEST)
        assert (got.error, receiver.requests) == ("private_address", [])


def test_names_that_no_server_answers_leave_room_for_others():
    answered = threading.Event()
    with Receiver(answer("200 OK")) as receiver, ThreadPoolExecutor(20) as pool:

        def resolve(host: str, port: int, **more):
            if host.startswith("dead"):
                assert answered.wait(60)
                raise socket.gaierror
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", receiver.port))]

        poster = Poster(True, timeout_seconds=60, resolve=resolve)
        names = [f"http://dead-{number % 2}.example/" for number in range(10)]
        dead = [pool.submit(poster.post, name, REQUEST) for name in names]
        assert poster.post("http://healthy.example/", REQUEST).is_good
        answered.set()
        assert {each.result().error for each in dead} == {"name_not_found"}


def test_few_names_are_looked_up_at_once():
    answered, under_way = threading.Event(), []

    def resolve(host: str, port: int, **more):
        under_way.append(host)
        assert answered.wait(60)
        raise socket.gaierror

    poster = Poster(True, timeout_seconds=60, resolve=resolve)
    with ThreadPoolExecutor(20) as pool:
        urls = [f"http://dead-{number}.example/" for number in range(10)]
        posts = [pool.submit(poster.post, url, REQUEST) for url in urls]
        wait_until(lambda: len(under_way) == LOOKUPS_MAX, what="look-ups that wait for an answer")
        answered.set()
        assert {each.result().error for each in posts} == {"name_not_found"}
        assert sorted(under_way) == [f"dead-{number}.example" for number in range(10)]


def test_who_waits_for_a_look_up_waits_no_longer_than_for_all_else():
    asked, answered = threading.Event(), threading.Event()

    def resolve(host: str, port: int, **more):
        asked.set()
        assert answered.wait(60)
        raise socket.gaierror

    poster = Poster(True, timeout_seconds=SOON, resolve=resolve)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(poster.post, "http://dead.example/", REQUEST)
        assert asked.wait(60)
        assert poster.post("http://dead.example/", REQUEST).error == "timeout"
        answered.set()
        assert not first.result().is_good


def test_a_refused_connection_is_an_error():
    with socket.socket() as taken:
        # Bound, so that no other program takes the port, and not listening.
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        assert Poster(True, timeout_seconds=5).post(url, REQUEST).error == "connection_refused"


def test_a_receiver_without_tls_is_an_error():
    with Receiver(answer("200 OK")) as receiver:
        url = receiver.url.replace("http:", "https:")
        got = Poster(True, timeout_seconds=1).post(url, REQUEST)
    assert got.error in ("tls_failed", "timeout", "connection_lost")


def test_certificates_are_checked():
    context = Poster(False)._tls
    assert context.verify_mode is ssl.CERT_REQUIRED and context.check_hostname
