-- Reads a list from a position in its order, at one moment.
-- KEYS[1]  a sort: member -> score
-- KEYS[2]  meta: epoch, version, life
-- ARGV[1], ARGV[2]  score and member after which to begin, whether or not it is there; empty: from the top
-- ARGV[3]  number of entries; with a target: number of entries beyond it
-- ARGV[4]  member of the target, or empty
-- ARGV[5]  maximum number of entries
-- Returns epoch, version, total, rank of the target, {member, score, ...}; no entries if a target is
-- not on the list; nil if the list id has no epoch, or is of a life that is not accepted (LIVES).
local list, score, member = KEYS[1], ARGV[1], ARGV[2]
local head = redis.call('HMGET', KEYS[2], 'epoch', 'version', 'life')
if not head[1] or not LIVES[head[3]] then return false end

local start = 0
if score ~= '' then
  -- Among equal scores members are in order: a binary search finds the first one after `member`.
  local stop
  start = redis.call('ZCOUNT', list, '-inf', '(' .. score)
  stop = start + redis.call('ZCOUNT', list, score, score)
  while start < stop do
    local middle = math.floor((start + stop) / 2)
    if redis.call('ZRANGE', list, middle, middle)[1] > member then
      stop = middle
    else
      start = middle + 1
    end
  end
end

local count, rank = tonumber(ARGV[3]), false
if ARGV[4] ~= '' then
  rank = redis.call('ZRANK', list, ARGV[4])
  count = rank and rank + 1 + count - start or 0
end
count = math.min(count, tonumber(ARGV[5]))
local entries = count > 0 and redis.call('ZRANGE', list, start, start + count - 1, 'WITHSCORES')
return { head[1], head[2], redis.call('ZCARD', list), rank, entries or {} }
