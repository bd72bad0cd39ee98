-- Job: ends the items that rooms/due.lua found in one room, if their time is still the same: a
-- connection that came back in between stays.
-- KEYS: a shard's and the room (rooms/room.lua). ARGV: channel, room, then for each: 'expired' or 'typing',
-- person, connection, ms. Returns how many were announced.
local now, announced = now_ms(), 0
for i = 3, #ARGV, 4 do
  local kind, person, connection = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local key = kind == 'expired' and DEADLINES or TYPING
  local name = member(person, connection)
  local entry = entry_of(person)
  if redis.call('ZSCORE', key, name) == ARGV[i + 3] then
    redis.call('ZREM', key, name)
    local one = entry and entry.c[connection]
    if one then
      local was = mode_of(entry)
      if kind == 'expired' then
        entry.c[connection] = nil
        redis.call('ZREM', TYPING, name)
      else
        one.m = one.b or 'viewing'
      end
      announced = announced + keep_entry(person, entry, was, now)
    end
  end
end
return announced
