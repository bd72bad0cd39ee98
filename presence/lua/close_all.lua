-- Job: a person leaves with every connection, at once: signed out, disabled, forced offline.
-- KEYS: a shard's (people.lua). ARGV: channel, kept, person. Returns 1 if announced, else 0.
local person, now = ARGV[3], now_ms()
local connections = connections_of(person)
if next(connections) == nil then return 0 end
for connection in pairs(connections) do
  redis.call('ZREM', DEADLINES, person .. SEPARATOR .. connection)
end
keep_connections(person, {})
return settle(person, {}, now, now)
