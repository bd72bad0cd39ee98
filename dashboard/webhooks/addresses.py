"""Which IP addresses webhooks may be posted to: public ones, unless a setting allows more."""

import ipaddress
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

#: IANA's IPv4 Special-Purpose Address Registry (RFC 6890), each block with what it is for; and
#: multicast, which has a registry of its own. Blocks inside of others are left out. Python's
#: `ipaddress` counts some of them as global, and knows others only in later releases.
SPECIAL_IPV4 = {
    "0.0.0.0/8": "this network",
    "10.0.0.0/8": "private use",
    "100.64.0.0/10": "shared address space",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link local",
    "172.16.0.0/12": "private use",
    "192.0.0.0/24": "IETF protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "AS112",
    "192.52.193.0/24": "multicast tunnels (AMT)",
    "192.88.99.0/24": "6to4 relays, deprecated",
    "192.168.0.0/16": "private use",
    "192.175.48.0/24": "direct delegation AS112",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved, and the broadcast address",
}
#: IANA's IPv6 Special-Purpose Address Registry, as far as it lies inside of global unicast.
SPECIAL_IPV6 = {
    "2001::/23": "IETF protocol assignments, Teredo, ORCHID, benchmarking",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "2620:4f:8000::/48": "direct delegation AS112",
    "3fff::/20": "documentation",
}
#: All that IANA has given out as global unicast; the rest is loopback, unique local, link local,
#: site local, multicast, segment routing, discard, translation and reserved.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
#: Addresses that a translator turns into the IPv4 address in their last 32 bits.
_IPV4_INSIDE = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
#: Interface ids of ISATAP: these 32 bits, then an IPv4 address.
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


def is_public(text: str) -> bool:
    """Whether `text` is an IP address of the public internet.

    An IPv6 address that stands for an IPv4 address (mapped, NAT64) counts as that one, and one
    with an IPv4 address in it (ISATAP) is public only where that one is.
    """
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return not _is_in(address, _SPECIAL_IPV4)
    inside = IPv4Address(int(address) & 0xFFFF_FFFF)
    if _is_in(address, _IPV4_INSIDE):
        return not _is_in(inside, _SPECIAL_IPV4)
    if (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP and _is_in(inside, _SPECIAL_IPV4):
        return False
    return address in _GLOBAL_UNICAST and not _is_in(address, _SPECIAL_IPV6)


def _is_in(
    address: IPv4Address | IPv6Address, networks: Iterable[IPv4Network | IPv6Network]
) -> bool:
    return any(address in network for network in networks)


_SPECIAL_IPV4 = tuple(map(IPv4Network, SPECIAL_IPV4))
_SPECIAL_IPV6 = tuple(map(IPv6Network, SPECIAL_IPV6))
