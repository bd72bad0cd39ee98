"""Who was seen lately, as the dashboard's panel asks for it: each admin as far as they may know."""

from presence.people import Connection
from presence.settings import Settings

ONLINE = "/admin/api/presence/online"


def test_supervisors_see_who_hides_and_others_not_even_in_the_total(dashboard):
    """Rule 4: supervisors see the truth. Rule 9: totals leave out who is hidden."""
    people = dashboard.attendance.customers
    hidden = {"nobody": {"visibility": "nobody"}, "contacts": {"visibility": "contacts"}}
    for name, changes in {"open": {}, **hidden}.items():
        people.open(Connection(f"shop/{name}", "d"), Settings().changed(changes, 0))
    seen = {
        role: dashboard.sign_in(role.capitalize(), role).get(ONLINE).json
        for role in ("admin", "supervisor")
    }
    listed = {role: {one["id"] for one in page["customers"]} for role, page in seen.items()}
    assert listed == {
        "admin": {"shop/open"},
        "supervisor": {"shop/open", *map("shop/{}".format, hidden)},
    }
    assert {role: page["total"] for role, page in seen.items()} == {"admin": 1, "supervisor": 3}


def test_pages_of_500_are_so_many_a_minute_whichever_window_asks(dashboard):
    mai = dashboard.sign_in("Mai")
    answers = [mai.get(ONLINE, query_string={"limit": 500}) for _ in range(40)]
    assert {answer.status_code for answer in answers[:20]} == {200}
    [code] = {answer.status_code for answer in answers} - {200}
    assert code == 429
    assert dashboard.sign_in("Lan").get(ONLINE).status_code == 200
