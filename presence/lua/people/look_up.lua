-- Job: the states of people, in the order asked.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, person, …
-- Returns {epoch, n, version as of now, JSON: [{o, p, t} a person (state/snapshot.lua), …]}.
local now = now_ms()
local answer = {epoch_of(META, EVENTS, now), redis.call('HGET', META, 'n') or '0', ms(as_of(META, now))}
local people, snapshots = {unpack(ARGV, 3)}, {}
local states = redis.call('HMGET', STATES, unpack(people))
local scores = {}
for name, key in pairs(LAST_SEEN_SETS) do scores[name] = redis.call('ZMSCORE', key, unpack(people)) end
for i in ipairs(people) do
  local rows = {}
  for name, found in pairs(scores) do rows[name] = time_of(found[i]) end
  local state = states[i] and cjson.decode(states[i]) or ABSENT
  snapshots[i] = snapshot(state, rows)
end
answer[4] = '[{' .. table.concat(snapshots, '},{') .. '}]'
return answer
