-- Job: what is due. Connections past their deadline go, claims past their end are lifted, and each
-- person concerned is settled once; the last beat stays the time of last seen.
-- KEYS: a shard's (people.lua). ARGV: channel, kept, limit, quiet ms, calm ms, longest hold ms,
-- least connections (silence.lua), spare ms: skipped if the shard was swept so lately, ms that a
-- goodbye is remembered.
-- Returns {connections gone, announced, lag ms of the oldest, 1 if there is more, 1 if held back}.
local now, limit, spare = now_ms(), tonumber(ARGV[3]), tonumber(ARGV[8])
local swept = tonumber(redis.call('HGET', META, 'swept') or nil)
if spare > 0 and swept and now - swept < spare then return {0, 0, 0, 0, 0} end
local past = redis.call('ZCOUNT', GONE, '-inf', ms(now - tonumber(ARGV[9])))
if past > 0 then redis.call('ZREMRANGEBYRANK', GONE, 0, math.min(past, 1000) - 1) end
if held_back(now) then return {0, 0, 0, 0, 1} end

local gone = redis.call('ZRANGEBYSCORE', DEADLINES, '-inf', ms(now), 'WITHSCORES', 'LIMIT', 0, limit)
local lag, people, connections, announced = 0, {}, {}, 0
if #gone > 0 then lag = now - tonumber(gone[2]) end
for i = 1, #gone, 2 do
  local at = string.find(gone[i], SEPARATOR, 1, true)
  local person = string.sub(gone[i], 1, at - 1)
  if not connections[person] then
    connections[person] = connections_of(person)
    people[#people + 1] = person
  end
  connections[person][string.sub(gone[i], at + 1)] = nil
  redis.call('ZREM', DEADLINES, gone[i])
end
for _, person in ipairs(people) do
  keep_connections(person, connections[person])
  announced = announced + settle(person, connections[person], now)
end

local ended = redis.call('ZRANGEBYSCORE', DUE, '-inf', ms(now), 'LIMIT', 0, limit)
for _, person in ipairs(ended) do
  schedule(person, settings_of(person, NOBODY_HERE) or {}, now)
  announced = announced + settle(person, connections_of(person), now)
end
return {#gone / 2, announced, lag, (#gone / 2 >= limit or #ended >= limit) and 1 or 0, 0}
