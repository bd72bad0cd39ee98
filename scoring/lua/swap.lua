-- Replaces a list by the one that a rebuild filled, in one step, under a new epoch.
-- KEYS[1..n]       its sorts, then where admins are counted its revisions
-- KEYS[n+1..2n]    the filled keys, in the same order
-- KEYS[2n+1]       next: token, version at which the rebuild began, filled (number of threads); where admins
--                  are counted of:ADMIN, the number of each admin's threads
-- KEYS[2n+2]       log: member -> version of its last change
-- KEYS[2n+3]       meta: epoch, version, floor, life (that of the server, LIFE)
-- KEYS[2n+4]       lease
-- KEYS[2n+5], KEYS[2n+6]  if lists share the group: touched, calls: see place.lua
-- ARGV[1]  token of this rebuild, ARGV[2]  the new epoch, ARGV[3]  n, ARGV[4]  1 where admins are counted
-- ARGV[5]  the list id if lists share the group: the swap counts as a call that changed it
-- Returns the members that were placed on the old list since the rebuild began; nil, and does nothing,
-- if another rebuild took over, or a part of the filled keys or of the log since then is lost.
local kinds, counts_admins = tonumber(ARGV[3]), ARGV[4] == '1'
local next, log, meta = KEYS[2 * kinds + 1], KEYS[2 * kinds + 2], KEYS[2 * kinds + 3]
local begun = redis.call('HMGET', next, 'token', 'version', 'filled')
if begun[1] ~= ARGV[1] then return false end
local filled = tonumber(begun[3] or '0')
for key = kinds + 1, 2 * kinds do
  local is_hash = counts_admins and key == 2 * kinds
  if redis.call(is_hash and 'HLEN' or 'ZCARD', KEYS[key]) ~= filled then return false end
end
local counts, counted = redis.call('HGETALL', next), 0
for at = 1, #counts, 2 do
  if string.find(counts[at], '^of:') then counted = counted + tonumber(counts[at + 1]) end
end
if counts_admins and counted ~= filled then return false end

local old = redis.pcall('HMGET', meta, 'version', 'floor')
local floor = not old.err and tonumber(old[2] or '')
if not floor or floor > tonumber(begun[2]) then return false end
local placed = redis.pcall('ZRANGEBYSCORE', log, '(' .. begun[2], '+inf')
if placed.err then placed = {} end
local version = string.format('%.0f', math.max(tonumber(old[1] or '') or 0, tonumber(begun[2])) + 1)

-- UNLINK first: RENAME over a long list would free it within this step.
redis.call('UNLINK', log, meta, next, KEYS[2 * kinds + 4])
for key = 1, kinds do
  redis.call('UNLINK', KEYS[key])
  if filled > 0 then
    redis.call('RENAME', KEYS[kinds + key], KEYS[key])
    redis.call('PERSIST', KEYS[key])
  end
end
redis.call('HSET', meta, 'epoch', ARGV[2], 'version', version, 'floor', version, 'life', LIFE)
if counts_admins then
  redis.call('HSET', meta, 'counted', filled)
  -- One by one: there are as many as admins, and Lua passes some thousand values at most.
  for at = 1, #counts, 2 do
    if string.find(counts[at], '^of:') then redis.call('HSET', meta, counts[at], counts[at + 1]) end
  end
end
if ARGV[5] ~= '' then
  local number = string.format('%.0f', redis.call('INCR', KEYS[2 * kinds + 6]))
  redis.call('ZADD', KEYS[2 * kinds + 5], number, ARGV[5])
  redis.call('SREM', (string.gsub(KEYS[2 * kinds + 5], 'touched$', 'building')), ARGV[5])
end
return placed
