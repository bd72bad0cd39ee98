"""The list of one's own sessions, and ending them."""

import pytest

from dashboard.db.accounts.sessions import connection_prefix, token_hash
from dashboard.web.admin.access.profile import browser_of, system_of
from presence.people import Connection
from presence.settings import Settings
from tests.dashboard.web.admin.profile.app import credentials, is_signed_in

SESSIONS = "/admin/api/profile/sessions"
EVERYWHERE = "/admin/api/profile/sign-out-everywhere"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0"
)
CHROME = (
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/131.0.0.0 Mobile Safari/537.36"
)


@pytest.fixture
def phone(dashboard, mai, clock):
    """Mai's other browser, a minute later, elsewhere."""
    clock.advance(60_000)
    client = dashboard.client()
    client.environ_base |= {"HTTP_USER_AGENT": IPHONE, "REMOTE_ADDR": "192.0.2.7"}
    assert client.post("/login", json=credentials()).status_code == 204
    return client


def listed(client):
    return client.get(SESSIONS).json["sessions"]


@pytest.mark.parametrize(
    ("user_agent", "browser", "system"),
    [
        (FIREFOX, "Firefox", "Linux"),
        (IPHONE, "Safari", "iOS"),
        (EDGE, "Edge", "Windows"),
        (CHROME, "Chrome", "Android"),
        (EDGE.replace("Edg/", "OPR/"), "Opera", "Windows"),
        ("curl/8.5.0", None, None),
        ("", None, None),
    ],
)
def test_a_device_is_named_in_words(user_agent, browser, system):
    assert (browser_of(user_agent), system_of(user_agent)) == (browser, system)


def test_each_session_says_where_and_when(mai, phone, clock):
    of_phone, of_desk = listed(phone)
    assert of_phone == {
        "id": of_phone["id"],
        "current": True,
        "browser": "Safari",
        "system": "iOS",
        "address": "192.0.2.7",
        "created_at": clock(),
        "last_used_at": clock(),
    }
    assert (of_desk["current"], of_desk["created_at"]) == (False, clock() - 60_000)
    clock.advance(1)
    assert [each["current"] for each in listed(mai)] == [True, False], "its use is noted"


def test_a_use_is_noted_once_a_minute(mai, clock):
    began = listed(mai)[0]["last_used_at"]
    clock.advance(59_999)
    assert listed(mai)[0]["last_used_at"] == began
    clock.advance(1)
    listed(mai)
    assert listed(mai)[0]["last_used_at"] == began + 60_000


def test_an_id_tells_nothing_of_the_token(mai):
    token = mai.get_cookie("lineup_session").value.rpartition(".")[0]
    id = listed(mai)[0]["id"]
    assert id not in token_hash(token).hex() and id not in token
    mai.set_cookie("lineup_session", id)
    assert not is_signed_in(mai)


def test_one_session_is_ended(mai, phone):
    other = next(each["id"] for each in listed(mai) if not each["current"])
    assert mai.delete(f"{SESSIONS}/{other}", json={}).status_code == 204
    assert is_signed_in(mai) and not is_signed_in(phone)
    assert mai.delete(f"{SESSIONS}/{other}", json={}).status_code == 404


def test_those_of_colleagues_are_as_if_they_were_not(dashboard, mai):
    ken = dashboard.sign_in("Ken")
    (theirs,) = listed(ken)
    assert theirs["id"] not in [each["id"] for each in listed(mai)]
    assert mai.delete(f"{SESSIONS}/{theirs['id']}", json={}).status_code == 404
    assert mai.delete(f"{SESSIONS}/{'0' * 32}", json={}).status_code == 404
    assert is_signed_in(ken)


@pytest.mark.parametrize(("this_too", "ended"), [(False, 1), (True, 2)])
def test_signing_out_everywhere_ends_all_but_this_one_or_all(mai, phone, this_too, ended):
    answer = mai.post(EVERYWHERE, json={"this_too": this_too})
    assert answer.json == {"ended": ended}
    assert not is_signed_in(phone) and is_signed_in(mai) is not this_too


def test_while_redis_is_away_sessions_end_all_the_same(dashboard, mai, phone):
    dashboard.server.connected = False
    assert mai.post(EVERYWHERE, json={}).json == {"ended": 1}
    assert not is_signed_in(phone)


def test_the_presence_of_a_session_that_was_ended_ends_at_once(dashboard, mai, phone):
    """R14: but not the presence of the session that ended it."""
    person = str(mai.get("/admin/api/me").json["id"])
    people = dashboard.presence_service.admins
    names = {}
    for client in (mai, phone):
        token = client.get_cookie("lineup_session").value.rpartition(".")[0]
        names[client] = connection_prefix(token_hash(token)) + "window"
        people.open(Connection(person, names[client]), Settings())
    mai.post(EVERYWHERE, json={})
    assert [one.id for one in people.connections_of(person)] == [names[mai]]
