-- Puts what a rebuild filled in the place of one list id's lists, in one step: a new epoch.
-- KEYS[1..n]       sorts, then revisions; of a query its sort alone
-- KEYS[n+1..2n]    what was filled, in the same order
-- KEYS[2n+1]       next: token, version at which the rebuild began, filled (of a query: how many), of a
--                  view of:ADMIN, how many of its threads each admin has
-- KEYS[2n+2]       changes: member -> version of its last change
-- KEYS[2n+3]       meta: epoch, version, floor, life (that of the server, LIFE)
-- ARGV[1]  token of this rebuild, ARGV[2]  the new epoch
-- ARGV[3]  the list id of a query, else empty. Of a query the swap counts as a call that changed it:
-- KEYS[2n+4], KEYS[2n+5]  touched, calls: see queries/place.lua; KEYS[2n+6]  its lease
-- Returns the members that were placed on the old lists since the rebuild began; nil, and nothing
-- is done, if another rebuild took over or some of what was filled is lost.
local is_query = ARGV[3] ~= ''
local kinds = (#KEYS - (is_query and 6 or 3)) / 2
local next, changes, meta = KEYS[2 * kinds + 1], KEYS[2 * kinds + 2], KEYS[2 * kinds + 3]
local begun = redis.call('HMGET', next, 'token', 'version', 'filled')
if begun[1] ~= ARGV[1] then return false end
local filled = is_query and tonumber(begun[3] or '0') or redis.call('HLEN', KEYS[2 * kinds])
for key = kinds + 1, is_query and 2 * kinds or 2 * kinds - 1 do
  if redis.call('ZCARD', KEYS[key]) ~= filled then return false end
end
local counts, counted = redis.call('HGETALL', next), 0
for at = 1, #counts, 2 do
  if string.find(counts[at], '^of:') then counted = counted + tonumber(counts[at + 1]) end
end
if not is_query and counted ~= filled then return false end

local placed = {}
local old = redis.pcall('HMGET', meta, 'epoch', 'version', 'floor')
if is_query and (old.err or tonumber(old[3] or '') == nil or tonumber(old[3]) > tonumber(begun[2])) then
  return false -- the log of what was placed meanwhile is not whole
end
if not old.err and (old[1] or is_query) then
  placed = redis.pcall('ZRANGEBYSCORE', changes, '(' .. begun[2], '+inf')
  if placed.err then placed = {} end
end
local version = math.max(tonumber(not old.err and old[2] or '') or 0, tonumber(begun[2])) + 1

-- UNLINK first: RENAME over a long list would free it within this step.
redis.call('UNLINK', changes, meta, next)
for key = 1, kinds do
  redis.call('UNLINK', KEYS[key])
  if filled > 0 then
    redis.call('RENAME', KEYS[kinds + key], KEYS[key])
    redis.call('PERSIST', KEYS[key])
  end
end
version = string.format('%.0f', version)
redis.call('HSET', meta, 'epoch', ARGV[2], 'version', version, 'floor', version,
  'life', LIFE)
if not is_query then redis.call('HSET', meta, 'counted', filled) end
-- One by one: there are as many as admins, and Lua passes some thousand values at most.
for at = 1, #counts, 2 do
  if string.find(counts[at], '^of:') then redis.call('HSET', meta, counts[at], counts[at + 1]) end
end
if is_query then
  local number = string.format('%.0f', redis.call('INCR', KEYS[2 * kinds + 5]))
  redis.call('ZADD', KEYS[2 * kinds + 4], number, ARGV[3])
  redis.call('UNLINK', KEYS[2 * kinds + 6])
end
return placed
