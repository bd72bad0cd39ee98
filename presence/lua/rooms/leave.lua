-- Job: a connection leaves a room, at once or after a grace in which it may come back.
-- KEYS: a shard's and the room (rooms/room.lua). ARGV: channel, room, person, connection, grace ms, the
-- latest deadline to remove ('' for any): a connection put again since then stays.
-- Returns 1 if announced, else 0.
local person, connection, grace, now = ARGV[3], ARGV[4], tonumber(ARGV[5]), now_ms()
local name = member(person, connection)
local deadline = redis.call('ZSCORE', DEADLINES, name)
if not deadline or tonumber(deadline) > (tonumber(ARGV[6]) or math.huge) then return 0 end
if grace > 0 then
  if now + grace < tonumber(deadline) then redis.call('ZADD', DEADLINES, ms(now + grace), name) end
  return 0
end
redis.call('ZREM', DEADLINES, name)
redis.call('ZREM', TYPING, name)
local entry = entry_of(person)
if not entry then return 0 end
local was = mode_of(entry)
entry.c[connection] = nil
return keep_entry(person, entry, was, now)
