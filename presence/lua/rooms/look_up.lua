-- Job: the members of a room. KEYS: a shard's and the room (rooms/room.lua). ARGV: channel, room.
-- Returns {epoch, n, version as of now, then person, JSON entry, …}.
local now = now_ms()
local answer = {epoch_of(META, nil, now), redis.call('HGET', META, 'n') or '0', ms(as_of(META, now))}
for _, part in ipairs(redis.call('HGETALL', ROOM)) do answer[#answer + 1] = part end
return answer
