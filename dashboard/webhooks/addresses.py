"""Checks addresses of webhooks: whether a host is valid, and whether an IP address is public."""

import ipaddress
import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import idna

_HOST_MAX, _LABEL_MAX = 253, 63
#: Letters, digits and hyphens; names within a network of containers have underscores, too.
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")
#: A last label that makes programs read the whole host as a number (URL Standard of WHATWG).
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")

#: IANA's IPv4 Special-Purpose Address Registry (RFC 6890), each block with its purpose; and
#: multicast, which has its own registry. Blocks inside of others are left out. Python's `ipaddress`
#: counts some of them as global, and knows others only in later releases.
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
#: All blocks that IANA has assigned as global unicast; the rest is loopback, unique local, link
#: local, site local, multicast, segment routing, discard, translation and reserved.
_GLOBAL_UNICAST = IPv6Network("2000::/3")
#: Addresses that a translator turns into the IPv4 address in their last 32 bits.
_IPV4_INSIDE = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
#: Interface ids of ISATAP: these 32 bits, then an IPv4 address.
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


def host_fault(netloc: str) -> str | None:
    """Returns the reason why the host of a URL, without its port, is not valid; None if it is.

    DNS names are valid, and IP addresses in their usual form: programs read other forms in
    different ways. A label in Punycode must be valid by IDNA 2008.
    """
    if netloc.startswith("["):
        return _ipv6_fault(netloc)
    labels = netloc.split(".")
    if not netloc.isascii():
        return _unicode_fault(netloc)
    if len(netloc) > _HOST_MAX:
        return f"has a host of {len(netloc)} characters; the limit is {_HOST_MAX}"
    if len(labels) > 1 and not labels[-1]:
        return "has a host that ends with a dot"
    if _NUMBER.fullmatch(labels[-1]):
        is_usual = _is_usual_ipv4(netloc)
        return None if is_usual else f"has the host “{netloc}”, which is not an IP address"
    return next(filter(None, map(_label_fault, labels)), None)


def _label_fault(label: str) -> str | None:
    if not label:
        return "has a host with an empty label, between two dots"
    if len(label) > _LABEL_MAX:
        return f"has a host with a label of {len(label)} characters; the limit is {_LABEL_MAX}"
    if not _LABEL.fullmatch(label):
        return f"has a host with the label “{label}”: use letters, digits and hyphens"
    if not label.lower().startswith("xn--"):
        return None
    try:
        is_same = idna.alabel(idna.ulabel(label.lower())) == label.lower().encode()
    except (idna.IDNAError, UnicodeError):
        is_same = False
    return None if is_same else f"has a host with the label “{label}”, which is not valid Punycode"


def _unicode_fault(host: str) -> str:
    try:
        written = idna.encode(host, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        return f"has the host “{host}”, which is not a DNS name (IDNA 2008)"
    return f"has a host in Unicode: write “{written}”"


def _ipv6_fault(host: str) -> str | None:
    try:
        address = IPv6Address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        address = None
    is_whole = address is not None and address.scope_id is None and host.endswith("]")
    return None if is_whole else f"has the host “{host}”, which is not an IP address"


def _is_usual_ipv4(host: str) -> bool:
    try:
        return str(IPv4Address(host)) == host
    except ValueError:
        return False


def is_public(text: str) -> bool:
    """Whether `text` is an IP address of the public internet.

    An IPv6 address that stands for an IPv4 address (mapped, NAT64) counts as that one, and one
    with an IPv4 address in it (ISATAP) is public only if that one is.
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
