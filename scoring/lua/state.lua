-- Reads the epoch and version of a view, how many of its threads each admin has, and whether its keys
-- still belong together.
-- KEYS[1..n]  the sorts: member -> score
-- KEYS[n+1]   changes: member -> version of its last change
-- KEYS[n+2]   meta: epoch, version, floor (the version with which the epoch began), life, of:ADMIN
-- KEYS[n+3]   revisions: member -> revision, and as what it is counted
-- Returns epoch, version, total, 1 if the sorts differ in length or in what is counted, {admin, count, ...}; epoch nil if
-- there is none, and also if it is of a life that is not accepted (LIVES), a key is of another type, one sort, or what is
-- counted, is much shorter than another (a deleted one is soon filled again by what comes in), revisions are missing, or the
-- log does not end at the version. A list that has come from another node is marked with the life of this one, LIFE.
local lost = { false, 0, 0, 0, {} }
local sorts = #KEYS - 3
local flat = redis.pcall('HGETALL', KEYS[sorts + 2])
if flat.err then return lost end
local meta, counts, counted = {}, {}, 0
for at = 1, #flat, 2 do
  local admin = string.match(flat[at], '^of:(%d+)$')
  if admin then
    counts[#counts + 1], counts[#counts + 2] = admin, flat[at + 1]
    counted = counted + (tonumber(flat[at + 1]) or 0)
  else
    meta[flat[at]] = flat[at + 1]
  end
end
if not meta.epoch or not LIVES[meta.life] then return lost end

local least, most = counted, counted
for sort = 1, sorts do
  local total = redis.pcall('ZCARD', KEYS[sort])
  if type(total) ~= 'number' then return lost end
  least, most = math.min(least, total), math.max(most, total)
end
if (least == 0 and most > 0) or most - least > 10 + most / 10 then return lost end
local revisions = redis.pcall('HLEN', KEYS[sorts + 3])
if type(revisions) ~= 'number' or revisions < least then return lost end

local newest = redis.pcall('ZREVRANGE', KEYS[sorts + 1], 0, 0, 'WITHSCORES')
if newest.err then return lost end
local version = tonumber(meta.version or '')
if not version or tonumber(newest[2] or meta.floor or '') ~= version then return lost end
if meta.life ~= LIFE then redis.call('HSET', KEYS[sorts + 2], 'life', LIFE) end
return { meta.epoch, meta.version, redis.call('ZCARD', KEYS[1]), least < most and 1 or 0, counts }
