"""TCP ports on this machine."""

import socket

#: The bus port of a cluster's node is 10,000 higher, and must fit into 16 bits.
CLUSTER_PORT_MAX = 55_000


def free_port(maximum: int = 65_535) -> int:
    """Returns a port that was free a moment ago."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port <= maximum:
            return port


def is_taken(port: int) -> bool:
    """Whether a server listens on the port; the check costs almost nothing."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
