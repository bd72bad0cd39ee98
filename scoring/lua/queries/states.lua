-- Reads the epochs, versions and lengths of lists of queries.
-- KEYS  three for each list: its sort: member -> score; its log: member -> version of its last change;
--       its meta: epoch, version, floor (the version with which the epoch began), life
-- Returns three values for each list: epoch, version, total. The epoch is empty if there is none, it is
-- of a life that is not accepted (LIVES), a key is of another type, or the log does not end at the
-- version. A list that has come from another node is marked with the life of this one, LIFE.
local answer = {}
for at = 1, #KEYS, 3 do
  local meta = redis.pcall('HMGET', KEYS[at + 2], 'epoch', 'version', 'floor', 'life')
  local newest = redis.pcall('ZREVRANGE', KEYS[at + 1], 0, 0, 'WITHSCORES')
  local total = redis.pcall('ZCARD', KEYS[at])
  local is_whole = not meta.err and meta[1] and LIVES[meta[4]]
    and not newest.err and type(total) == 'number'
  local version = is_whole and tonumber(meta[2] or '')
  is_whole = version and tonumber(newest[2] or meta[3] or '') == version
  if is_whole and LIVES[meta[4]] ~= LIVES[LIFE] then redis.call('HSET', KEYS[at + 2], 'life', LIFE) end
  answer[at], answer[at + 1] = is_whole and meta[1] or '', is_whole and meta[2] or '0'
  answer[at + 2] = is_whole and total or 0
end
return answer
