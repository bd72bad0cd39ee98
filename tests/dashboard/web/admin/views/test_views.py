"""Views are saved, changed, ordered and deleted, and have exact totals."""

from redis.exceptions import ConnectionError as RedisConnectionError

from dashboard.db.accounts import admin_desks
from dashboard.db.lists import kept_lists, views
from tests.dashboard.web.admin.views.calls import API, PROFILE, listed, saved, view
from tests.dashboard.web.answers import is_problem


def kept(dashboard):
    """List id to until when it is kept, of all lists of queries."""
    with dashboard.database.read() as connection:
        rows = connection.exec_driver_sql("SELECT id, kept_until FROM query_lists")
        return {row.id: row.kept_until for row in rows}


def test_built_in_views_come_first_in_the_sort_that_an_admin_has_for_them(dashboard, mai):
    dashboard.say("t-1")
    mai.patch("/admin/api/me/preferences", json={"sorts": {"history": "priority"}, "locale": "vi"})
    found = mai.get(API).json["views"]
    shown = [(each["id"], each["query"], each["sort"], each["total"]) for each in found]
    assert shown == [
        ("arrival", "is:open -is:snoozed", "arrival", 1),
        ("not_respond", "is:open is:waiting -is:snoozed", "longest_wait", 1),
        ("snoozed", "is:snoozed", "soonest", None),
        ("mentions", "mentions:me", "arrival", 0),
        ("history", "is:closed", "priority", 0),
    ]
    assert {each["owner"] for each in found} == {"built-in"}
    assert found[4]["name"] == "Lịch sử"


def test_the_days_of_a_view_are_by_default_those_of_the_profile(mai):
    assert saved(mai)["timezone"] == "UTC"
    mai.put(PROFILE, json={"name": "Mai", "locale": "vi", "timezone": "Asia/Tokyo"})
    assert saved(mai)["timezone"] == "Asia/Tokyo"
    assert saved(mai, timezone="Europe/Berlin")["timezone"] == "Europe/Berlin"


def test_a_view_is_saved_changed_and_deleted(dashboard, mai):
    dashboard.say("t-1")
    made = saved(mai, timezone="Asia/Tokyo")
    assert made == view(
        id="v1",
        timezone="Asia/Tokyo",
        changed_at=dashboard.clock(),
        total=None,
        mistake=None,
    )
    assert listed(mai, "id", "total") == [("v1", None)], "the list is not built yet"
    assert dashboard.begun == list(kept(dashboard)), "but will be at once"
    dashboard.rebuild()
    assert listed(mai, "id", "total") == [("v1", 1)]
    changed = mai.put(f"{API}/v1", json={"name": "All", "query": "", "sort": "arrival"})
    assert (changed.status_code, changed.json["query"], changed.json["owner"]) == (200, "", "me")
    assert changed.json["timezone"] == "Asia/Tokyo", "what is left out stays"
    assert changed.json["changed_at"] == made["changed_at"] + 1
    mai.put(f"{API}/v1", json={"name": "Everything", "query": "", "sort": "arrival"})
    assert len(dashboard.begun) == 2, "another name has no other list"
    assert mai.delete(f"{API}/v1").status_code == 204
    assert listed(mai) == []
    assert mai.put(f"{API}/v1", json=view()).status_code == 404
    assert mai.delete(f"{API}/v1").status_code == 404


def test_a_list_goes_with_the_last_view_that_has_it(dashboard, mai, sue):
    saved(mai, query="is:open -lang:vi")
    saved(sue, query="-lang:vi  is:open", owner="all")
    [list_id] = kept(dashboard)
    mai.delete(f"{API}/v1")
    assert kept(dashboard) == {list_id: None}
    sue.put(f"{API}/v2", json=view(query="is:closed", owner="all"))
    lists = kept(dashboard)
    assert lists.pop(list_id) == dashboard.clock() + 60_000, "it may be on screens"
    assert list(lists.values()) == [None]
    sue.put(f"{API}/v2", json=view(query="is:open -lang:vi", owner="all"))
    assert kept(dashboard)[list_id] is None, "kept again"


def test_views_of_everybody_are_saved_and_changed_by_supervisors_alone(mai, sue):
    assert is_problem(mai.post(API, json=view(owner="all")), 403, "forbidden")
    made = saved(sue, owner="all")
    assert listed(mai, "id", "owner") == [("v1", "all")]
    path = f"{API}/{made['id']}"
    for answer in (
        mai.put(path, json=view(owner="me")),
        mai.put(path, json=view(name="x")),
        mai.delete(path),
    ):
        assert is_problem(answer, 403, "forbidden")
    own = saved(mai)
    assert is_problem(mai.put(f"{API}/{own['id']}", json=view(owner="all")), 403, "forbidden")
    assert sue.put(path, json=view(owner="me")).json["owner"] == "me"
    assert listed(mai) == [own["id"]]


def test_views_of_a_desk_are_seen_by_who_sees_the_desk(dashboard, mai, sue):
    dashboard.database.write(
        lambda c: [admin_desks.add(c, "billing", 0), admin_desks.save(c, 1, ["main"])]
    )
    assert is_problem(mai.post(API, json=view(owner="desk:main")), 403, "forbidden")
    main, billing, all = (saved(sue, owner=each) for each in ("desk:main", "desk:billing", "all"))
    assert (main["owner"], billing["owner"]) == ("desk:main", "desk:billing")
    assert listed(sue) == [main["id"], billing["id"], all["id"]]
    assert listed(mai, "id", "owner") == [(main["id"], "desk:main"), (all["id"], "all")]
    elsewhere, own = f"{API}/{billing['id']}", f"{API}/{main['id']}"
    for answer in (mai.put(elsewhere, json=view()), mai.delete(elsewhere)):
        assert is_problem(answer, 404, "not_found")
    for answer in (mai.put(own, json=view(owner="me")), mai.delete(own)):
        assert is_problem(answer, 403, "forbidden")
    assert sue.put(own, json={k: v for k, v in view(name="x").items() if k != "owner"}).json[
        "owner"
    ] == ("desk:main")
    assert sue.put(own, json=view(owner="desk:billing")).status_code == 200
    assert listed(mai) == [all["id"]]
    assert sue.put(own, json=view(owner="all")).json["owner"] == "all"
    assert listed(mai) == [main["id"], all["id"]]
    answer = sue.post(API, json=view(owner="desk:nowhere"))
    assert is_problem(answer, 422, "unknown_value")
    assert answer.json["errors"][0]["pointer"] == "/owner"


def test_nobody_learns_of_the_own_views_of_others(mai, sue):
    own = saved(mai)
    assert listed(sue) == []
    path = f"{API}/{own['id']}"
    unknown = sue.put(f"{API}/v999", json=view()).json
    for answer in (sue.put(path, json=view()), sue.delete(path)):
        assert is_problem(answer, 404, "not_found")
        assert answer.json["detail"] == unknown["detail"]
    assert sue.put(f"{API}/order", json={"ids": [own["id"]]}).json["ids"] == [
        "arrival",
        "not_respond",
        "snoozed",
        "mentions",
        "history",
    ]


def test_of_two_who_edit_a_view_the_second_is_told(dashboard, sue):
    tom = dashboard.sign_in("Tom", "supervisor")
    made = saved(sue, owner="all")
    path, seen = f"{API}/{made['id']}", {"changed_at": made["changed_at"]}
    first = sue.put(path, json=view(name="Sue's", owner="all") | seen)
    second = tom.put(path, json=view(name="Tom's", owner="all") | seen)
    assert is_problem(second, 409, "changed_meanwhile")
    assert second.json["view"] == first.json
    assert listed(tom, "name") == ["Sue's"]
    again = {"changed_at": second.json["view"]["changed_at"]}
    assert tom.put(path, json=view(name="Tom's", owner="all") | again).status_code == 200
    assert sue.put(path, json=view(name="Sue's", owner="all")).status_code == 200, (
        "who does not ask"
    )
    assert sue.delete(path).status_code == 204
    assert is_problem(tom.put(path, json=view() | again), 404, "not_found")


def test_a_view_of_everybody_that_names_me_is_another_list_for_each(dashboard, mai, sue):
    thread = dashboard.say("t-1")
    mai.post(f"/admin/api/threads/{thread}/claim", json={})
    saved(sue, query="assigned:me", owner="all")
    assert kept(dashboard) == {}, "none is kept where nobody looks"
    assert (listed(mai, "total"), listed(sue, "total")) == ([1], [0])
    saved(mai, query="assigned:me")
    assert list(kept(dashboard).values()) == [None], "an own one is kept"


def test_an_order_of_ones_own(mai, sue):
    for owner in ("all", "me", "all"):
        saved(sue, owner=owner)
    saved(mai)
    given = ["v3", "history", "v999", "v4", "v3"]
    answer = mai.put(f"{API}/order", json={"ids": given})
    expected = ["arrival", "not_respond", "snoozed", "mentions", "v3", "history", "v4", "v1"]
    assert answer.json == {"ids": expected}
    assert [each["id"] for each in mai.get(API).json["views"]] == expected
    assert listed(sue) == ["v1", "v2", "v3"], "that of others stays"
    saved(mai)
    mai.put(f"{API}/order", json={"ids": ["v1"]})
    assert listed(mai) == ["v1", "v3", "v4", "v5"]


def test_what_is_no_id_of_a_view_has_no_place_in_an_order(mai):
    for id in ("v0", "v01", "17", "nothing", "v" + "9" * 17, ""):
        answer = mai.put(f"{API}/order", json={"ids": ["v1", id]})
        assert is_problem(answer, 422, "unknown_value")
        assert answer.json["errors"][0]["pointer"] == "/ids/1"


WRONG = [
    ({"name": " "}, "/name", "empty_text"),
    ({"name": "x" * 81}, "/name", "too_long"),
    ({"name": "a\nb"}, "/name", "forbidden_character"),
    ({"name": "a\x00"}, "/name", "forbidden_character"),
    ({"name": None}, "/name", "missing_field"),
    ({"query": 5}, "/query", "wrong_type"),
    ({"query": "\ud800"}, "/query", "invalid_unicode"),
    ({"sort": "best"}, "/sort", "unknown_value"),
    ({"owner": "built-in"}, "/owner", "unknown_value"),
    ({"timezone": "Mars/Olympus"}, "/timezone", "unknown_value"),
    ({"timezone": "../etc/passwd"}, "/timezone", "unknown_value"),
    ({"timezone": "America"}, "/timezone", "unknown_value"),
    ({"total": 5}, "/total", "unknown_field"),
]


def test_a_wrong_view_is_refused(mai):
    for change, pointer, code in WRONG:
        answer = mai.post(API, json=view(**change))
        assert is_problem(answer, 422, code)
        assert answer.json["errors"][0]["pointer"] == pointer
    assert listed(mai) == []


def test_a_mistake_in_a_query_is_told_by_its_place(mai):
    saved(mai)
    wrong = view(query="is:open is:opn")
    for answer in (
        mai.post(API, json=wrong),
        mai.put(f"{API}/v1", json=wrong),
        mai.post(f"{API}/preview", json={"query": wrong["query"], "sort": "arrival"}),
    ):
        assert is_problem(answer, 422, "invalid_query")
        place = {"pointer": "/query", "at": 13, "expected": ["open"]}
        assert {name: answer.json[name] for name in place} == place
        [error] = answer.json["errors"]
        assert {name: error[name] for name in place} == place
    assert listed(mai, "query") == ["is:waiting"]


def test_words_and_unknown_addresses_make_no_view(sue):
    for query, at in {
        "zzz": 0,
        'is:open "not arrived"': 8,
        "assigned:nobody@example.com": 9,
        "is:open\x00": 7,
    }.items():
        for owner in ("me", "all"):
            answer = sue.post(API, json=view(query=query, owner=owner))
            assert (answer.status_code, answer.json["at"]) == (422, at)
    assert is_problem(
        sue.post(API, json=view(query="assigned:me x", owner="all")), 422, "invalid_query"
    )


def test_a_view_whose_address_is_gone_is_shown_with_its_mistake(dashboard, mai):
    dashboard.create_admin("Sue")
    saved(mai, query="assigned:sue@example.com")
    dashboard.rebuild()
    assert listed(mai, "total", "mistake") == [(0, None)]
    dashboard.database.write(
        lambda c: c.exec_driver_sql("UPDATE admins SET email = 'x@x' WHERE name = 'Sue'")
    )
    saved(mai)
    [gone, other] = mai.get(API).json["views"][5:]
    assert (gone["total"], gone["mistake"]["at"]) == (None, 9)
    assert other["mistake"] is None
    dashboard.say("t-1")
    assert mai.put(f"{API}/v1", json=view(query="")).json["mistake"] is None


def test_a_view_that_lost_its_list_while_nobody_had_its_address_has_it_again(dashboard, sue):
    """Its sort got new rules meanwhile, or the account of its owner was disabled and enabled."""
    dashboard.create_admin("Mai")
    lan = dashboard.sign_in("Lan")
    rules = [{"when": "", "by": "created_at", "order": "oldest"}]
    sort = {"name": "vip", "title": "VIP", "rules": rules}
    assert sue.post("/admin/api/sorts", json=sort).status_code == 201
    query = "assigned:mai@example.com"
    saved(sue, query=query, sort="vip", owner="all")
    saved(lan, query=query)

    def listed_now() -> list[bool]:
        with dashboard.database.read() as connection:
            rows = connection.exec_driver_sql("SELECT list_id FROM views ORDER BY id")
            return [row.list_id is not None for row in rows]

    def moves(email: str) -> None:
        assert sue.put("/admin/api/accounts/2", json={"email": email}).status_code == 200

    moves("other@example.com")
    assert listed_now() == [True, True], "it stays as it is, without threads"
    changed = {"title": "VIP", "rules": [rules[0] | {"order": "newest"}]}
    assert sue.put("/admin/api/sorts/vip", json=changed).status_code == 200
    for change in ("disable", "enable"):
        assert sue.post(f"/admin/api/accounts/3/{change}", json={}).status_code == 200
    assert listed_now() == [False, False]
    moves("mai@example.com")
    assert listed_now() == [True, True]


def test_an_admin_has_up_to_200_views_of_their_own(dashboard, mai, monkeypatch):
    monkeypatch.setattr("dashboard.db.lists.views.OWN_MAX", 2)
    monkeypatch.setattr("dashboard.db.lists.views.SHARED_MAX", 1)
    sue = dashboard.sign_in("Sue", "supervisor")
    saved(sue, owner="all")
    saved(mai)
    saved(mai)
    saved(sue)
    for client, owner in ((mai, "me"), (sue, "all")):
        answer = client.post(API, json=view(owner=owner))
        assert is_problem(answer, 422, "too_many_views")
        assert answer.json["errors"][0]["pointer"] == "/owner"
    assert mai.put(f"{API}/v2", json=view(name="x")).status_code == 200
    assert is_problem(sue.put(f"{API}/v4", json=view(owner="all")), 422, "too_many_views")


def test_without_redis_totals_come_from_sql(dashboard, mai, sue, monkeypatch):
    dashboard.say("t-1")
    dashboard.say("t-2", role="bot")
    saved(mai)
    saved(sue, query="is:open", owner="all")
    dashboard.database.write(kept_lists.keep)
    dashboard.rebuild()

    def away(*given):
        raise RedisConnectionError("away")

    live = mai.get(API).json
    monkeypatch.setattr(dashboard.ranking, "states", away)
    assert mai.get(API).json == live
    assert listed(mai, "total") == [1, 2]


def test_each_change_of_views_and_sorts_is_told_to_those_whom_it_concerns(dashboard, sue):
    """Every worker reads the noted changes, and tells its sockets (views:changed)."""
    with dashboard.database.read() as connection:
        me = connection.exec_driver_sql("SELECT max(id) FROM admins").scalar()
    dashboard.database.write(lambda connection: admin_desks.add(connection, "sales", 0))
    rules = [{"when": "", "by": "recent_at", "order": "newest"}]
    sort = {"title": "S", "rules": rules}
    calls = [
        ("POST", API, view(), {me}),
        ("PUT", f"{API}/v1", view(name="Other"), {me}),
        ("PUT", f"{API}/order", {"ids": ["v1"]}, {me}),
        ("PUT", f"{API}/v1", view(owner="desk:sales"), {me, "sales"}),
        ("PUT", f"{API}/v1", view(name="Sales", owner="desk:sales"), {"sales"}),
        ("DELETE", f"{API}/v1", None, {"sales"}),
        ("POST", API, view(owner="all"), {None}),
        ("DELETE", f"{API}/v2", None, {None}),
        ("POST", "/admin/api/sorts", sort | {"name": "vip"}, {None}),
        ("PUT", "/admin/api/sorts/vip", sort | {"title": "T"}, {None}),
        ("DELETE", "/admin/api/sorts/vip", None, {None}),
    ]

    def changed_since(version):
        with dashboard.database.read() as connection:
            return views.since(connection, version)

    def said_to_look():
        return dashboard.redis.zscore(dashboard.ranking.keys.view_changes, "changes") or 0

    version, _ = changed_since(None)
    for count, (method, path, body, whose) in enumerate(calls, start=1):
        answer = sue.open(path, method=method, json=body)
        assert answer.status_code in (200, 201, 204), answer.json
        version, changed = changed_since(version)
        assert changed == whose, f"{method} {path}"
        assert said_to_look() == count, f"{method} {path}: workers look at once"


def test_what_changes_nothing_of_a_shared_view_adds_no_entry(dashboard, sue):
    """Saving a view unchanged is no act, so the audit log gets no entry."""
    path = f"{API}/{saved(sue, owner='all')['id']}"

    def entries():
        counted = "SELECT count(*) FROM audit_log WHERE action = 'view.changed'"
        with dashboard.database.read() as connection:
            return connection.exec_driver_sql(counted).scalar()

    assert sue.put(path, json=view(owner="all")).status_code == 200
    assert entries() == 0
    assert sue.put(path, json=view(owner="all", name="Other")).status_code == 200
    assert entries() == 1
