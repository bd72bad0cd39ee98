"""Tags move threads on the lists that ask for them, at once and in one step."""


def test_a_thread_enters_and_leaves_the_lists_of_its_tags(lists):
    for query in ("tag:vip", "tag:none", "-tag:spam", "tag:spam,vip is:open", "is:open"):
        lists.keep(query)
    assert (lists.of("tag:vip"), lists.of("tag:none")) == ([], [3, 2, 1])
    before = lists.versions()
    lists.order.event(type="thread.tags", thread="t-2", add=["vip"])
    assert (lists.of("tag:vip"), lists.of("tag:none")) == ([2], [3, 1])
    after = lists.versions()
    changed = {query: after[query] - before[query] for query in after}
    assert {query for query, steps in changed.items() if steps} >= {"tag:vip", "tag:none"}
    assert set(changed.values()) <= {0, 1}, "one step of each list"
    lists.tag(2, ["spam"], ["vip"])
    assert (lists.of("tag:vip"), lists.of("-tag:spam")) == ([], [3, 1])
    assert lists.of("tag:spam,vip is:open") == [2]
    lists.tag(2, remove=["spam"])
    assert (lists.of("-tag:spam"), lists.of("tag:none")) == ([3, 2, 1], [3, 2, 1])
    lists.agree()


def test_a_sort_whose_rules_ask_for_tags_moves_the_thread(lists):
    lists.keep("is:open", "vips_first")
    assert lists.of("is:open") == [3, 2, 1]
    lists.order.event(type="thread.tags", thread="t-1", add=["vip"])
    assert lists.of("is:open") == [1, 3, 2]
    lists.tag(2, ["vip"])
    assert lists.of("is:open") == [2, 1, 3]
    lists.tag(1, ["refund"], ["vip"])
    assert lists.of("is:open") == [2, 3, 1]
    lists.agree()


def test_what_redis_lost_meanwhile_is_repaired(lists):
    lists.keep("tag:vip")
    lists.order.placer.place = lambda placements: None
    lists.tag(1, ["vip"])
    del lists.order.placer.place
    assert lists.order.ranking.head(lists.ids["tag:vip"], "arrival", 5).entries == []
    lists.order.tick(4)
    assert lists.of("tag:vip") == [1]
    lists.agree()
