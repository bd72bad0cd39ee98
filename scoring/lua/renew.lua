-- Renews the lease and the keys of a rebuild, even after the lease has run out, unless another took over.
-- KEYS[1]     builder, or next of a list: see lease.lua
-- KEYS[2..n]  the filled keys
-- KEYS[n+1]   lease
-- ARGV[1]  token of this rebuild
-- ARGV[2]  first lifetime of the lease in milliseconds
-- ARGV[3]  lifetime of all other keys in milliseconds, and longest one of the lease
-- Returns 1; 0, and does nothing, if another rebuild took over or the keys are lost.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
if not take_lease(KEYS[#KEYS], KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])) then return 0 end
for key = 1, #KEYS - 1 do redis.call('PEXPIRE', KEYS[key], ARGV[3]) end
return 1
