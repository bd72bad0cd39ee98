-- Reads the epoch and version of a view, how many of its threads admins have, and whether its keys still
-- belong together.
-- KEYS[1..n]  the sorts: member -> score
-- KEYS[n+1]   changes: member -> version of its last change
-- KEYS[n+2]   meta: epoch, version, floor (the version with which the epoch began), life, counted, of:ADMIN
-- KEYS[n+3]   revisions: member -> revision, and as what it is counted
-- KEYS[n+4]   assigned: admin -> version at which the number of their threads last changed
-- ARGV[1], ARGV[2]  epoch and version of which the numbers are known; none: no numbers are asked for
-- Returns epoch, version, total, 1 if the sorts differ in length or from what is counted, then {admin, ...} and
-- {number, ...} of those that changed since, and 1 if it is all of them that there are, the epoch being another;
-- epoch nil if there is none, and also if it is of a life that is not accepted (LIVES), a key is of another type,
-- one sort is much shorter than another (a deleted one is soon filled again by what comes in), or than what is
-- counted, revisions are missing, or the log does not end at the version. A list that has come from another node
-- is marked with the life of this one, LIFE.
local lost = { false, 0, 0, 0, {}, {}, 1 }
local sorts = #KEYS - 4
local meta = redis.pcall('HMGET', KEYS[sorts + 2], 'epoch', 'version', 'floor', 'life', 'counted')
if meta.err or not meta[1] or not LIVES[meta[4]] then return lost end

local least = tonumber(meta[5] or '') or 0
local most = least
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
local version = tonumber(meta[2] or '')
if not version or tonumber(newest[2] or meta[3] or '') ~= version then return lost end
if LIVES[meta[4]] ~= LIVES[LIFE] then redis.call('HSET', KEYS[sorts + 2], 'life', LIFE) end
local answer = { meta[1], meta[2], redis.call('ZCARD', KEYS[1]), least < most and 1 or 0, {}, {}, 0 }
if #ARGV == 0 then return answer end

local admins, numbers = answer[5], answer[6]
if ARGV[1] == meta[1] and tonumber(ARGV[2]) <= version then
  for at, admin in ipairs(redis.call('ZRANGEBYSCORE', KEYS[sorts + 4], '(' .. ARGV[2], '+inf')) do
    admins[at], numbers[at] = admin, redis.call('HGET', KEYS[sorts + 2], 'of:' .. admin)
  end
else
  answer[7] = 1
  local flat = redis.call('HGETALL', KEYS[sorts + 2])
  for at = 1, #flat, 2 do
    local admin = string.match(flat[at], '^of:(%d+)$')
    if admin then admins[#admins + 1], numbers[#numbers + 1] = admin, flat[at + 1] end
  end
end
return answer
