"""The data that a page contains for its scripts."""

import json
import re


def boot(page):
    found = re.search(r'<script type="application/json" id="boot"[^>]*>(.*?)</script>', page, re.S)
    assert found, "there is no boot element"
    return json.loads(found[1])
