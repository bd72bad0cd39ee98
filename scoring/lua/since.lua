-- Reads the changes on the lists of one list id since a version, at one moment.
-- KEYS[1]     changes: member -> version of its last change
-- KEYS[2]     meta: epoch, version, floor (the version with which the epoch began), life
-- KEYS[3..n]  the sorts to read: member -> score
-- ARGV[1]  epoch, ARGV[2]  version, ARGV[3]  maximum number of changes
-- ARGV[4]  number of entries of a list that are its top
-- Returns version, total, {member, ...}, then for each sort {score or nil, ...}, in the order
-- of the members, and {member, score} of the last entry of its top; nil if the epoch is another one,
-- the life is not accepted (LIVES), the version is not of this epoch, the log has lost its end, or
-- there are more changes.
local changes, known = KEYS[1], tonumber(ARGV[2])
local meta = redis.call('HMGET', KEYS[2], 'epoch', 'version', 'floor', 'life')
local version, floor = tonumber(meta[2] or ''), tonumber(meta[3] or '')
if meta[1] ~= ARGV[1] or not LIVES[meta[4]] or not version or not floor then return false end
if known > version or known < floor then return false end
local answer = { meta[2], redis.call('ZCARD', KEYS[3]), {} }
if known < version then
  local newest = redis.call('ZREVRANGE', changes, 0, 0, 'WITHSCORES')
  if tonumber(newest[2] or '') ~= version then return false end
  if redis.call('ZCOUNT', changes, '(' .. ARGV[2], '+inf') > tonumber(ARGV[3]) then return false end
  answer[3] = redis.call('ZRANGEBYSCORE', changes, '(' .. ARGV[2], '+inf')
end

local members = answer[3]
local portion = 1000 -- unpack() has room for some thousand values
for sort = 3, #KEYS do
  local scores = {}
  for first = 1, #members, portion do
    local last = math.min(first + portion - 1, #members)
    for _, score in ipairs(redis.call('ZMSCORE', KEYS[sort], unpack(members, first, last))) do
      scores[#scores + 1] = score
    end
  end
  answer[#answer + 1] = scores
  answer[#answer + 1] = redis.call('ZRANGE', KEYS[sort], ARGV[4] - 1, ARGV[4] - 1, 'WITHSCORES')
end
return answer
