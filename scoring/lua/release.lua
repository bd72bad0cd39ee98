-- Removes the keys of a rebuild that were not swapped in.
-- KEYS[1]     builder, or next of a list: see lease.lua
-- KEYS[2]     meta of that list, which loses its field building
-- KEYS[3..n]  the filled keys, and the lease
-- ARGV[1]     token of this rebuild
-- Returns 1; 0, and does nothing, if another rebuild took over.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
redis.pcall('HDEL', KEYS[2], 'building')
redis.call('UNLINK', KEYS[1], unpack(KEYS, 3))
return 1
