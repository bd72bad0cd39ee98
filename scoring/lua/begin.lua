-- Begins to build a list: placements are logged from now on, even if there is no list yet.
-- KEYS[1]     meta: epoch, version, floor, life, building
-- KEYS[2]     next: token, version, overtaken: see lease.lua
-- KEYS[3]     log: member -> version of its last change
-- KEYS[4]     lease: see lease.lua
-- KEYS[5]     touched: list id -> number of the call that last changed it; 0: none did. For a list with
--             a group of its own, `left`: members that left lately; the rebuild does not keep their revisions
-- KEYS[6]     the list in its first sort: member -> score
-- KEYS[7..n]  keys to fill: sorts, and the revisions if the list has a group of its own
-- ARGV[1]     token of this rebuild
-- ARGV[2]     list id; empty if it has a group of its own
-- ARGV[3]     the epoch of the list to replace, empty if it is missing; *: any
-- ARGV[4]     first lifetime of the lease in milliseconds
-- ARGV[5]     lifetime of next in milliseconds unless it is renewed, and longest one of the lease
-- Returns 1 if it has begun, 0 if another rebuild makes the list now, or has made it.
local head = redis.pcall('HMGET', KEYS[1], 'epoch', 'version', 'floor', 'life')
local newest = redis.pcall('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
local version = not head.err and tonumber(head[2] or '') or 0
local is_whole = not head.err and not newest.err and head[1] and LIVES[head[4]]
  and tonumber(newest[2] or head[3] or '') == version
  and type(redis.pcall('ZCARD', KEYS[6])) == 'number'
if ARGV[3] ~= '*' and ARGV[3] ~= (is_whole and head[1] or '') then return 0 end
local overtaken = take_lease(KEYS[4], KEYS[2], ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[5]))
if not overtaken then return 0 end
if ARGV[2] == '' then
  redis.call('UNLINK', KEYS[5])
else
  redis.call('ZADD', KEYS[5], 'NX', 0, ARGV[2])
  -- Beside touched: see place.lua.
  redis.call('SADD', (string.gsub(KEYS[5], 'touched$', 'building')), ARGV[2])
end
redis.call('UNLINK', KEYS[2], unpack(KEYS, 7))
local text = string.format('%.0f', version)
if is_whole then
  redis.call('HSET', KEYS[1], 'building', ARGV[1])
else
  redis.call('UNLINK', KEYS[1], KEYS[3])
  redis.call('HSET', KEYS[1], 'version', text, 'floor', text, 'life', LIFE, 'building', ARGV[1])
end
redis.call('HSET', KEYS[2], 'token', ARGV[1], 'version', text, 'overtaken', overtaken)
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return 1
