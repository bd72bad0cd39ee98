-- Job: a connection joins a room, changes its mode and moves its cursor, in one call.
-- KEYS: a shard's and the room (rooms/room.lua). ARGV: channel, room, person, connection, lifetime ms,
-- typing ends after ms, mode, clock ('' for none; a call that is not later is dropped), cursor JSON
-- ('' for unchanged), most people a room.
-- Returns -1 if the room is full, 1 if announced, else 0.
local person, connection, mode, clock, cursor = ARGV[3], ARGV[4], ARGV[7], tonumber(ARGV[8]), ARGV[9]
local now, entry = now_ms(), entry_of(person)
if not entry and redis.call('HLEN', ROOM) >= tonumber(ARGV[10]) then return -1 end
entry = entry or {j = now, c = {}}
local was, one = mode_of(entry), entry.c[connection] or {}
if clock and one.k and clock <= one.k then return 0 end

local moved = cursor ~= '' and cursor ~= one.x
if moved then one.x, one.y = cursor, now end
if mode ~= 'typing' then one.b = mode end
one.m, one.k = mode, clock or one.k
entry.c[connection] = one

redis.call('ZADD', DEADLINES, ms(now + tonumber(ARGV[5])), member(person, connection))
if mode == 'typing' then
  redis.call('ZADD', TYPING, ms(now + tonumber(ARGV[6])), member(person, connection))
else
  redis.call('ZREM', TYPING, member(person, connection))
end
local announced = keep_entry(person, entry, was, now)
if not moved then return announced end
return announce_member('cursor', person, mode_of(entry), now, {k = connection, x = cursor})
