"""Phrases in quotes find words next to each other in their order, on both databases."""

from random import Random

import pytest

from dashboard.db.search import search
from dashboard.db.search.message_matches import in_thread
from dashboard.db.search.words import Term, terms
from tests.dashboard.ingest.shop import message

#: A text is made of pieces, each a word, an ideograph, a kana or a sign, with or without a blank
#: behind it. Each piece maps to the token that finds it.
PIECES = {
    **{"not": "not", "Arrived": "arrived", "arrive": "arrive", "Đến": "den", "chưa": "chua"},
    **{"e\u0301te\u0301": "ete", "配": "配", "送": "送", "料": "料", "は": "は", "か\u3099": "が"},
    **{",": ",", '"': '"', "\\": "\\", "*": "*"},
}
GAP = None


def is_unspaced(piece: str) -> bool:
    return ord(PIECES[piece][0]) > 0x3000


def random_text(random: Random, pieces: list[str], most: int) -> list[tuple[str, bool]]:
    """Pieces, and whether a blank follows each; without one, two words would be one."""
    chosen = [random.choice(pieces) for _ in range(random.randint(1, most))]
    follow = [*chosen[1:], chosen[-1]]
    return [
        (
            one,
            (one[0].isalpha() and next[0].isalpha() and not (is_unspaced(one) or is_unspaced(next)))
            or random.random() < 0.4,
        )
        for one, next in zip(chosen, follow, strict=True)
    ]


def written(text: list[tuple[str, bool]]) -> str:
    return "".join(piece + (" " if blank else "") for piece, blank in text)


def tokens(text: list[tuple[str, bool]]) -> list[str | None]:
    """The pieces to compare; a blank counts between characters of scripts that have no blanks."""
    result: list[str | None] = []
    for at, (piece, blank) in enumerate(text):
        result.append(PIECES[piece])
        follower = text[at + 1][0] if at + 1 < len(text) else ""
        if blank and follower and is_unspaced(piece) and is_unspaced(follower):
            result.append(GAP)
    return result


def holds(text: list[str | None], phrase: list[str | None], *, last_may_go_on: bool) -> bool:
    *first, last = phrase
    return any(
        text[at : at + len(first)] == first
        and (token == last or (last_may_go_on and bool(token) and token.startswith(last)))
        for at, token in enumerate(text[len(first) :])
    )


@pytest.mark.parametrize("seed", range(3))
def test_phrases_find_what_a_plain_search_in_the_texts_finds(shop, seed):
    random = Random(seed)
    texts = [random_text(random, list(PIECES), 9) for _ in range(120)]
    shop.send(*(message(at, written(text), thread=f"t-{at}") for at, text in enumerate(texts)))
    quotable = [piece for piece in PIECES if piece != '"']
    found_any = 0
    with shop.database.read() as connection:
        for number in range(160):
            phrases = [random_text(random, quotable, 3) for _ in range(random.randint(1, 2))]
            is_open = number % 3 == 0
            query = " ".join(f'"{written(phrase)}"' for phrase in phrases)
            query = query[:-1] if is_open else query
            expected = {
                f"t-{at}"
                for at, text in enumerate(texts)
                if all(
                    holds(tokens(text), tokens(phrase), last_may_go_on=is_open and phrase is last)
                    for last in [phrases[-1]]
                    for phrase in phrases
                )
            }
            found = search.find(connection, query, 200)
            assert {each["row"]["thread"] for each in found.results} == expected, query
            for each in found.results:
                row_id, shown = each["row"]["id"], each["message"]
                assert [one.id for one in in_thread(connection, row_id, terms(query))] == [
                    shown["id"]
                ], query
                assert shown["marks"], query
            found_any += bool(expected)
    assert found_any > 60, "the texts hold many of the phrases"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"not arrived"', [Term(("not", "arrived"), False)]),
        ('"not arri', [Term(("not", "arri"), True)]),
        ('late "not arrived" parcel', [
            Term(("late",), False), Term(("not", "arrived"), False), Term(("parcel",), True),
        ]),
        ('"配送料"', [Term(("配送", "送料"), False)]),
        ("\u201cXin chào\u201d", [Term(("xin", "chao"), False)]),
        ("\uff02配送\uff02", [Term(("配送",), False)]),
        ('"a""b', [Term(("a",), False), Term(("b",), True)]),
        ('27" tv', [Term(("27", "\ue022"), False), Term(("tv",), True)]),
        ('"', []),
        ('"" " "', []),
    ],
)  # fmt: skip
def test_a_query_is_split_at_its_quotes(query, expected):
    assert terms(query) == expected


def test_words_and_phrases_are_found_in_one_message(shop):
    shop.says(1, "The blue parcel has not arrived, and I am late", thread="t-1")
    shop.says(2, "The parcel arrived, it is not blue; arrived not late", thread="t-2")
    with shop.database.read() as connection:

        def threads(query: str) -> list[str]:
            found = search.find(connection, query, 50)
            return [each["row"]["thread"] for each in found.results]

        assert threads("not arrived") == ["t-2", "t-1"]
        assert threads('"not arrived"') == threads('"not arrived') == ["t-1"]
        assert threads('"NOT  arrived" parcel') == threads('late "blue parcel" "am la') == ["t-1"]
        assert threads('"arrived not"') == ["t-2"]
        assert threads('"not arriv"') == [], "a closed phrase ends with a whole word"
        for hostile in ('"', '""', '"""', '" "', '"\\"', "\"' OR 1=1", '"*"', '")', '"\u200d"'):
            assert threads(hostile) == [], hostile


def test_a_phrase_is_found_at_the_end_of_the_longest_message(shop):
    """PostgreSQL keeps neither the 256th place of a word nor any beyond the 16,383rd word."""
    many = "a b " * 300
    shop.says(1, f"{many} c a d", thread="t-1")
    shop.says(2, f"{many} c d", thread="t-2")
    shop.says(3, "字" * 17_000 + " x y", thread="t-3")
    shop.says(4, "字" * 17_000 + " y x", thread="t-4")
    with shop.database.read() as connection:
        for query, thread, other in [('"c a d"', "t-1", "t-2"), ('"x y"', "t-3", "t-4")]:
            (result,) = search.find(connection, query, 50).results
            assert result["row"]["thread"] == thread
            id = result["row"]["id"]
            assert len(in_thread(connection, id, terms(query))) == 1
            assert in_thread(connection, id + 1, terms(query)) == [], other


def test_all_matches_of_a_thread_stand_in_the_order_of_the_conversation(shop):
    for at in (30, 10, 20, 40):
        shop.says(at, f"parcel {at}", thread="t-1")
    shop.says(50, "parcel elsewhere", thread="t-2")
    shop.says(25, "a letter", thread="t-1")
    with shop.database.read() as connection:
        id = search.find(connection, '"parcel 10"', 1).results[0]["row"]["id"]
        found = in_thread(connection, id, terms("parc"))
    bodies = {each["id"]: each["body"] for each in shop.conversation("t-1")}
    assert [bodies[match.id] for match in found] == [f"parcel {at}" for at in (10, 20, 30, 40)]
