-- Job: closes connections. With a grace they may come back: their deadline is brought nearer and
-- nothing is announced. Without, they are removed at once; the person was last seen now.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, grace ms, 1 to leave a tombstone (people/open.lua),
-- 1 if they were silent: then the last beat before a grace stays the time of last seen; then for each: person,
-- connection. Returns for each 1 if announced, else 0.
local grace, now, announced = tonumber(ARGV[3]), now_ms(), {}

local function close(person, connection)
  local member = person .. SEPARATOR .. connection
  if ARGV[4] == '1' then redis.call('ZADD', TOMBSTONES, ms(now), member) end
  if grace > 0 then
    if not redis.call('ZSCORE', DEADLINES, member) then return 0 end
    if ARGV[5] ~= '1' then touch(person, now) end
    redis.call('ZADD', DEADLINES, 'LT', ms(now + grace), member)
    return 0
  end
  if redis.call('ZREM', DEADLINES, member) == 0 then return 0 end
  local connections = connections_of(person)
  connections[connection] = nil
  keep_connections(person, connections)
  return settle(person, connections, now, now)
end

local people = {}
for i = 6, #ARGV, 2 do people[#people + 1] = ARGV[i] end
return in_batch(people, function()
  for i = 6, #ARGV, 2 do announced[#announced + 1] = close(ARGV[i], ARGV[i + 1]) end
  return announced
end)
