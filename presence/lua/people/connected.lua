-- Job: the connected people. KEYS: a shard's connections. ARGV: none. Returns {person, …}.
return redis.call('HKEYS', KEYS[1])
