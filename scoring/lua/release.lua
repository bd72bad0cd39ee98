-- Removes what a rebuild has begun and not swapped in.
-- KEYS[1]     builder, or next of a list: see lease.lua
-- KEYS[2]     meta of that list; of the query's, building goes
-- KEYS[3..n]  what was filled, and the lease
-- ARGV[1]     token of this rebuild
-- Returns 0, and nothing is done, if another rebuild took over.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
redis.pcall('HDEL', KEYS[2], 'building')
redis.call('UNLINK', KEYS[1], unpack(KEYS, 3))
return 1
