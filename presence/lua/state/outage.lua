-- Piece: detects an outage of ours: a whole shard has no beat, or nobody looked at it, for a while.
-- Then no connection expires until beats had time to return.
-- KEYS[1] deadlines, KEYS[3] meta. ARGV[3] outage after ms, ARGV[4] recovery grace ms, ARGV[5] max outage
-- ms, ARGV[6] min connections.
-- `known`: of the shard's meta beat, swept, outage, recovery_until. Returns what of it is another now,
-- and whether the shard is held back.
local function held_back(now, known)
  local outage_after, changed = tonumber(ARGV[3]), {'swept', ms(now)}
  local beat, swept = tonumber(known[1] or nil), tonumber(known[2] or nil)
  local recovery_until = tonumber(known[4] or nil) or 0
  local silent = beat and now - beat > outage_after
  if silent and now - beat < tonumber(ARGV[5]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[6]) then
    return {'swept', ms(now), 'outage', '1'}, true
  end
  if (known[3] and not silent) or (swept and now - swept > outage_after) then
    recovery_until = now + tonumber(ARGV[4])
    changed[3], changed[4] = 'recovery_until', ms(recovery_until)
  end
  if known[3] then redis.call('HDEL', KEYS[3], 'outage') end
  return changed, now < recovery_until
end
