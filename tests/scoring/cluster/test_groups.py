"""On a cluster the lists of queries are divided into groups, which its nodes share."""

from collections import Counter

import pytest
from redis.crc import key_slot

from scoring.keys import CLUSTER_GROUPS, SLOTS, Keys, query_list_id
from scoring.placing import Placement
from tests.drivers.ranking import RankingDriver, placed

PREFIXES = ("lineup", "a", "desk.of:spain", "ü")


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("nodes", [3, 4, 5, 8, 16])
def test_nodes_hold_as_many_lists_each(prefix, nodes):
    """Slots are given to nodes in ranges of equal length."""
    keys = Keys(prefix, groups=CLUSTER_GROUPS)
    list_ids = [query_list_id(f"{number:016x}", "arrival") for number in range(1_000)]
    held = Counter(key_slot(keys.meta(list_id).encode()) * nodes // SLOTS for list_id in list_ids)
    assert len(held) == nodes
    assert max(held.values()) <= 1.5 * len(list_ids) / nodes


@pytest.mark.parametrize("prefix", PREFIXES)
def test_all_keys_of_a_group_lie_in_one_slot(prefix):
    keys = Keys(prefix, groups=CLUSTER_GROUPS)
    for number in range(100):
        list_id = query_list_id(f"{number:016x}", "arrival")
        of_list = keys.of(list_id, ["arrival"])
        group = of_list.group
        names = [*of_list.placed, *of_list.filled, of_list.next, of_list.lease]
        names += [group.revisions, group.left, group.touched, group.calls]
        assert len({key_slot(name.encode()) for name in names}) == 1
        assert {keys.list_id_of(name) for name in of_list.placed} == {list_id}


def test_one_server_has_one_group_which_keeps_its_name():
    """Another version of Lineup beside this one uses the same keys."""
    [group] = Keys().shared_groups()
    assert group.touched == "{lineup:queries}|touched"
    assert Keys().of("q:aa:arrival", ["arrival"]).log == "{lineup:queries}|q:aa:arrival|log"
    assert Keys().of("arrival", ["priority"]).sorts == ("{lineup:arrival}|priority",)
    assert Keys().group("arrival").revisions == "{lineup:arrival}|revisions"


def test_what_an_earlier_version_kept_in_one_group_expires(client):
    list_id = query_list_id("aa", "arrival")
    earlier, now = RankingDriver(client), RankingDriver(client, groups=CLUSTER_GROUPS)
    for driver in (earlier, now):
        driver.open(list_id, "arrival")
        driver.ranking.place([Placement(1, 1, {list_id: (5,)}), placed(1, 1, "arrival", 5)])
    earlier.ranking.expire_undivided()
    assert {client.pttl(key) for key in client.keys("*")} == {-1}, "it is in use here"
    now.ranking.expire_undivided()
    expiring = {key.decode() for key in client.keys("*") if client.pttl(key) > 0}
    [group] = earlier.keys.shared_groups()
    assert expiring == {
        *earlier.ranking.keys_of(list_id).placed,
        group.revisions,
        group.touched,
        group.calls,
    }
    assert now.ranking.head(list_id, "arrival", 9).entries == [(1, 5)]
