"""What a browser says of the device that it runs on, when its socket connects."""

import re
from typing import Any

#: What a browser may call itself: the same for all its windows, and after a reload.
_DEVICE = re.compile("[A-Za-z0-9-]{8,64}")
_TYPES = ("web", "mobile", "tablet")
#: A tablet's browser does not say "Mobile", except for older iPads.
_TABLET = re.compile(r"iPad|Tablet|PlayBook|Silk(?!.*Mobile)|Android(?!.*Mobile)")
_PHONE = re.compile(r"Mobi|iPhone|iPod")


def device_of(auth: Any) -> str:
    """The browser's name, "" where it gives none that is allowed."""
    device = auth.get("device") if isinstance(auth, dict) else None
    return device if isinstance(device, str) and _DEVICE.fullmatch(device) else ""


def type_of(auth: Any, user_agent: str) -> str:
    """The kind of the device: what the page found out, else by the browser's name of itself.

    A page knows more: the browser of a new iPad calls itself that of a computer.
    """
    stated = auth.get("type") if isinstance(auth, dict) else None
    if stated in _TYPES:
        return str(stated)
    if _TABLET.search(user_agent):
        return "tablet"
    return "mobile" if _PHONE.search(user_agent) else "web"
