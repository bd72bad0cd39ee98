"""Words that were replaced by the field's terms do not come back."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.repository import ROOT, nodes_of, written_files

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
#: Files that are not ours, or tell of the past; customers of the demo speak as they like.
EXEMPT = ("CHANGELOG.md", "package-lock.json", "demo/texts/", "tests/test_vocabulary.py")
#: Uses that are right: quotations of customers and notes, and names that others rely on.
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


#: Calls with texts that people read: refusals, and errors of the start.
_TOLD = ("Problem", "Conflict", "NotFound", "StartError", "FieldError", "field_error", "fault")
#: Names that people write themselves, and codes.
_WRITTEN = re.compile(r"`[^`]*`|LINEUP_\w+|\{\}|\bbring_to_head\b")


def _told_texts() -> Iterator[tuple[str, str]]:
    """(file and line, text) of each sentence in a call above; {} stands for inserted values."""
    for path in sorted((ROOT / "dashboard").rglob("*.py")):
        for node in nodes_of(path):
            name = getattr(getattr(node, "func", None), "id", None)
            if not isinstance(node, ast.Call) or name not in _TOLD:
                continue
            for given in [*node.args, *(keyword.value for keyword in node.keywords)]:
                parts = given.values if isinstance(given, ast.JoinedStr) else [given]
                texts = [getattr(part, "value", "") for part in parts]
                text = "".join(one if isinstance(one, str) else "{}" for one in texts)
                if " " in text:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def test_what_people_are_told_holds_no_name_of_the_code():
    """A replaced name must not be in a sentence either."""
    texts = list(_told_texts())
    assert len(texts) > 200
    named = [
        (where, text) for where, text in texts if re.search(r"[a-z]_[a-z]", _WRITTEN.sub("", text))
    ]
    assert named == []
