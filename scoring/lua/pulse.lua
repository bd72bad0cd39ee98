-- Reads what tells that lists have changed, by whichever program of ours.
-- KEYS  any number of keys. ARGV  for each: `meta` of a view, the last `number` of a sorted set, all `counts`
--       of one, or a `string`
-- Returns one text for each key, another one after each change; empty where there is none, or a view has
-- no epoch of a life that is accepted (LIVES).
local answer = {}
for at = 1, #KEYS do
  local found = ''
  if ARGV[at] == 'meta' then
    local meta = redis.call('HMGET', KEYS[at], 'epoch', 'version', 'life')
    found = meta[1] and LIVES[meta[3]] and meta[1] .. ' ' .. (meta[2] or '') or ''
  elseif ARGV[at] == 'number' then
    found = redis.call('ZRANGE', KEYS[at], -1, -1, 'WITHSCORES')[2]
  elseif ARGV[at] == 'counts' then
    found = table.concat(redis.call('ZRANGE', KEYS[at], 0, -1, 'WITHSCORES'), ' ')
  else
    found = redis.call('GET', KEYS[at])
  end
  answer[at] = found or ''
end
return answer
