-- Job: connections ended. With a grace they may come back: they get a nearer deadline and nobody is
-- told. Without, they are gone at once; the person was here until now.
-- KEYS: a shard's (people.lua). ARGV: channel, kept, grace ms, 1 to remember it (open.lua), then
-- for each: person, connection. Returns for each 1 if announced, else 0.
local grace, now, told = tonumber(ARGV[3]), now_ms(), {}

local function close(person, connection)
  local member = person .. SEPARATOR .. connection
  if ARGV[4] == '1' then redis.call('ZADD', GONE, ms(now), member) end
  local deadline = redis.call('ZSCORE', DEADLINES, member)
  if not deadline then return 0 end
  if grace > 0 then
    touch(person, now)
    if now + grace < tonumber(deadline) then
      redis.call('ZADD', DEADLINES, ms(now + grace), member)
    end
    return 0
  end
  redis.call('ZREM', DEADLINES, member)
  local connections = connections_of(person)
  connections[connection] = nil
  keep_connections(person, connections)
  return settle(person, connections, now, now)
end

for i = 5, #ARGV, 2 do told[#told + 1] = close(ARGV[i], ARGV[i + 1]) end
return told
