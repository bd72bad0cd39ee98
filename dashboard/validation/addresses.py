"""IP addresses: from which of them the same caller may come."""

import ipaddress

#: Whoever has an IPv6 address has all of its network.
_IPV6_NETWORK_BITS = 64


def network_of(address: str) -> str:
    """The address, or the network of 64 bits of one of IPv6; what is neither as it is."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _IPV6_NETWORK_BITS), strict=False).network_address)
