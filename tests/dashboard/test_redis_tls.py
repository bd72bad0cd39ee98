"""TLS, as `rediss://` and `rediss+cluster://` ask for, to real servers."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
import redis
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from dashboard.redis_clients import RedisClients
from tests.servers.ports import CLUSTER_PORT_MAX, free_port
from tests.servers.redis import RedisServer, start_redis
from tests.support import wait_until

pytestmark = [
    pytest.mark.real_redis,
    pytest.mark.skipif(
        os.environ.get("LINEUP_TEST_SERVER") == "packaged",
        reason="the server of the Python packages is built without TLS",
    ),
]
HOST = "localhost"
#: Nodes of a cluster are named by their addresses.
NAMES = [x509.DNSName(HOST), x509.IPAddress(ip_address("127.0.0.1"))]
#: Not in the certificate.
OTHER = "127.0.0.2"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """A certificate for this host that vouches for itself; its key is beside it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(NAMES), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "certificate.pem"
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    path.with_name("key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


class TlsServer:
    """A server that listens with TLS on `port`."""

    def __init__(self, folder: Path, certificate: Path, *options: str):
        self.port = free_port(CLUSTER_PORT_MAX)
        self.server: RedisServer = start_redis(
            folder,
            *("--tls-port", str(self.port), "--tls-auth-clients", "no"),
            *("--tls-cert-file", str(certificate), "--tls-ca-cert-file", str(certificate)),
            *("--tls-key-file", str(certificate.with_name("key.pem"))),
            *("--bind", "127.0.0.1", OTHER),
            *options,
        )


@pytest.fixture
def one(tmp_path, certificate) -> Iterator[TlsServer]:
    started = TlsServer(tmp_path, certificate)
    yield started
    started.server.close()


@pytest.fixture
def cluster(tmp_path, certificate) -> Iterator[TlsServer]:
    """One node that has all slots."""
    started = TlsServer(tmp_path, certificate, "--cluster-enabled", "yes", "--tls-cluster", "yes")
    client = started.server.client(decode_responses=True)
    client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16_383)
    wait_until(
        lambda: client.cluster("INFO")["cluster_state"] == "ok",
        what="the cluster having all slots",
    )
    yield started
    started.server.close()


def test_a_server_is_reached_with_tls(one, certificate):
    client = RedisClients(f"rediss://{HOST}:{one.port}/0?ssl_ca_certs={certificate}").new()
    client.set("key", "through TLS")
    assert one.server.client().get("key") == b"through TLS"


def test_a_certificate_that_nobody_vouches_for_is_refused(one):
    with pytest.raises(redis.ConnectionError, match="certificate verify failed"):
        RedisClients(f"rediss://{HOST}:{one.port}/0").new().ping()


def test_a_certificate_of_another_host_is_refused(one, certificate):
    with pytest.raises(redis.ConnectionError, match="certificate verify failed"):
        RedisClients(f"rediss://{OTHER}:{one.port}/0?ssl_ca_certs={certificate}").new().ping()


def test_each_node_of_a_cluster_is_reached_with_tls(cluster, certificate):
    url = f"rediss+cluster://{HOST}:{cluster.port}/?ssl_ca_certs={certificate}"
    client = RedisClients(url).new()
    client.set("key", "through TLS")
    assert cluster.server.client().get("key") == b"through TLS"
