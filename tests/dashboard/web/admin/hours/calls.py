"""Calendars and policies as a supervisor saves them."""

API = "/admin/api"
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ALWAYS = {day: [["00:00", "24:00"]] for day in DAYS}
OFFICE = {"mon": [["09:00", "12:00"], ["22:00", "06:00"]], "tue": [["09:00", "17:30"]]}


def calendar(**given):
    return {"name": "Always", "timezone": "UTC", "week": ALWAYS, "exceptions": []} | given


def policy(calendar_id, **given):
    body = {"name": "Everybody", "query": "", "calendar": calendar_id}
    return body | {"first_reply": 30, "next_reply": 60} | given


def saved_calendar(client, **given):
    answer = client.post(f"{API}/calendars", json=calendar(**given))
    assert answer.status_code == 201, answer.json
    return answer.json["calendar"]


def saved_policy(client, calendar_id, **given):
    answer = client.post(f"{API}/policies", json=policy(calendar_id, **given))
    assert answer.status_code == 201, answer.json
    return answer.json["policy"]
