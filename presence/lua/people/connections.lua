-- Job: a person's connections.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, person.
-- Returns JSON {connection: [a|i, type, device, worker, opened ms]}.
return redis.call('HGET', CONNECTIONS, ARGV[3]) or '{}'
