"""A changed number of shards is noticed."""

import pytest
import redis

from presence.errors import ShardsChanged
from presence.keys import Space
from presence.people import check_shards


def test_another_number_of_shards_is_noticed(client: redis.Redis) -> None:
    """With another number, stored people would not be found. (R12, R75)"""
    spaces = [Space(kind, "lineup:p:") for kind in ("customer", "admin")]
    check_shards(client, spaces)
    check_shards(client, spaces)
    with pytest.raises(ShardsChanged, match="admin: 16 shards, now 32") as refused:
        check_shards(client, [spaces[0], Space("admin", "lineup:p:", shards=32)])
    assert refused.value.pattern == "{lineup:p:*"
