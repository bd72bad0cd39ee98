"""A real Redis that was promoted forgets its promotion after a while without a replica."""

import pytest

from lua_scripts.servers import run_id_of
from tests.drivers.ranking import RankingDriver
from tests.servers.ports import free_port
from tests.servers.redis import start_redis
from tests.support import wait_until

SECONDS = 30


@pytest.mark.slow
@pytest.mark.real_redis
def test_lists_outlive_that_redis_forgets_its_promotion(tmp_path):
    ports = free_port(), free_port()
    master, replica = (tmp_path / str(port) for port in ports)
    for folder in (master, replica):
        folder.mkdir()
    options = ("--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0", "--repl-backlog-ttl", "1")
    servers = [start_redis(master, "--port", str(ports[0]), *options)]
    try:
        follow = ("--replicaof", f"127.0.0.1 {ports[0]}")
        servers.append(start_redis(replica, "--port", str(ports[1]), *options, *follow))
        client = servers[1].client()
        wait_until(
            lambda: client.info("replication")["master_link_status"] == "up",
            SECONDS,
            "the replica",
        )
        client.replicaof("NO", "ONE")
        promoted = run_id_of(client)
        driver = RankingDriver(client)
        driver.open("history")
        wait_until(lambda: run_id_of(client) != promoted, SECONDS, "that it is forgotten")
        driver.ranking.notice_restarts()
        for ranking in (driver.ranking, RankingDriver(client).ranking):
            assert ranking.states(["history"])["history"].epoch == "e1"
    finally:
        for server in servers:
            server.close()
