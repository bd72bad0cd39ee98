-- Takes the lease with which one rebuild at a time makes lists of views.
-- KEYS[1]  lease, KEYS[2]  builder: see lease.lua
-- ARGV[1]  token of this rebuild
-- ARGV[2]  milliseconds that the lease lasts at first
-- ARGV[3]  milliseconds for which builder lives, and that the lease lasts at most
-- Returns 1 if it was taken, 0 if another rebuild has it.
local overtaken = take_lease(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]))
if not overtaken then return 0 end
redis.call('HSET', KEYS[2], 'token', ARGV[1], 'overtaken', overtaken)
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
