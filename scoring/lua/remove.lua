-- Removes members that are not threads from the lists of one list id.
-- KEYS[1..n]  the sorts: member -> score
-- KEYS[n+1]   changes: member -> version of its last change
-- KEYS[n+2]   meta: epoch, version, floor (the version with which the epoch began), life
-- ARGV        members
-- This counts as a change: the lists are shorter. Dashboards do not know the removed members, so the
-- thread that changed last counts as changed; without such a thread the log begins at the new version.
-- Returns the number of entries that were removed.
local sorts = #KEYS - 2
local changes, meta = KEYS[sorts + 1], KEYS[sorts + 2]
local head = redis.call('HMGET', meta, 'epoch', 'life')
if not head[1] or not LIVES[head[2]] then return 0 end

local removed = 0
for sort = 1, sorts do removed = removed + redis.call('ZREM', KEYS[sort], unpack(ARGV)) end
redis.call('ZREM', changes, unpack(ARGV))
if removed == 0 then return 0 end

local version = string.format('%.0f', redis.call('HINCRBY', meta, 'version', 1))
local last = redis.call('ZREVRANGE', changes, 0, 0)[1]
if last then
  redis.call('ZADD', changes, version, last)
else
  redis.call('HSET', meta, 'floor', version)
end
return removed
