"""The accounts of sign-ins by a provider: linked, created, and kept as the provider says."""

import pytest

from dashboard.db.accounts import admins
from dashboard.db.accounts.oidc_accounts import is_bound
from dashboard.db.lists import query_lists, views
from dashboard.db.lists.views import Draft
from tests.dashboard.web.admin.sign_in.oidc.fake_provider import ISSUER
from tests.drivers.audit import acts, entries

MAI = "mai@example.com"


def account(driver, email=MAI):
    with driver.application.database.read() as connection:
        return admins.by_email(connection, email)


def desks_of(client) -> list[str] | None:
    team = client.get("/admin/api/team").json["team"]
    me = client.get("/admin/api/me").json["id"]
    return next(each["desks"] for each in team if each["id"] == me)


def test_the_first_sign_in_creates_an_account_without_a_password(stored):
    client, answer = stored.sign_in("mai", ["support"])
    assert answer.status_code == 303
    made = account(stored)
    assert (made.name, made.role) == ("Mai", "admin")
    assert desks_of(client) == ["main", "sales"]
    created, signed_in = entries(stored.application.database, beside="-")
    assert (created["action"], created["via"]) == ("account.created", "provider")
    said = {"name": "Mai", "role": "admin", "desks": ["main", "sales"], "method": "oidc"}
    assert created["data"] == said
    assert (signed_in["action"], signed_in["data"]) == ("signin.succeeded", {"method": "oidc"})
    assert signed_in["admin_id"] == made.id
    given = {"email": MAI, "password": ""}
    assert stored.application.client().post("/login", json=given).status_code == 401


def test_the_strongest_role_and_all_desks_count(stored):
    client, _ = stored.sign_in("mai", ["support", "billing", "unknown"])
    assert account(stored).role == "admin" and desks_of(client) is None, "these are all desks"
    client, _ = stored.sign_in("mai", ["billing", "leads"])
    assert account(stored).role == "supervisor"
    assert client.get("/admin/api/health").status_code == 200


def test_an_address_that_another_account_takes_meanwhile_refuses_the_sign_in(stored, monkeypatch):
    stored.sign_in("mai", ["leads"])
    stored.application.create_admin("Tran")
    monkeypatch.setattr(admins, "by_email", lambda *given: None)
    client, answer = stored.sign_in("mai", ["leads"], email="tran@example.com")
    assert answer.status_code == 403
    monkeypatch.undo()
    assert account(stored).name == "Mai" and client.get("/admin/api/me").status_code == 401


def test_name_address_role_and_desks_follow_the_provider(stored):
    stored.sign_in("mai", ["leads"])
    first = account(stored)
    client, _ = stored.sign_in("mai", ["billing"], name="Mai Tran", email="Tran@example.com")
    now = account(stored, "tran@example.com")
    assert now[:5] == (first.id, "tran@example.com", "Mai Tran", "admin", None)
    assert desks_of(client) == ["billing"]
    changed = {each["action"]: each["data"] for each in entries(stored.application.database)[1:]}
    assert changed == {
        "account.changed": {
            "name": {"from": "Mai", "to": "Mai Tran"},
            "email": {"from": MAI, "to": "tran@example.com"},
        },
        "account.role_changed": {"role": {"from": "supervisor", "to": "admin"}},
        "account.desks_changed": {"desks": {"from": [], "to": ["billing"]}},
    }
    stored.sign_in("mai", ["billing"], name="Mai Tran", email="Tran@example.com")
    assert len(entries(stored.application.database)) == 4, "nothing has changed"


def test_threads_at_desks_that_are_not_seen_any_more_are_released(stored):
    client, _ = stored.sign_in("mai", ["support"])
    thread = stored.application.say("t-1")
    assert client.post(f"/admin/api/threads/{thread}/claim", json={}).status_code == 200
    stored.sign_in("mai", ["billing"])
    stored.provider.claims |= {"groups": ["leads"]}
    chief, _ = stored.sign_in("chief", ["leads"])
    row = chief.get(f"/admin/api/threads?ids={thread}").json["rows"][0]
    assert row["assignee"] is None


def test_an_account_with_the_same_verified_address_is_linked_once(stored):
    id = stored.application.create_admin("Mai")
    client, answer = stored.sign_in("mai", ["support"])
    assert answer.status_code == 303 and client.get("/admin/api/me").json["id"] == id
    assert ("account.linked", str(id), MAI, {"method": "oidc"}) in acts(stored.application.database)
    # Another person who now has the address of one who left does not get the account.
    client, answer = stored.sign_in("another", ["support"], email=MAI)
    assert answer.status_code == 403 and b"belongs to another person" in answer.data
    assert client.get("/admin/api/me").status_code == 401


@pytest.mark.parametrize(
    "claims",
    [
        {"email_verified": False},
        {"email_verified": None},
        {"email_verified": "yes"},
        {"email": None},
        {"email": "no address"},
        {"email": ["mai@example.com"]},
    ],
)
def test_an_address_that_is_not_verified_links_and_creates_nothing(driver, claims):
    id = driver.application.create_admin("Mai")
    _, answer = driver.sign_in("mai", ["support"], **claims)
    assert answer.status_code == 403 and b"has not verified" in answer.data
    with driver.application.database.read() as connection:
        assert not is_bound(connection, ISSUER, id)
        assert len(admins.listing(connection)) == 1


def test_an_address_of_another_account_is_not_taken(driver):
    driver.application.create_admin("Ken")
    driver.sign_in("mai", ["support"])
    _, answer = driver.sign_in("mai", ["support"], email="ken@example.com")
    assert answer.status_code == 303 and account(driver).email == MAI


def test_a_disabled_account_stays_out(stored):
    stored.sign_in("mai", ["support"])
    id = account(stored).id
    stored.application.database.write(
        lambda connection: admins.disable(connection, id, stored.application.clock())
    )
    client, answer = stored.sign_in("mai", ["leads"])
    assert answer.status_code == 403 and b"is disabled" in answer.data
    assert client.get("/admin/api/me").status_code == 401
    assert account(stored).role == "admin", "nothing is changed"
    failed = acts(stored.application.database, beside="account.")[-1]
    assert failed[0] == "signin.failed" and failed[3]["reason"] == "account_disabled"


def test_a_disabled_account_is_not_linked(driver):
    id = driver.application.create_admin("Mai")
    driver.application.database.write(lambda connection: admins.disable(connection, id, 1))
    _, answer = driver.sign_in("mai", ["support"])
    assert answer.status_code == 403 and b"is disabled" in answer.data


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"name": "  Mai \n Tran "}, "Mai Tran"),
        ({"name": "x" * 200}, "x" * 128),
        ({"name": "\u202eevil", "preferred_username": "mai.t"}, "mai.t"),
        ({"name": None}, "mai"),
        ({"name": ["Mai"]}, "mai"),
    ],
)
def test_a_name_is_one_that_can_be_shown(driver, claims, name):
    driver.sign_in("mai", ["support"], **claims)
    assert account(driver).name == name


def test_a_desk_that_does_not_exist_is_left_out(driver, caplog):
    driver.application.services.oidc_provider.settings.groups["support"] = (
        driver.application.services.oidc_provider.settings.groups["support"]._replace(
            desks=frozenset({"main", "none"})
        )
    )
    client, _ = driver.sign_in("mai", ["support"])
    assert desks_of(client) == ["main"]
    assert "desks that do not exist" in caplog.text


def test_rows_with_a_name_that_the_provider_changed_are_sent_again(driver):
    """They have another revision: browsers and workers keep rows by it."""
    application = driver.application
    id = application.say("t-1")
    client, _ = driver.sign_in("mai", ["support"])
    assert client.post(f"/admin/api/threads/{id}/claim", json={}).status_code == 200
    url = f"/admin/api/threads?ids={id}"
    [before] = client.get(url).json["rows"]
    client, _ = driver.sign_in("mai", ["support"], name="Mai Tran")
    [after] = client.get(url).json["rows"]
    assert after["assignee"]["name"] == "Mai Tran" and after["rev"] > before["rev"]
    client, _ = driver.sign_in("mai", ["support"], name="Mai Tran")
    assert client.get(url).json["rows"] == [after]


def test_lists_follow_an_address_that_the_provider_changes(stored):
    stored.sign_in("mai", ["leads"])
    database, mai = stored.application.database, account(stored)
    draft = Draft("Of Mai", f"assigned:{MAI}", "arrival", "UTC", None)
    view = database.write(lambda connection: views.create(connection, draft, mai.id, 1))
    with database.read() as connection:
        assert view.list_id in query_lists.current(connection).lists
    stored.sign_in("mai", ["leads"], email="tran@example.com")
    with database.read() as connection:
        assert view.list_id not in query_lists.current(connection).lists
