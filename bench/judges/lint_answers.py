"""httplint over the answers on stdin; runs in the environment of the judges' own programs.

Each answer is `{method, status, reason, headers, content}`, the content in base64. Prints for each
the notes that are warnings or mistakes, as `[name, summary]`.
"""

import base64
import json
import sys
from typing import Any

from httplint import HttpResponseLinter
from httplint.note import levels


def notes(answer: dict[str, Any]) -> list[tuple[str, str]]:
    linter = HttpResponseLinter()
    linter.is_head_response = answer["method"] == "HEAD"
    status, reason = str(answer["status"]).encode(), answer["reason"].encode()
    linter.process_response_topline(b"HTTP/1.1", status, reason)
    fields = [(name.encode(), value.encode("latin-1")) for name, value in answer["headers"]]
    linter.process_headers(fields)
    linter.feed_content(base64.b64decode(answer["content"]))
    linter.finish_content(True)
    return [
        (type(note).__name__, note.summary)
        for note in linter.notes
        if note.level in (levels.WARN, levels.BAD)
    ]


if __name__ == "__main__":
    print(json.dumps([notes(answer) for answer in json.load(sys.stdin)]))
