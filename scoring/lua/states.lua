-- Reads the epochs, versions and lengths of lists, and checks that the keys of each still belong together.
-- KEYS  for each list: its sorts: member -> score; its log: member -> version of its last change; its meta:
--       epoch, version, floor (the version with which the epoch began), life; where admins are counted also
--       counted, of:ADMIN; and there revisions: member -> `revision:admin`; and assigned:
--       admin -> version at which the number of their threads last changed
-- ARGV[1]     number of sorts of each list
-- ARGV[2]     1 where admins are counted
-- ARGV[3..4]  epoch and version at which the numbers of one list are known; none: numbers are not read
-- Returns three values for each list: epoch, version, total; where admins are counted also 1 if the sorts differ
-- in length or from counted; if numbers are read also {admin, ...} and {number, ...} of the admins with changed
-- numbers, and 1 if these are all admins, because the epoch is another one. The epoch is empty if there is none,
-- if it is of a life that is not accepted (LIVES), a key is of another type, one sort is much shorter than another
-- or than counted (new placements soon refill a deleted one), revisions are missing, or the log does not end at
-- the version. A list that has come from another node is marked with the life of this one, LIFE.
local sorts, counts_admins = tonumber(ARGV[1]), ARGV[2] == '1'
local width = sorts + (counts_admins and 4 or 2)

-- Returns the meta and length of a list, and whether its sorts differ in length; nil if it is lost.
local function read(first)
  local meta = redis.pcall('HMGET', KEYS[first + sorts + 1], 'epoch', 'version', 'floor', 'life', 'counted')
  if meta.err or not meta[1] or not LIVES[meta[4]] then return end
  local version = tonumber(meta[2] or '')
  local newest = redis.pcall('ZREVRANGE', KEYS[first + sorts], 0, 0, 'WITHSCORES')
  if newest.err or not version or tonumber(newest[2] or meta[3] or '') ~= version then return end
  local total = redis.pcall('ZCARD', KEYS[first])
  if type(total) ~= 'number' then return end
  if not counts_admins then return meta, total end
  local counted = tonumber(meta[5] or '') or 0
  local least, most = math.min(total, counted), math.max(total, counted)
  for sort = 1, sorts - 1 do
    local length = redis.pcall('ZCARD', KEYS[first + sort])
    if type(length) ~= 'number' then return end
    least, most = math.min(least, length), math.max(most, length)
  end
  local revisions = redis.pcall('HLEN', KEYS[first + sorts + 2])
  if type(revisions) ~= 'number' or revisions < least then return end
  if (least == 0 and most > 0) or most - least > 10 + most / 10 then return end
  return meta, total, least < most
end

local answer, at, meta, total, is_uneven = {}, 1, nil, nil, nil
for first = 1, #KEYS, width do
  meta, total, is_uneven = read(first)
  if meta and LIVES[meta[4]] ~= LIVES[LIFE] then redis.call('HSET', KEYS[first + sorts + 1], 'life', LIFE) end
  answer[at], answer[at + 1], answer[at + 2] = meta and meta[1] or '', meta and meta[2] or '0', total or 0
  at = at + 3
end
if counts_admins then answer[4] = is_uneven and 1 or 0 end
if #ARGV < 4 then return answer end

local admins, numbers, are_all = {}, {}, 0
if meta and ARGV[3] == meta[1] and tonumber(ARGV[4]) <= tonumber(meta[2]) then
  for at, admin in ipairs(redis.call('ZRANGEBYSCORE', KEYS[sorts + 4], '(' .. ARGV[4], '+inf')) do
    admins[at], numbers[at] = admin, redis.call('HGET', KEYS[sorts + 2], 'of:' .. admin)
  end
elseif meta then
  are_all = 1
  local flat = redis.call('HGETALL', KEYS[sorts + 2])
  for at = 1, #flat, 2 do
    local admin = string.match(flat[at], '^of:(%d+)$')
    if admin then admins[#admins + 1], numbers[#numbers + 1] = admin, flat[at + 1] end
  end
end
answer[5], answer[6], answer[7] = admins, numbers, are_all
return answer
