"""LINEUP_REDIS_URL names one server, a cluster, or what Sentinels watch; a wrong part is named."""

import pytest
from redis import SSLConnection

from dashboard.errors import StartError
from dashboard.redis_url import redis_address


@pytest.mark.parametrize(
    "url", ["redis://h", "rediss://u:p@h:1/2?protocol=3", "unix:///a.sock?db=2"]
)
def test_one_server_is_left_to_redis_py(url):
    address = redis_address(url)
    assert (address.kind, address.url, address.nodes) == ("server", url, ())


def test_a_cluster_is_named_by_some_of_its_nodes():
    address = redis_address("redis+cluster://h1:7000,h2,[::1]:7002/")
    assert address.kind == "cluster"
    assert address.nodes == (("h1", 7000), ("h2", 6379), ("::1", 7002))
    assert address.options == {}


def test_sentinels_are_named_with_the_master_and_its_database():
    address = redis_address("redis+sentinel://s1:1,s2/my%20master/3")
    assert address.kind == "sentinel"
    assert address.nodes == (("s1", 1), ("s2", 26379))
    assert (address.service, address.options) == ("my master", {"db": 3})
    assert redis_address("redis+sentinel://s1/m").options == {"db": 0}


def test_user_and_password_are_those_of_the_servers():
    address = redis_address("redis+cluster://anna:p%40ss@h1,h2/0")
    assert address.options == {"username": "anna", "password": "p@ss"}
    assert address.nodes == (("h1", 6379), ("h2", 6379))
    assert "p@ss" not in str(address) and "h2:6379" in str(address)


def test_sentinels_have_credentials_of_their_own():
    url = "rediss+sentinel://u:p@s1/m?sentinel_username=v&sentinel_password=q&ssl_ca_certs=ca.pem"
    address = redis_address(url)
    tls = {"connection_class": SSLConnection, "ssl_ca_certs": "ca.pem"}
    assert address.options == {"username": "u", "password": "p", "db": 0} | tls
    assert address.sentinel_options == {"username": "v", "password": "q"} | tls


def test_tls_and_options_are_those_of_redis_py():
    address = redis_address("rediss+cluster://h1/?socket_timeout=1.5&ssl_check_hostname=no")
    assert address.options == {
        "connection_class": SSLConnection,
        "socket_timeout": 1.5,
        "ssl_check_hostname": False,
    }


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://h", "must begin with redis://"),
        ("redis+clusters://h", "must begin with redis://"),
        ("redis://h:port", "must begin with redis://"),
        ("redis://h/abc", "the database must be a whole number, not “abc”"),
        ("rediss://h/0/1", "the database must be a whole number, not “0/1”"),
        ("redis://h?db=x", "Invalid value for 'db'"),
        ("redis://h?socket_timeout=soon", "Invalid value for 'socket_timeout'"),
        ("unix:///a.sock?colour=red", "there is no option “colour”"),
        ("redis://h?sentinel_password=p", "there is no option “sentinel_password”"),
        ("redis+cluster:///", "“” is not a host and port"),
        ("redis+cluster://h1:7000,/", "“” is not a host and port"),
        ("redis+cluster://h1,h2:x/", "“h2:x” is not a host and port"),
        ("redis+cluster://h1:0/", "“h1:0” is not a host and port"),
        ("redis+cluster://h1:70000/", "“h1:70000” is not a host and port"),
        ("redis+cluster://h1/1", "a cluster has database 0 alone, not “1”"),
        ("redis+cluster://h1/?sentinel_password=p", "a cluster has no Sentinels"),
        ("redis+cluster://h1/?colour=red", "there is no option “colour”"),
        ("redis+cluster://h1/?socket_timeout=soon", "Invalid value for 'socket_timeout'"),
        ("redis+sentinel://s1", "the name of the master is missing"),
        ("redis+sentinel://s1//0", "the name of the master is missing"),
        ("redis+sentinel://s1/m/zero", "the database must be a whole number, not “zero”"),
    ],
)
def test_a_wrong_part_stops_the_start(url, reason):
    with pytest.raises(StartError) as refused:
        redis_address(url)
    assert str(refused.value).startswith("LINEUP_REDIS_URL")
    assert reason in str(refused.value)
