"""IP addresses: the network from which one caller may come."""

import ipaddress

#: The owner of an IPv6 address has all of its /64 network.
_IPV6_NETWORK_BITS = 64


def network_of(address: str) -> str:
    """Returns the /64 network of an IPv6 address; an IPv4 address or other text as it is."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _IPV6_NETWORK_BITS), strict=False).network_address)
