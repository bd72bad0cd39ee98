-- Job: removes everything about a person; others then see an unknown person. The caller deletes the
-- person's announcements, reading the stream in pieces.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, person. Returns 1 if announced, else 0.
local person, now = ARGV[3], now_ms()
for connection in pairs(connections_of(person)) do
  redis.call('ZREM', DEADLINES, person .. SEPARATOR .. connection)
end
keep_connections(person, {})
redis.call('HDEL', SETTINGS, person)
redis.call('ZREM', OVERRIDE_ENDS, person)
local announced = settle(person, {}, now, nil, {v = 'nobody'})
redis.call('ZREM', HIDDEN, person)
return announced
