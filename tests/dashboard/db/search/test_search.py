"""Threads are found by their messages and by their customers, on both databases."""

import pytest

from dashboard.db.accounts import admin_desks
from dashboard.db.search import search
from dashboard.ingest.actions import Actions, Admin, Reply
from dashboard.ingest.erase import erase_customer
from dashboard.ordering.placer import Placer
from tests.dashboard.ingest.shop import customer_event, message, new_admin
from tests.drivers.audit import OPERATOR


def find(shop, query, limit=50, after=None):
    with shop.database.read() as connection:
        return search.find(connection, query, limit, after)


def found(shop, query):
    """The source's ids of the threads, in the order of the results."""
    return [result["row"]["thread"] for result in find(shop, query).results]


@pytest.mark.parametrize(
    ("body", "queries", "not_by"),
    [
        (
            "Xin chào, tôi đợi từ hôm qua",
            ["chào", "chao", "CHÀO hôm", "doi tu", "hom q"],
            ["hom qux"],
        ),
        (
            "ご注文の配送料はいくらですか",
            ["配送", "配送料", "送", "いくら", "料は"],
            ["料配", "送配"],
        ),
        ("I want 50% off_now", ["50%", "%", "off_now", "_"], ["5%", "50_"]),
        ('it\'s a "quote" \\ here', ["it's", '"quote"', "\\", "'", '"quote'], ["it'x"]),
        ("call (a) OR b* NEAR^2 :x -y", ["(a)", "or", "b*", "near^2", ":x", "-y"], ["c OR d"]),
        ("tell <-> a & b | c !d", ["<->", "&", "|", "!d"], ["<-->"]),
        ("ship to ไทยแลนด์ 한국어", ["แลนด์", "국어"], ["แลนคด"]),
        (
            "It hasn’t come – my e\u2011mail is “order 4711–22”, ½ paid, Ｎｏ．７",
            [
                "hasn't",
                "HASN´T",
                "e-mail",
                "e–mail",
                "4711-22",
                "４７１１－２２",
                '"order 4711-22"',
            ],
            ["hasnt x", "4711+22", "e=mail"],
        ),
        (
            'it hasn\'t; e-mail 4711-22 "order" ...',
            ["hasn’t", "hasn\u02bct", "e\u2011mail", "4711—22", "“order”", "…", "ｅ－ｍａｉｌ"],
            ["hasn`x"],
        ),
        (
            "ｶﾞｷﾞ様のﾃﾞｰﾀ 10〜12時 葛\U000e0100城",
            ["ガギ", "データ", "10～12", "10~12", "葛城", "カ\u3099キ\u3099"],
            ["カキ"],
        ),
        ("👩‍💻 broke", ["👩‍💻", "💻 bro"], ["👩‍🔧"]),
    ],
)
def test_queries_find_messages(shop, body, queries, not_by):
    shop.says(1, body, thread="t-1")
    shop.says(2, "something else", thread="t-2")
    for query in queries:
        assert found(shop, query) == ["t-1"], query
    for query in not_by:
        assert found(shop, query) == [], query


def test_names_and_ids_of_customers_are_found_in_other_signs(shop):
    shop.says(1, thread="t-1", customer="A-4711", fields={"name": "Pat O’Brien–ｽﾐｽ"})
    for query in ("o'brien", "O´Brien-スミス", "a–4711", "ｓｈｏｐ／Ａ-4711", "shop/A\u20114711"):
        assert found(shop, query) == ["t-1"], query


def test_one_message_must_contain_every_term(shop):
    shop.says(1, "refund please", thread="t-1")
    shop.says(2, "my order", thread="t-1")
    assert found(shop, "refund please") == found(shop, "please refund") == ["t-1"]
    assert found(shop, "refund order") == []
    assert found(shop, "ref please") == []


def test_the_newest_match_comes_first_and_a_thread_once(shop):
    shop.says(50, "parcel one", thread="t-1")
    shop.says(90, "parcel two", thread="t-2")
    shop.says(10, "parcel late and old", thread="t-3")
    shop.says(70, "parcel again", thread="t-1")
    shop.says(95, "no match", thread="t-3")
    result = find(shop, "parcel")
    assert [each["row"]["thread"] for each in result.results] == ["t-2", "t-1", "t-3"]
    assert (result.total, result.next) == (3, None)
    match = result.results[1]["message"]
    assert (match["excerpt"], match["role"], match["private"]) == ("parcel again", "client", False)
    assert match["marks"] == [(0, 6)]


def test_paging_gives_every_result_once(shop):
    for number in range(7):
        shop.says(number % 3, "walk with me", thread=f"t-{number}", customer=f"c-{number}")
    whole = found(shop, "walk")
    walked, after = [], None
    while True:
        part = find(shop, "walk", 2, after)
        walked += [result["row"]["thread"] for result in part.results]
        assert part.total == 7
        after = part.next
        if after is None:
            break
    assert walked == whole and len(whole) == 7


def test_customers_are_found_by_name_and_id_with_all_of_their_threads(shop):
    shop.says(1, thread="t-1", customer="kh-77", fields={"name": "Nguyễn Thị Hằng"})
    shop.says(2, thread="t-2", customer="kh-77")
    shop.says(3, thread="t-3", customer="other", fields={"name": "Ken"})
    for query in ("hang", "Nguyễn", "thi ngu", "kh-77", "kh", "shop/kh-77"):
        assert found(shop, query) == ["t-2", "t-1"], query
    assert find(shop, "hang").results[0]["message"] is None
    assert found(shop, "shop/other") == ["t-3"]
    assert found(shop, "nobody/kh-77") == []


def test_a_customer_is_found_by_the_current_name_only(shop):
    shop.says(1, fields={"name": "Ken Before"})
    shop.send(customer_event(2, name="Ken After"))
    shop.send(customer_event(3, member_status=2))
    assert found(shop, "after") == ["t"]
    assert found(shop, "before") == []


def test_a_matching_message_is_shown_rather_than_a_matching_name(shop):
    shop.says(1, "Ken speaking", fields={"name": "Ken"})
    (result,) = find(shop, "ken").results
    assert result["message"]["excerpt"] == "Ken speaking"


def test_notes_and_names_of_attachments_are_found(shop, clock):
    shop.says(1)
    admin = Admin(new_admin(shop.database, "Mai"), "Mai")
    Actions(shop.database, clock).reply(admin, 1, Reply("between us", "tok", private=True))
    assert find(shop, "between").results[0]["message"]["private"] is True
    file = {"url": "https://x.example/a.png", "type": "image/png", "name": "receipt.png"}
    shop.send(message(5, "", attachments=[file]))
    assert find(shop, "receipt.png").results[0]["message"]["excerpt"] == "receipt.png"


def test_an_erased_customer_is_not_found(shop):
    shop.says(1, "very secret", thread="t-1", customer="gone", fields={"name": "Gone"})
    shop.says(2, "shared secret", thread="t-2", customer="gone")
    shop.says(3, "mine", thread="t-2", customer="stays")
    erase_customer(shop.database, _NoPlacer(), OPERATOR, "shop", "gone", 0)
    for query in ("secret", "gone", "shop/gone"):
        assert found(shop, query) == []
    assert found(shop, "mine") == ["t-2"]
    with shop.database.read() as connection:
        for table in ("message_search", "customer_search"):
            held = connection.exec_driver_sql(f"SELECT words FROM {table}").scalars().all()
            assert len(held) == 1 and not any("secret" in each for each in held)


def test_hostile_queries_find_nothing_and_do_no_harm(shop):
    shop.says(1, "hello")
    for query in ("' OR 1=1 --", '"', "\\", "*", "()", "hello' :*", "a AND", "\u200d", "x" * 200):
        find(shop, query)
    assert found(shop, "hello") == ["t"]


def test_the_longest_message_is_found_from_its_first_word_to_its_last(shop):
    body = "first " + "字" * 9_000 + " " + "many " * 2_000 + "last"
    shop.says(1, body[:20_000])
    assert found(shop, "first") == found(shop, "字字字") == found(shop, "many") == ["t"]


class _NoPlacer(Placer):
    """Placing in Redis has its own tests."""

    def __init__(self) -> None:
        pass

    def place(self, placements) -> None:
        pass


@pytest.mark.parametrize("most", ["MATCHES_MAX", "CUSTOMERS_MAX"])
def test_a_result_is_marked_incomplete_above_the_limit_of_matches(shop, monkeypatch, most):
    for number in range(4):
        given = {"customer": f"c-{number}", "fields": {"name": "Common Name"}}
        shop.says(number, "common word", thread=f"t-{number}", **given)
    word = {"MATCHES_MAX": "word", "CUSTOMERS_MAX": "name"}[most]
    monkeypatch.setattr(search, most, 4)
    assert (find(shop, word).whole, find(shop, word).total) == (True, 4)
    monkeypatch.setattr(search, most, 3)
    assert find(shop, word).whole is False
    assert find(shop, "t-none").whole is True


def test_what_is_at_other_desks_takes_no_place_of_what_is_found(shop, monkeypatch):
    monkeypatch.setattr(search, "MATCHES_MAX", 2)
    monkeypatch.setattr(search, "CUSTOMERS_MAX", 1)
    shop.database.write(lambda connection: admin_desks.add(connection, "billing", 0))
    shop.says(1, "a refund", thread="t-1", customer="c-1", fields={"name": "Refund Mai"})
    for number in range(2, 8):
        thread = f"t-{number}"
        shop.does("thread.handoff", number, thread=thread, desk="billing")
        shop.says(
            number, "a refund", thread=thread, customer=f"c-{number}", fields={"name": "Refund Ken"}
        )

    def at(*names, query="refund"):
        with shop.database.read() as connection:
            found = search.find(connection, query, 50, desks=frozenset(names))
        return [result["row"]["thread"] for result in found.results], found.total, found.whole

    for query in ("refund", "mai", "shop/c-1"):
        assert at("main", query=query) == (["t-1"], 1, True), query
    assert at("main", query="shop/c-5") == ([], 0, True)
    assert at("billing")[0][:2] == ["t-7", "t-6"] and not at("billing")[2]
    assert at() == ([], 0, True)
