-- Piece: the silence detector. Where a whole shard goes quiet, or nobody swept it for a while, it
-- is our outage and not everybody leaving: nobody is counted out until beats had time to return.
-- ARGV[4] quiet ms, ARGV[5] calm ms after it, ARGV[6] longest hold ms, ARGV[7] least connections.
local function held_back(now)
  local quiet, calm = tonumber(ARGV[4]), tonumber(ARGV[5])
  local found = redis.call('HMGET', META, 'beat', 'swept', 'hushed', 'calm_until')
  local beat, swept = tonumber(found[1] or nil), tonumber(found[2] or nil)
  local calm_until = tonumber(found[4] or nil) or 0
  redis.call('HSET', META, 'swept', ms(now))
  local silent = beat and now - beat > quiet
  if silent and now - beat < tonumber(ARGV[6])
    and redis.call('ZCARD', DEADLINES) >= tonumber(ARGV[7]) then
    redis.call('HSET', META, 'hushed', '1')
    return true
  end
  if (found[3] and not silent) or (swept and now - swept > quiet) then
    calm_until = now + calm
    redis.call('HSET', META, 'calm_until', ms(calm_until))
  end
  if found[3] then redis.call('HDEL', META, 'hushed') end
  return now < calm_until
end
