"""The servers that hold the data: one, or the primaries of a cluster, and their run ids."""

from contextlib import suppress

import redis
from redis.cluster import ClusterNode, RedisCluster
from redis.exceptions import AskError, MovedError, RedisClusterException, ResponseError

Client = redis.Redis | RedisCluster
#: The name of the server if there is no cluster.
ONLY = ""


def servers_of(client: Client) -> dict[str, redis.Redis]:
    """Maps names to the known primaries, or to the one server."""
    if not isinstance(client, RedisCluster):
        return {ONLY: client}
    return {node.name: client.get_redis_connection(node) for node in client.get_primaries()}


def holder_of(client: Client, key: str) -> tuple[str, redis.Redis]:
    """Returns name and client of the server that holds a key, as far as is known.

    Raises redis.ConnectionError if no node of a cluster has its slot.
    """
    if not isinstance(client, RedisCluster):
        return ONLY, client
    try:
        node = client.get_node_from_key(key)
    except RedisClusterException as error:
        raise redis.ConnectionError(str(error)) from error
    return node.name, client.get_redis_connection(node)


def run_id_of(server: redis.Redis) -> str | None:
    """Returns a text that changes with each start of a server and each promotion of a replica.

    None if INFO is forbidden or incomplete. Raises redis.ConnectionError if a replica answers: it
    takes no writes, and there is a primary elsewhere.
    """
    try:
        run_id = server.info("server").get("run_id") or None
        replication = server.info("replication")
    except ResponseError:
        return None
    if replication.get("role") == "slave":
        raise redis.ConnectionError("a replica answered for its primary")
    promoted_at = replication.get("second_repl_offset", -1)
    if run_id is None or promoted_at == -1:
        return run_id
    # Set by the promotion: the id of the replaced primary, and the offset in its history.
    return f"{run_id}:{replication.get('master_replid2')}:{promoted_at}"


def lives_on(before: str, run_id: str) -> bool:
    """Whether a server was neither started nor promoted since its `run_id_of` was `before`.

    A primary forgets its promotion, and nothing else, once it had no replica for an hour
    (`repl-backlog-ttl`).
    """
    return run_id in (before, before.partition(":")[0])


def follow(client: RedisCluster, error: AskError) -> tuple[str, redis.Redis]:
    """Returns the server that a node has redirected a call to, which has or gets the slot."""
    if isinstance(error, MovedError):
        refresh(client, (error.host, error.port))
        # The node that answered the refresh may not know the move yet.
        client.nodes_manager.move_slot(error)
    node = client.get_node(error.host, error.port)
    if node is None:
        # A new node, which gets its first slot.
        node = client.nodes_manager.nodes_cache[f"{error.host}:{error.port}"] = ClusterNode(
            error.host, error.port, "primary"
        )
    return node.name, client.get_redis_connection(node)


def refresh(
    client: RedisCluster, asked: tuple[str, int] | None = None, failed: str | None = None
) -> None:
    """Reads the cluster's nodes, also from `asked`, and from `failed` last. Never raises."""
    # A call that needs a node that is away finds out by itself.
    with suppress(RedisClusterException, redis.RedisError):
        client.nodes_manager.initialize(
            additional_startup_nodes_info=[asked] if asked else None,
            disconnect_startup_nodes_pools=False,
            last_failed_node_name=failed,
        )
