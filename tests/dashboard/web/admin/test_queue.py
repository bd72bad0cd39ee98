"""An admin is told how many threads have waited for long."""

MINUTE_MS = 60_000


def test_threads_that_wait_are_counted_by_their_waits(dashboard, mai):
    def over() -> list[int]:
        answer = mai.get("/admin/api/queue").json
        assert [each["minutes"] for each in answer["over"]] == [10, 30]
        return [each["count"] for each in answer["over"]]

    assert over() == [0, 0]
    dashboard.say("t-1", "first")
    dashboard.clock.advance(15 * MINUTE_MS)
    dashboard.say("t-2", "second")
    dashboard.say("t-1", "still waiting, since the first message")
    assert over() == [1, 0]
    dashboard.clock.advance(11 * MINUTE_MS)
    assert over() == [2, 0]
    dashboard.clock.advance(20 * MINUTE_MS)
    assert over() == [2, 2]
    for view, expected in (("waits:>10m", 2), ("waits:>10m waits:<30m", 0)):
        asked = {"query": f"is:open is:waiting -is:snoozed {view}", "sort": "longest_wait"}
        assert mai.post("/admin/api/views/preview", json=asked).json["total"] == expected
    mai.post("/admin/api/threads/1/close", json={})
    assert over() == [1, 1]
