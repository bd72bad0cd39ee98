"""A line delivers in order, after its delay, at its bandwidth; when full it takes nothing."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from bench.drive.lines import QUEUE_BYTES, Line, Relay, Shaper


def test_what_follows_waits_for_what_is_before_it():
    shaper = Shaper(delay=0.5, bytes_a_second=1_000)
    assert shaper.take(1_000, now=10.0)[0] == pytest.approx(11.5)
    assert shaper.take(500, now=10.0)[0] == pytest.approx(12.0)
    # The line was free meanwhile.
    assert shaper.take(1_000, now=20.0)[0] == pytest.approx(21.5)


def test_nothing_enters_while_the_queue_is_full():
    shaper = Shaper(delay=0.0, bytes_a_second=QUEUE_BYTES)
    assert shaper.take(QUEUE_BYTES, now=0.0)[1] == 0.0
    assert shaper.take(QUEUE_BYTES // 2, now=0.0)[1] == pytest.approx(0.5)


def test_the_way_up_only_takes_its_time():
    assert Shaper(delay=0.1).take(10**9, now=1.0) == (pytest.approx(1.1), 0.0)


def test_a_relay_carries_all_bytes_both_ways_in_order():
    sent = bytes(range(256)) * 2_000

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readexactly(len(sent)))
        writer.close()

    async def there_and_back() -> bytes:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        address = server.sockets[0].getsockname()
        relay = Relay(Line(down=1e9, round_trip=0.002), address)
        reader, writer = await asyncio.open_connection("127.0.0.1", await relay.serve())
        writer.write(sent)
        received = await asyncio.wait_for(reader.read(), 30)
        writer.close()
        server.close()
        return received

    # In a thread of its own: a browser's driver may run a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, there_and_back()).result(60) == sent
