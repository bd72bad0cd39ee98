-- Job: heartbeats of connections in rooms.
-- KEYS: a shard's deadlines. ARGV: lifetime ms, then for each: room␟person␟connection.
-- Returns the indexes (from 0) of connections that are no longer in their room.
local deadline, unknown = string.format('%.0f', now_ms() + tonumber(ARGV[1])), {}
for i = 2, #ARGV do
  if redis.call('ZSCORE', KEYS[1], ARGV[i]) then
    redis.call('ZADD', KEYS[1], deadline, ARGV[i])
  else
    unknown[#unknown + 1] = i - 2
  end
end
return unknown
