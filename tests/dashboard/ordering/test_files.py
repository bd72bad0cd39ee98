"""A file moves its thread on the lists that ask for one, at once and for good."""

FILES = [{"url": "https://x.example/a.png"}]


def test_a_thread_enters_the_lists_of_files_with_the_first_one(lists):
    for query in ("has:file", "-has:file", "has:file is:closed"):
        lists.keep(query)
    assert (lists.of("has:file"), lists.of("-has:file")) == ([], [3, 2, 1])
    before = lists.versions()
    lists.order.post("t-2", role="bot", attachments=FILES)
    assert (lists.of("has:file"), lists.of("-has:file")) == ([2], [3, 1])
    after = lists.versions()
    assert {query for query in after if after[query] > before[query]} == {"has:file", "-has:file"}
    early = "2026-11-20T09:00:00Z"
    lists.order.post("t-1", body="", attachments=FILES, occurred_at=early)
    lists.order.post("t-2", attachments=FILES)
    lists.order.clock.advance(1_000)
    lists.order.event(type="thread.close", thread="t-2")
    assert (lists.of("has:file"), lists.of("has:file is:closed")) == ([2, 1], [2])
    assert lists.of("-has:file") == [3]
    lists.agree()
