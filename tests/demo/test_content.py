"""The texts of the demo."""

import string
import unicodedata
from random import Random

import pytest

from demo.content import LOCALES, Phrases, phrases

CLIENT_KINDS = ("follow_ups", "replies", "person", "thanks", "again", "spam")
OTHER_KINDS = ("outreach", "bot", "passing_on", "admin", "note", "system")


def client_sentences(texts: Phrases) -> list[str]:
    asked = [text for topic in texts.topics for text in texts.lines("ask", topic)]
    return asked + [text for kind in CLIENT_KINDS for text in texts.lines(kind)]


@pytest.mark.parametrize("locale", LOCALES)
def test_each_language_has_many_sentences_of_customers_and_none_twice(locale):
    sentences = client_sentences(phrases(locale))
    assert len(sentences) >= 60
    assert len(set(sentences)) == len(sentences)


@pytest.mark.parametrize("locale", LOCALES)
def test_every_place_in_a_sentence_has_something_to_fill_it(locale):
    texts = phrases(locale)
    sentences = client_sentences(texts)
    sentences += [text for kind in OTHER_KINDS for text in texts.lines(kind)]
    sentences += [
        text
        for topic in texts.topics
        for role in ("bot", "admin")
        for text in texts.lines(role, topic)
    ]
    details = texts.details(Random(1))
    for text in sentences:
        places = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        assert places <= details.keys(), text


def test_the_languages_talk_about_the_same_topics():
    assert len({phrases(locale).topics for locale in LOCALES}) == 1


def test_rare_names_hold_what_tries_a_page():
    rare = [name for locale in LOCALES for name in phrases(locale)._names["rare"]]
    assert any(unicodedata.bidirectional(character) == "R" for name in rare for character in name)
    assert any(unicodedata.combining(character) for name in rare for character in name)
    assert any(ord(character) > 0xFFFF for name in rare for character in name)
    assert max(map(len, rare)) > 50


def test_a_greeting_goes_before_a_sentence_as_the_language_has_it():
    greeted = phrases("vi").greeted(Random(3), "Đơn của em đâu ạ?")
    assert greeted.endswith(", đơn của em đâu ạ?")
