"""The origins and hosts that count as our own."""

import pytest

from dashboard.cli.serve import warn_of_plain_http
from dashboard.errors import Problem
from dashboard.web.http.origins import Origins


def takes_host(origins, host):
    try:
        origins.check_host({"HTTP_HOST": host})
    except Problem as problem:
        assert problem.code == "untrusted_host"
        return False
    return True


def takes_origin(origins, origin, **sent):
    try:
        origins.check_origin({"HTTP_ORIGIN": origin, **sent})
    except Problem as problem:
        assert problem.code == "csrf_failed"
        return False
    return True


def test_by_default_this_computer_at_the_port_served():
    origins = Origins((), 8000)
    for host in ("localhost:8000", "127.0.0.1:8000", "LOCALHOST:8000"):
        assert takes_host(origins, host)
        assert takes_origin(origins, f"http://{host}")
    for host in ("localhost", "localhost:5000", "evil.example:8000", "", "localhost:8000.evil"):
        assert not takes_host(origins, host)
        assert not takes_origin(origins, f"http://{host}")
    assert not takes_origin(origins, "https://localhost:8000")


def test_the_usual_port_may_be_left_out_or_not():
    origins = Origins(("https://desk.example",), 5000)
    assert takes_host(origins, "desk.example") and takes_host(origins, "desk.example:443")
    assert not takes_host(origins, "desk.example:5000")
    assert takes_origin(origins, "https://desk.example")
    assert not takes_origin(origins, "http://desk.example")
    assert takes_origin(Origins((), 80), "http://localhost")


def test_an_origin_with_the_usual_port_is_the_one_without_it():
    origins = Origins(("https://desk.example:443", "http://desk.example:81"), 5000)
    assert origins.first == "https://desk.example"
    assert takes_host(origins, "desk.example") and takes_host(origins, "desk.example:443")
    assert takes_origin(origins, "https://desk.example")
    assert takes_origin(origins, "http://desk.example:81")


@pytest.mark.parametrize("origin", ["", "null", "http://localhost:8000, http://evil.example"])
def test_what_names_no_page_of_ours_is_refused(origin):
    assert not takes_origin(Origins((), 8000), origin)


def test_what_the_browser_says_to_be_of_another_site_is_refused():
    """Row 80: where the two headers differ, the stricter one counts."""
    for site, is_taken in (("same-origin", True), ("none", True), ("cross-site", False)):
        sent = {"HTTP_SEC_FETCH_SITE": site}
        assert takes_origin(Origins((), 8000), "http://localhost:8000", **sent) == is_taken


def test_what_names_no_page_at_all_is_refused():
    with pytest.raises(Problem) as raised:
        Origins((), 8000).check_origin({})
    assert raised.value.code == "csrf_failed"


def test_an_origin_that_is_sent_twice_is_one():
    assert takes_origin(Origins((), 8000), "http://localhost:8000,http://localhost:8000")


@pytest.mark.parametrize(
    ("origin", "is_insecure"),
    [
        ("http://desk.test:8000", True),
        ("http://192.168.1.20:8000", True),
        ("http://localhost.evil.example", True),
        ("http://[fe80::1]:80", True),
        ("HTTP://DESK.TEST", True),
        ("https://desk.example", False),
        ("http://localhost:8000", False),
        ("http://desk.localhost", False),
        ("http://127.0.0.9:8000", False),
        ("http://[::1]:8000", False),
    ],
)
def test_the_start_says_what_does_not_work_under_an_address_without_https(
    origin, is_insecure, caplog
):
    warn_of_plain_http([origin])
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == is_insecure
    assert all(origin in text and "not https" in text and "notifications" in text for text in said)
