"""The findings that stay, each with its reason; one without a row here fails `make judges`."""

from bench.judges.judge import Accepted

ACCEPTED = (
    Accepted(
        "websockets",
        "INFORMATIONAL / INFORMATIONAL",
        "7.1.6",
        "The case sends 256 KiB and a close frame, and judges nothing. Lineup takes 64 KiB a"
        " message: it closes with 1009.",
    ),
    Accepted(
        "websockets",
        "INFORMATIONAL / INFORMATIONAL",
        "7.13.*",
        "RFC 6455 says nothing about close codes above 4999, and the case judges nothing. Lineup"
        " closes as after a wrong code.",
    ),
    Accepted(
        "lighthouse",
        "label-content-name-mismatch",
        "dashboard, *",
        "An experimental rule, without weight in the score. The axe-core of Lighthouse also wants"
        " the letter of a face and the number of a badge in the name. Both are hidden from screen"
        " readers: the name of a row says them in words, in the order of a sentence.",
    ),
    Accepted(
        "http",
        "CREATED_WITHOUT_LOCATION",
        "event, taken",
        "An event has no address of its own. The answer holds its id and that of its thread.",
    ),
    Accepted(
        "http",
        "STATUS_BAD_REQUEST",
        "*",
        "The linter notes each 400; these requests are wrong on purpose.",
    ),
)
