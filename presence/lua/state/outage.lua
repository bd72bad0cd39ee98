-- Piece: detects an outage of ours: a whole shard has no beat, or was not swept, for a while. Then
-- no connection expires until beats had time to return.
-- ARGV[4] outage after ms, ARGV[5] recovery grace ms, ARGV[6] max outage ms, ARGV[7] min connections.
local function held_back(now)
  local outage_after, grace = tonumber(ARGV[4]), tonumber(ARGV[5])
  local found = redis.call('HMGET', META, 'beat', 'swept', 'outage', 'recovery_until')
  local beat, swept = tonumber(found[1] or nil), tonumber(found[2] or nil)
  local recovery_until = tonumber(found[4] or nil) or 0
  redis.call('HSET', META, 'swept', ms(now))
  local silent = beat and now - beat > outage_after
  if silent and now - beat < tonumber(ARGV[6])
    and redis.call('ZCARD', DEADLINES) >= tonumber(ARGV[7]) then
    redis.call('HSET', META, 'outage', '1')
    return true
  end
  if (found[3] and not silent) or (swept and now - swept > outage_after) then
    recovery_until = now + grace
    redis.call('HSET', META, 'recovery_until', ms(recovery_until))
  end
  if found[3] then redis.call('HDEL', META, 'outage') end
  return now < recovery_until
end
