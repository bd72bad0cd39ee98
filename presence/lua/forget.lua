-- Job: nothing of a person is kept, and others see that they never were. Their announcements are
-- deleted by the caller, who walks the stream in pieces.
-- KEYS: a shard's (people.lua). ARGV: channel, kept, person. Returns 1 if announced, else 0.
local person, now = ARGV[3], now_ms()
for connection in pairs(connections_of(person)) do
  redis.call('ZREM', DEADLINES, person .. SEPARATOR .. connection)
end
keep_connections(person, {})
redis.call('HDEL', SETTINGS, person)
redis.call('ZREM', DUE, person)
local announced = settle(person, {}, now, nil, {v = 'nobody'})
redis.call('ZREM', HIDDEN, person)
return announced
