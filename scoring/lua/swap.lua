-- Puts what a rebuild filled in the place of one tag's lists, in one step: a new epoch.
-- KEYS[1..n]       sorts, then revisions
-- KEYS[n+1..2n]    what was filled: sorts, then revisions, in the same order
-- KEYS[2n+1]       next: token, version at which the rebuild began
-- KEYS[2n+2]       changes: member -> version of its last change
-- KEYS[2n+3]       meta: epoch, version, floor
-- ARGV[1]  token of this rebuild, ARGV[2]  the new epoch
-- Returns the members that were placed on the old lists since the rebuild began; nil, and nothing
-- is done, if another rebuild took over or some of what was filled is lost.
local kinds = (#KEYS - 3) / 2
local next, changes, meta = KEYS[#KEYS - 2], KEYS[#KEYS - 1], KEYS[#KEYS]
local begun = redis.call('HMGET', next, 'token', 'version')
if begun[1] ~= ARGV[1] then return false end
local filled = redis.call('HLEN', KEYS[2 * kinds])
for key = kinds + 1, 2 * kinds - 1 do
  if redis.call('ZCARD', KEYS[key]) ~= filled then return false end
end

local placed = {}
local old = redis.pcall('HMGET', meta, 'epoch', 'version')
if not old.err and old[1] then
  placed = redis.pcall('ZRANGEBYSCORE', changes, '(' .. begun[2], '+inf')
  if placed.err then placed = {} end
end
local version = math.max(tonumber(not old.err and old[2] or '') or 0, tonumber(begun[2])) + 1

-- UNLINK first: RENAME over a long list would free it within this step.
redis.call('UNLINK', changes, meta, next)
for key = 1, kinds do
  redis.call('UNLINK', KEYS[key])
  if filled > 0 then redis.call('RENAME', KEYS[kinds + key], KEYS[key]) end
end
version = string.format('%.0f', version)
redis.call('HSET', meta, 'epoch', ARGV[2], 'version', version, 'floor', version)
return placed
