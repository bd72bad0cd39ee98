-- Job: heartbeats. Refreshes deadlines and last seen; announces only if a beat says that a person
-- became idle or active.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, coalescing ms, then for each beat: person,
-- connection, lifetime ms, a|i or '' for no change, ms of the beat or '' for now. A beat sooner
-- than the coalescing time after another writes nothing.
-- Returns the indexes (from 0) of unknown connections: the caller opens them.
local now, unknown = now_ms(), {}
local coalesce = tonumber(ARGV[3])

local function set_active(person, connection, word, at)
  local connections = connections_of(person)
  local one = connections[connection]
  if not one or one[1] == word then return end
  one[1] = word
  keep_connections(person, connections)
  settle(person, connections, now, at)
end

redis.call('HSET', META, 'beat', ms(now))
for i = 4, #ARGV, 5 do
  local person, member = ARGV[i], ARGV[i] .. SEPARATOR .. ARGV[i + 1]
  local held = tonumber(redis.call('ZSCORE', DEADLINES, member) or nil)
  if not held then
    unknown[#unknown + 1] = (i - 4) / 5
  else
    local at = math.min(now, tonumber(ARGV[i + 4]) or now)
    local deadline = at + tonumber(ARGV[i + 2])
    if deadline < held or deadline - held >= coalesce then
      redis.call('ZADD', DEADLINES, ms(deadline), member)
      touch(person, at)
    end
    if ARGV[i + 3] ~= '' then set_active(person, ARGV[i + 1], ARGV[i + 3], at) end
  end
end
return unknown
