"""Events are parsed as the bot API describes them; every error has its code and pointer."""

import pytest

from dashboard.errors import Invalid, Problem
from dashboard.ingest.schema import BATCH_MAX, parse, parse_request

MESSAGE = {
    "id": "m-1",
    "type": "message",
    "thread": "t-1",
    "occurred_at": "2026-11-20T10:00:00.123Z",
    "customer": {"id": "c-7"},
    "role": "client",
    "body": "Xin chào",
}
CLOSE = {
    "id": "x-1",
    "type": "thread.close",
    "thread": "t-1",
    "occurred_at": "2026-11-20T10:00:00Z",
}
RECEIPT = {
    "id": "r-1",
    "type": "receipt",
    "message_id": 7,
    "state": "read",
    "occurred_at": "2026-11-20T10:00:00Z",
}
MISSING = object()


def changed(event: dict, path: str, value) -> dict:
    """A copy of the event with another value at `a/b`, or without it."""
    name, _, rest = path.partition("/")
    copy = dict(event)
    if rest:
        copy[name] = changed(copy[name], rest, value)
    elif value is MISSING:
        del copy[name]
    else:
        copy[name] = value
    return copy


def faults(document) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as found:
        parse(document)
    assert found.value.status == 422
    assert found.value.code == found.value.errors[0].code
    return [(error.pointer, error.code) for error in found.value.errors]


def test_a_message_is_read_with_its_defaults():
    event = parse(MESSAGE)
    assert (event.id, event.thread, event.customer, event.role) == ("m-1", "t-1", "c-7", "client")
    assert event.occurred_at == 1_795_168_800_123
    assert (event.private, event.attachments, event.customer_fields) == (False, [], {})


def test_a_customer_field_that_is_null_differs_from_one_left_out():
    said = {"id": "c-7", "name": None, "member_status": -1}
    assert parse(MESSAGE | {"customer": said}).customer_fields == {
        "name": None,
        "member_status": -1,
    }


@pytest.mark.parametrize("role", ["client", "bot", "system"])
def test_private_is_ignored_unless_an_admin_wrote(role):
    assert parse(MESSAGE | {"role": role, "private": True}).private is False
    assert parse(MESSAGE | {"role": "admin", "private": True}).private is True


def test_every_type_of_event_is_understood():
    assert parse(CLOSE).type == "thread.close"
    assert parse(CLOSE | {"type": "thread.reopen"}).thread == "t-1"
    assert parse(CLOSE | {"type": "thread.handoff"}).thread == "t-1"
    assert parse(CLOSE | {"type": "thread.priority", "priority": "low"}).data == {"priority": "low"}
    assert parse(RECEIPT).data == {"message_id": 7, "state": "read"}
    customer = {"id": "c-1", "name": "Mai"}
    event = {"id": "e", "type": "customer", "occurred_at": CLOSE["occurred_at"]}
    assert parse(event | {"customer": customer}).customer_fields == {"name": "Mai"}


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("id", MISSING, "missing_field"),
        ("id", None, "missing_field"),
        ("thread", None, "missing_field"),
        ("customer", MISSING, "missing_field"),
        ("customer/id", MISSING, "missing_field"),
        ("role", None, "missing_field"),
        ("body", MISSING, "missing_field"),
        ("body", None, "missing_field"),
        ("type", None, "missing_field"),
        ("occurred_at", MISSING, "missing_field"),
        ("extra", 1, "unknown_field"),
        ("__proto__", {}, "unknown_field"),
        ("constructor", 1, "unknown_field"),
        ("prototype", 1, "unknown_field"),
        ("customer/extra", 1, "unknown_field"),
        ("message_id", 1, "unknown_field"),
        ("id", 5, "wrong_type"),
        ("body", 5, "wrong_type"),
        ("body", ["x"], "wrong_type"),
        ("private", 1, "wrong_type"),
        ("private", "true", "wrong_type"),
        ("private", None, "wrong_type"),
        ("customer", "c-7", "wrong_type"),
        ("customer", ["c-7"], "wrong_type"),
        ("attachments", {}, "wrong_type"),
        ("attachments", None, "wrong_type"),
        ("role", 5, "wrong_type"),
        ("type", 5, "wrong_type"),
        ("occurred_at", True, "wrong_type"),
        ("customer/member_status", "5", "wrong_type"),
        ("customer/member_status", True, "wrong_type"),
        ("customer/member_status", 1.0, "wrong_type"),
        ("customer/member_status", -0.0, "wrong_type"),
        ("customer/member_status", None, "wrong_type"),
        ("customer/member_status", 6, "number_out_of_range"),
        ("customer/member_status", -2, "number_out_of_range"),
        ("customer/member_status", 2**53, "number_out_of_range"),
        ("customer/member_status", -(2**63) - 1, "number_out_of_range"),
        ("id", "", "invalid_id"),
        ("id", " ", "invalid_id"),
        ("id", " m-1", "invalid_id"),
        ("id", "m*[1]{}", "invalid_id"),
        ("id", "m/1", "invalid_id"),
        ("id", "ｍ", "invalid_id"),
        ("id", "m\n", "invalid_id"),
        ("thread", "t 1", "invalid_id"),
        ("customer/id", "é", "invalid_id"),
        ("id", "m" * 129, "too_long"),
        ("id", "m\0", "forbidden_character"),
        ("id", "m\ud800", "invalid_unicode"),
        ("body", "x" * 20_001, "too_long"),
        ("body", "a\0b", "forbidden_character"),
        ("body", "a\x1b[2Jb", "forbidden_character"),
        ("body", "a\x7fb", "forbidden_character"),
        ("body", "a\x85b", "forbidden_character"),
        ("body", "a\ud800b", "invalid_unicode"),
        ("body", "", "empty_text"),
        ("body", " \n\t\u3000", "empty_text"),
        ("body", "\u200b\u2800\u202e", "empty_text"),
        ("customer/name", "", "empty_text"),
        ("customer/name", "x" * 201, "too_long"),
        ("customer/name", "a\x00", "forbidden_character"),
        ("customer/name", 5, "wrong_type"),
        ("customer/locale", "vi VN", "unknown_value"),
        ("customer/locale", "x" * 40, "too_long"),
        ("customer/avatar_url", "http://x.example/a", "unknown_value"),
        ("customer/avatar_url", "javascript:alert(1)", "unknown_value"),
        ("customer/avatar_url", "https://", "unknown_value"),
        ("customer/avatar_url", "https://[x", "unknown_value"),
        ("customer/avatar_url", "https://x.example/a b", "unknown_value"),
        ("type", "messages", "unknown_value"),
        ("role", "agent", "unknown_value"),
        ("occurred_at", 1_763_640_000, "invalid_timestamp"),
        ("occurred_at", 1.5, "invalid_timestamp"),
        ("occurred_at", "2026-01-01T00:00:00", "invalid_timestamp"),
        ("occurred_at", "2026-01-01", "invalid_timestamp"),
        ("occurred_at", "1970-01-01T00:00:00Z", "timestamp_out_of_range"),
        ("occurred_at", "2101-01-01T00:00:00Z", "timestamp_out_of_range"),
        ("attachments", [{"url": "http://x.example"}], "unknown_value"),
        ("attachments", [{"type": "image/png"}], "missing_field"),
        ("attachments", [{"url": "https://x.example", "type": "png"}], "unknown_value"),
        ("attachments", [{"url": "https://x.example"}] * 11, "too_long"),
    ],
)
def test_each_fault_of_a_message_has_its_code_and_place(path, value, code):
    found = faults(changed(MESSAGE, path, value))
    assert [fault for _, fault in found] == [code]
    assert found[0][0].startswith(f"/{path}")


@pytest.mark.parametrize(
    ("type", "member"), [("thread.suggestion", "for_message"), ("thread.summary", "through")]
)
def test_advice_names_a_message_by_a_text_or_a_number(type, member):
    advice = CLOSE | {"type": type, "body": "Try this", member: "m-1"}
    for name in ("m-1", "7", 7, 2**53 - 1):
        parsed = parse(advice | {member: name})
        assert (parsed.body, parsed.role, parsed.data) == ("Try this", None, {member: name})
    assert parse(advice | {member: 7}).fingerprint != parse(advice | {member: "7"}).fingerprint
    for name, code in (
        (MISSING, "missing_field"),
        (None, "missing_field"),
        ("", "invalid_id"),
        ("a/b", "invalid_id"),
        ("m\ud800", "invalid_unicode"),
        (True, "wrong_type"),
        (1.0, "wrong_type"),
        (["m-1"], "wrong_type"),
        (0, "number_out_of_range"),
        (2**53, "number_out_of_range"),
    ):
        assert faults(changed(advice, member, name)) == [(f"/{member}", code)], name
    for body, code in (("", "empty_text"), (" \u200b\n", "empty_text"), ("x" * 20_001, "too_long")):
        assert faults(advice | {"body": body}) == [("/body", code)]


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("message_id", 0, "number_out_of_range"),
        ("message_id", -1, "number_out_of_range"),
        ("message_id", 2**53, "number_out_of_range"),
        ("message_id", "7", "wrong_type"),
        ("message_id", None, "missing_field"),
        ("state", "seen", "unknown_value"),
    ],
)
def test_each_fault_of_a_receipt_has_its_code_and_place(path, value, code):
    assert faults(changed(RECEIPT, path, value)) == [(f"/{path}", code)]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("body", "x" * 20_000),
        ("body", "😀" * 20_000),
        ("body", "a\n\tb\r\n"),
        ("body", "\ufffe \ue000 \u202e \u200d"),
        ("id", "m" * 128),
        ("id", "A-z.0_9:-"),
        ("customer/name", None),
        ("customer/name", "Zoë 👩🏽‍🚀"),
        ("customer/locale", "zh-Hant-TW"),
        ("customer/avatar_url", "https://x.example/a?b=c#d"),
        ("customer/avatar_url", None),
        ("customer/member_status", 5),
        ("occurred_at", "2099-01-01T00:00:00Z"),
        ("attachments", [{"url": "https://x.example"}] * 10),
    ],
)
def test_what_is_unusual_but_right_is_taken(path, value):
    parse(changed(MESSAGE, path, value))


def test_with_an_attachment_the_body_may_be_empty_or_left_out():
    with_one = MESSAGE | {"attachments": [{"url": "https://x.example"}]}
    assert parse(with_one | {"body": ""}).body == ""
    assert parse(changed(with_one, "body", MISSING)).body == ""


@pytest.mark.parametrize("document", [None, 5, "x", True, [], [MESSAGE]])
def test_a_document_that_is_no_object_is_of_the_wrong_type(document):
    assert faults(document) == [("", "wrong_type")]


def test_all_faults_are_answered_at_once_up_to_twenty():
    assert faults(MESSAGE | {"id": "", "role": "x", "extra": 1}) == [
        ("/id", "invalid_id"),
        ("/role", "unknown_value"),
        ("/extra", "unknown_field"),
    ]
    assert len(faults(MESSAGE | {f"x{number}": 1 for number in range(1_000)})) == 20


def test_pointers_escape_and_cut_the_senders_keys():
    assert faults(MESSAGE | {"a/b~c": 1}) == [("/a~1b~0c", "unknown_field")]
    assert len(faults(MESSAGE | {"k" * 5_000: 1})[0][0]) < 100
    assert faults(MESSAGE | {"\ud800": 1})[0][1] == "invalid_unicode"


@pytest.mark.parametrize("path", ["id", "role", "type", "occurred_at", "customer/locale"])
def test_an_error_quotes_at_most_a_hundred_characters(path):
    with pytest.raises(Invalid) as found:
        parse(changed(MESSAGE, path, "<" * 30 + "y" * 9_000))
    assert "y" * 101 not in str(found.value.body("/api/v1/events"))


def test_the_fingerprint_is_of_what_was_meant_not_of_how_it_was_written():
    same = [
        MESSAGE | {"occurred_at": "2026-11-20T17:00:00.123+07:00"},
        MESSAGE | {"occurred_at": "2026-11-20t10:00:00.1239z"},
        MESSAGE | {"private": False, "attachments": []},
        MESSAGE | {"private": True},
        MESSAGE | {"customer": {"id": "c-7", "attributes": None}},
        dict(reversed(MESSAGE.items())),
    ]
    other = [
        MESSAGE | {"occurred_at": "2026-11-20T10:00:00.124Z"},
        MESSAGE | {"body": "xin chào"},
        MESSAGE | {"customer": {"id": "c-7", "name": None}},
        MESSAGE | {"customer": {"id": "c-7", "member_status": -1}},
        MESSAGE | {"customer": {"id": "c-7", "attributes": {}}},
        MESSAGE | {"customer": {"id": "c-7", "attributes": {"Plan": "Pro"}}},
        MESSAGE | {"role": "admin"},
        MESSAGE | {"role": "admin", "private": True},
        MESSAGE | {"attachments": [{"url": "https://x.example"}]},
    ]
    prints = [parse(event).fingerprint for event in [MESSAGE, *same]]
    assert len(set(prints)) == 1
    assert len({parse(event).fingerprint for event in [MESSAGE, *other]}) == len(other) + 1


def test_attributes_are_ordered_by_name_and_their_order_makes_no_other_event():
    """A retry may come from a store that sorts the members of objects."""
    one, other = (
        parse(changed(MESSAGE, "customer/attributes", dict(pairs)))
        for pairs in ([("Plan", "Pro"), ("Age", "3")], [("Age", "3"), ("Plan", "Pro")])
    )
    assert [*one.customer_fields["attributes"]] == ["Age", "Plan"]
    assert one.fingerprint == other.fingerprint


AT = "/customer/attributes"


@pytest.mark.parametrize(
    ("attributes", "fault"),
    [
        ({f"N{number}": "x" for number in range(31)}, (AT, "too_long")),
        ({"": "x"}, (f"{AT}/", "empty_text")),
        ({"a" * 41: "x"}, (f"{AT}/{'a' * 40}", "too_long")),
        ({"Plan": "x" * 301}, (f"{AT}/Plan", "too_long")),
        ({"Plan": ""}, (f"{AT}/Plan", "empty_text")),
        ({"Plan": "two\nlines"}, (f"{AT}/Plan", "forbidden_character")),
        ({"a\x00b": "x"}, (f"{AT}/a\x00b", "forbidden_character")),
        ({"Orders": 3}, (f"{AT}/Orders", "wrong_type")),
        ([["Plan", "Pro"]], (AT, "wrong_type")),
    ],
)
def test_attributes_are_at_most_thirty_pairs_of_short_texts(attributes, fault):
    assert faults(changed(MESSAGE, "customer/attributes", attributes)) == [fault]
    most = {f"{number:02}{'n' * 38}": "v" * 300 for number in range(30)}
    event = parse(changed(MESSAGE, "customer/attributes", most))
    assert event.customer_fields == {"attributes": most}


def test_fingerprints_stay_what_they_are():
    """Ids are unique for ever: a new version must know the events that an old one stored."""
    assert parse(MESSAGE).fingerprint.hex().startswith(KNOWN_FINGERPRINT)


KNOWN_FINGERPRINT = "8e726597d2c3ecba"


def test_a_batch_is_parsed_event_by_event():
    batch, items = parse_request({"events": [MESSAGE, 5, MESSAGE | {"body": ""}]})
    assert batch is True
    assert [isinstance(item, Invalid) for item in items] == [False, True, True]
    assert [item.errors[0].pointer for item in items[1:]] == ["/events/1", "/events/2/body"]


@pytest.mark.parametrize(
    ("document", "status", "code"),
    [
        ({"events": []}, 422, "batch_empty"),
        ({"events": {}}, 422, "wrong_type"),
        ({"events": None}, 422, "wrong_type"),
        ({"events": [MESSAGE], "id": "m-1"}, 422, "unknown_field"),
        ({"events": [MESSAGE] * (BATCH_MAX + 1)}, 413, "batch_too_large"),
        ({"events": [None] * 10_000}, 413, "batch_too_large"),
    ],
)
def test_a_batch_that_is_none_is_refused_whole(document, status, code):
    with pytest.raises(Problem) as found:
        parse_request(document)
    assert (found.value.status, found.value.code) == (status, code)


@pytest.mark.parametrize(
    ("given", "tag"),
    [
        ("vi", "vi"),
        ("en-gb", "en-gb"),
        ("zh-Hant-TW", "zh-Hant-TW"),
        ("pt_BR", "pt-BR"),
        ("pt_br", "pt-BR"),
        ("zh_Hans_CN", "zh-Hans-CN"),
        ("zh_hans_cn", "zh-Hans-CN"),
        ("zh-Hans_CN", "zh-Hans-CN"),
        ("en_US.UTF-8", "en-US"),
        ("ja_JP.eucJP", "ja-JP"),
        ("de_DE@euro", "de-DE"),
        ("sr_RS@latin", "sr-Latn-RS"),
        ("sr_RS.UTF-8@latin", "sr-Latn-RS"),
        ("vi.UTF-8", "vi"),
        ("es_419", "es-419"),
        ("es_LA", "es-LA"),
        ("ca_ES_valencia", "ca-ES-valencia"),
    ],
)
def test_a_locale_is_taken_as_the_language_tag_that_it_stands_for(given, tag):
    event = parse(changed(MESSAGE, "customer/locale", given))
    assert event.customer_fields == {"locale": tag}


@pytest.mark.parametrize(
    "locale", ["", "C", "C.UTF-8", "p", "vi-", "_BR", "pt__BR", "pt_BR.", "pt_BR@", "123", "vi VN"]
)
def test_what_is_no_locale_is_said_to_be_no_language_tag(locale):
    with pytest.raises(Invalid) as found:
        parse(changed(MESSAGE, "customer/locale", locale))
    [error] = found.value.errors
    assert (error.pointer, error.code) == ("/customer/locale", "unknown_value")
    assert "is not a language tag such as en-GB" in error.detail
