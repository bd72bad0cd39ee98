-- Reads the epoch and version of a list id, and whether its keys still belong together.
-- KEYS[1..n]  the sorts: member -> score
-- KEYS[n+1]   changes: member -> version of its last change
-- KEYS[n+2]   meta: epoch, version, floor (the version with which the epoch began), life
-- Returns epoch, version, total, 1 if the sorts differ in length; epoch nil if there is none, and also if it is of a life that is not
-- accepted (LIVES), a key is of another type, one sort is much shorter than another (a deleted one is soon filled again by what
-- comes in), or the log does not end at the version. A list that has come from another node is marked with the life of this one, LIFE.
local lost = { false, 0, 0, 0 }
local sorts = #KEYS - 2
local meta = redis.pcall('HMGET', KEYS[sorts + 2], 'epoch', 'version', 'floor', 'life')
if meta.err or not meta[1] or not LIVES[meta[4]] then return lost end

local least, most
for sort = 1, sorts do
  local total = redis.pcall('ZCARD', KEYS[sort])
  if type(total) ~= 'number' then return lost end
  least, most = math.min(least or total, total), math.max(most or total, total)
end
if (least == 0 and most > 0) or most - least > 10 + most / 10 then return lost end

local newest = redis.pcall('ZREVRANGE', KEYS[sorts + 1], 0, 0, 'WITHSCORES')
if newest.err then return lost end
local version = tonumber(meta[2] or '')
if not version or tonumber(newest[2] or meta[3] or '') ~= version then return lost end
if meta[4] ~= LIFE then redis.call('HSET', KEYS[sorts + 2], 'life', LIFE) end
return { meta[1], meta[2], redis.call('ZCARD', KEYS[1]), least < most and 1 or 0 }
