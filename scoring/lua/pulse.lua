-- Reads texts that differ after each change of lists by our programs.
-- KEYS  any number of keys. ARGV  the kind of each: `meta` of a view; `number`, the last score of a sorted
--       set; `counts`, all scores of one; `string`
-- Returns one text for each key; empty if there is none, or if a view has no epoch of an accepted life
-- (LIVES).
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
