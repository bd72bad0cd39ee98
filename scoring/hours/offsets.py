"""The offsets of a time zone from UTC, and between which instants each of them holds."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

#: Clocks of no zone have ever been changed twice within 6 days since 1970, so that no change is
#: missed where the offset is looked up once a day.
_LOOKED_UP_SECONDS = 86_400
#: What is found at once, and then remembered: 400 days.
_CHUNK_SECONDS = 400 * _LOOKED_UP_SECONDS
_CHUNK_MS = _CHUNK_SECONDS * 1_000


class Offsets:
    """The offsets of a zone, in milliseconds."""

    def __init__(self, zone: ZoneInfo):
        self._zone = zone
        #: Number of a chunk to its beginnings of offsets, and to the offsets.
        self._chunks: dict[int, tuple[list[int], list[int]]] = {}

    def spans(self, at_ms: int) -> Iterator[tuple[int, int]]:
        """(end, offset) of the span that holds at an instant, then of those after it: between two
        ends the local time is the instant + the offset. Two successive ones may have one offset.
        """
        number = at_ms // _CHUNK_MS
        begins, offsets = self._chunk(number)
        at = bisect_right(begins, at_ms)
        while True:
            for place in range(at, len(begins)):
                yield begins[place], offsets[place - 1]
            number += 1
            yield number * _CHUNK_MS, offsets[-1]
            begins, offsets = self._chunk(number)
            at = 1

    def _chunk(self, number: int) -> tuple[list[int], list[int]]:
        found = self._chunks.get(number)
        if found is None:
            found = self._chunks[number] = self._looked_up(number * _CHUNK_SECONDS)
        return found

    def _looked_up(self, first: int) -> tuple[list[int], list[int]]:
        begins, offsets = [first * 1_000], [self._offset_ms(first)]
        for end in range(
            first + _LOOKED_UP_SECONDS, first + _CHUNK_SECONDS + 1, _LOOKED_UP_SECONDS
        ):
            offset = self._offset_ms(end)
            if offset != offsets[-1]:
                low, high = end - _LOOKED_UP_SECONDS, end
                while high - low > 1:
                    middle = (low + high) // 2
                    if self._offset_ms(middle) == offset:
                        high = middle
                    else:
                        low = middle
                begins.append(high * 1_000)
                offsets.append(offset)
        return begins, offsets

    def _offset_ms(self, seconds: int) -> int:
        offset = datetime.fromtimestamp(seconds, self._zone).utcoffset()
        assert offset is not None
        return offset // timedelta(milliseconds=1)


@lru_cache(maxsize=1_024)
def offsets_of(timezone: str) -> Offsets:
    """The offsets of a zone of tzdata, by its name. Raises what ZoneInfo does."""
    return Offsets(ZoneInfo(timezone))
