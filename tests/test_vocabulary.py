"""Words that were replaced by the field's terms do not come back."""

import re

import pytest

from tests.repository import ROOT, written_files

#: Word → what to say instead; a word also counts within names, such as `_bell` or BELL_FLAGS.
REPLACED = {
    "attendance": "presence",
    "bell": "notification",
    "courier": "WebhookDispatcher",
    "deaf": "is_receiving",
    "ghost": "stale",
    "goodbye": "tombstone",
    "guest": "socket, caller",
    "heal": "reconcile, repair",
    "healer": "Reconciler",
    "hushed": "outage",
    "outlet": "Emitter",
    "parcels": "BatchedEmitter",
    "portrait": "PresenceSnapshot",
    "rung": "notified",
    "shelf": "RowCache",
    "stranger": "foreign member, another viewer",
    "weed": "remove foreign members",
    "way in": "ingest",
    "way out": "outbox, delivery updates, broadcaster",
    "put right": "repair",
    "left behind": "unplaced",
}
#: Names that are refused as they are written here: the words themselves have other uses.
REPLACED_NAMES = ("tags_of", "Board", "Boards", "Chatbots", "Intake", "Shelf", "Screens")
SUFFIXES = (".py", ".lua", ".js", ".mjs", ".md", ".html", ".css", ".json", ".toml", ".sh")
#: What is not ours, or tells of the past; customers of the demo speak as they like.
EXEMPT = ("CHANGELOG.md", "package-lock.json", "demo/texts/", "tests/test_vocabulary.py")
#: Where such a word is right: quotations of customers and notes, and names that others rely on.
ALLOWED = {
    ("parcels", "tests/browser/states.py"),
    ("parcels", "tests/browser/threads/test_example_chatbot.py"),
    ("parcels", "tests/dashboard/db/search/test_search.py"),
}


#: Every word, also as a plural and within names.
WORDS = re.compile(
    rf"(?<![a-z])({'|'.join(re.sub(' ', '[ _]', word) for word in REPLACED)})s?(?![a-z])"
)
NAMES = re.compile(rf"\b({'|'.join(REPLACED_NAMES)})\b")


def words_in(text: str) -> set[str]:
    """The replaced words in a text."""
    return {word.replace("_", " ") for word in WORDS.findall(text.lower())}


def found() -> set[tuple[str, str]]:
    """(word, file) of every replaced word in the repository."""
    hits = set()
    for path in written_files(*SUFFIXES):
        file = path.relative_to(ROOT).as_posix()
        if file.startswith(EXEMPT):
            continue
        text = path.read_text(encoding="utf-8")
        names = set(NAMES.findall(text)) if path.suffix == ".py" else set()
        hits |= {(word, file) for word in words_in(text) | names}
    return hits - ALLOWED


def test_replaced_words_do_not_come_back():
    hits = found()
    assert not hits, "\n".join(f"{file}: {word}" for word, file in sorted(hits))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *[(text, {"bell"}) for text in ("the bell", "BELL_FLAGS", "_bell", "bells")],
        ("labelled", set()),
        ("what is put_right", {"put right"}),
    ],
)
def test_a_word_is_found_within_names_and_not_within_words(text, words):
    assert words_in(text) == words
