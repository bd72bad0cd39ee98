-- Job: closes every connection of a person at once: signed out, disabled, forced offline.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, person. Returns 1 if announced, else 0.
local person, now = ARGV[3], now_ms()
local connections = connections_of(person)
if next(connections) == nil then return 0 end
for connection in pairs(connections) do
  redis.call('ZREM', DEADLINES, person .. SEPARATOR .. connection)
end
keep_connections(person, {})
return settle(person, {}, now, now)
