-- Renews what a rebuild has begun, also where its lease has run out: it goes on unless another took over.
-- KEYS[1]     builder, or next of a list: see lease.lua
-- KEYS[2..n]  what was filled
-- KEYS[n+1]   lease
-- ARGV[1]  token of this rebuild
-- ARGV[2]  milliseconds that the lease lasts at first
-- ARGV[3]  milliseconds for which all else lives, and that the lease lasts at most
-- Returns 0, and nothing is done, if another rebuild took over or what was begun is lost.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
if not take_lease(KEYS[#KEYS], KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])) then return 0 end
for key = 1, #KEYS - 1 do redis.call('PEXPIRE', KEYS[key], ARGV[3]) end
return 1
