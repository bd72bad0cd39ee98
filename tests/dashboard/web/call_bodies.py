"""Valid bodies of requests that are long, or that several routes take."""

MESSAGE = {
    "id": "m-h",
    "type": "message",
    "thread": "t-1",
    "occurred_at": "2026-09-20T10:00:00Z",
    "customer": {
        "id": "c-1",
        "name": "Mai",
        "member_status": 2,
        "locale": "vi",
        "avatar_url": "https://cdn.example/a.png",
        "attributes": {"Plan": "Pro"},
    },
    "role": "client",
    "body": "hello",
    "private": False,
    "attachments": [{"url": "https://cdn.example/b.png", "type": "image/png", "name": "b"}],
}
ACT = {"id": "a-h", "thread": "t-1", "occurred_at": "2026-09-20T10:00:00Z"}
ADVICE = ACT | {"id": "s-h", "body": "Try this"}
SETTINGS = {
    "status": "busy",
    "text": "on the phone",
    "activity": "calls",
    "until": "2099-01-01T00:00:00Z",
    "visibility": "everyone",
    "show_last_seen": True,
    "show_typing": True,
}
PREFERENCES = {
    "view": "arrival",
    "saved": {"view": "v1", "sort": "arrival", "filter": "all"},
    "sorts": {"arrival": "arrival"},
    "filters": {"arrival": "all"},
    "theme": "dark",
    "locale": "vi",
    "timezone": "Asia/Tokyo",
    "follow": "off",
    "density": "compact",
    "send_key": "enter",
    "single_keys": True,
    "notify": {"sound": True, "views": ["arrival"]},
    "list_width": 300,
    "list_hint": False,
    "customer_panel": False,
}
RULES = [
    {"when": "is:waiting", "by": "waiting_since", "order": "oldest", "split": "member"},
    {"when": "", "by": "recent_at", "order": "newest"},
]
CALENDAR = {
    "name": "Office",
    "timezone": "Asia/Tokyo",
    "week": {"mon": [["09:00", "12:00"], ["22:00", "06:00"]]},
    "exceptions": [{"date": "2026-12-25", "intervals": [["10:00", "24:00"]]}],
}
POLICY = {"name": "VIPs", "query": "member:0", "calendar": 1, "first_reply": 30, "next_reply": 60}
VIEW = {"name": "Waiting", "query": "is:open", "sort": "arrival", "timezone": "Asia/Tokyo"}
PROVEN = {"password": "x", "code": "123456"}
QUEUE = {
    "view": "v1",
    "mode": "pull",
    "admins": ["main"],
    "take_within": 60,
    "delay": 30,
    "return": {"offline_after": 120, "which": "all"},
}
