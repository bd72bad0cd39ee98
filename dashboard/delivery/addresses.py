"""Which addresses webhooks may go to: those of the public internet, unless settings say more."""

import ipaddress
from ipaddress import IPv4Address, IPv6Address, IPv6Network

_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(text: str) -> bool:
    """Whether an IP address belongs to somebody out there.

    Addresses that carry another one inside are judged by that one.
    """
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    address = _carried(address)
    is_special = (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
    )
    return address.is_global and not is_special


def _carried(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else address)
