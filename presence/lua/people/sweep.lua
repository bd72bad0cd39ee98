-- Job: settles due items: removes connections past their deadline and ends overrides, and settles
-- each person concerned once; the last beat stays the time of last seen. Call it only if people/due
-- has just reported due people, because only that job detects outages.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, limit.
-- Returns {connections expired, announced, lag ms of the oldest, 1 if there is more}.
local now, limit = now_ms(), tonumber(ARGV[3])
local expired = redis.call('ZRANGEBYSCORE', DEADLINES, '-inf', ms(now), 'WITHSCORES', 'LIMIT', 0, limit)
local lag, people, connections, announced = 0, {}, {}, 0
if #expired > 0 then lag = now - tonumber(expired[2]) end
for i = 1, #expired, 2 do
  local at = string.find(expired[i], SEPARATOR, 1, true)
  local person = string.sub(expired[i], 1, at - 1)
  if not connections[person] then
    connections[person] = connections_of(person)
    people[#people + 1] = person
  end
  connections[person][string.sub(expired[i], at + 1)] = nil
  redis.call('ZREM', DEADLINES, expired[i])
end
for _, person in ipairs(people) do
  keep_connections(person, connections[person])
  announced = announced + settle(person, connections[person], now)
end

local ended = redis.call('ZRANGEBYSCORE', OVERRIDE_ENDS, '-inf', ms(now), 'LIMIT', 0, limit)
for _, person in ipairs(ended) do
  schedule(person, settings_of(person, ABSENT) or {}, now)
  announced = announced + settle(person, connections_of(person), now)
end
return {#expired / 2, announced, lag, (#expired / 2 >= limit or #ended >= limit) and 1 or 0}
