-- Piece: detects an outage on our side: a whole shard had no beat, or no look, for a while.
-- Then no connection expires until beats had time to return.
-- `key`: deadlines. ARGV[3] outage after ms, ARGV[4] recovery grace ms, ARGV[5] max outage ms, ARGV[6] min
-- connections. `known`: the fields beat, swept, outage and recovery_until of meta.
local function held_back(key, meta, now, known)
  local outage_after = tonumber(ARGV[3])
  local beat, swept = tonumber(known[1] or nil), tonumber(known[2] or nil)
  local recovery_until = tonumber(known[4] or nil) or 0
  if recovery_until > now + tonumber(ARGV[4]) then recovery_until = 0 end -- the clock was set back
  local silent = beat and now - beat > outage_after
  if silent and now - beat < tonumber(ARGV[5])
    and redis.call('ZCARD', key) >= tonumber(ARGV[6]) then
    redis.call('HSET', meta, 'outage', '1')
    return true
  end
  if (known[3] and not silent) or (swept and now - swept > outage_after) then
    recovery_until = now + tonumber(ARGV[4])
    redis.call('HSET', meta, 'recovery_until', ms(recovery_until))
  end
  if known[3] then redis.call('HDEL', meta, 'outage') end
  return now < recovery_until
end

-- Everybody with a deadline has connections and a state. If Redis has lost one of these keys alone,
-- the others go, too, and the epoch: then connections are opened again as after a loss of all data.
local function drop_rest(key, connections, states, meta)
  local held = redis.call('EXISTS', key, connections, states)
  if held == 0 or held == 3 then return end
  redis.call('UNLINK', key, connections, states)
  redis.call('HDEL', meta, 'epoch', 'n', 'online', 'away', 'busy', 'dnd')
end
