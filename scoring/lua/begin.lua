-- Begins to rebuild one list id: removes what an aborted rebuild left, and keeps the version at which
-- this one began.
-- KEYS[1]     meta: epoch, version
-- KEYS[2]     next: token, version
-- KEYS[3..n]  what will be filled: sorts and revisions; and left: members that left lately, whose
--             revisions it does not keep
-- ARGV[1]     token of this rebuild
-- ARGV[2]     milliseconds for which next lives without being renewed
for key = 2, #KEYS do redis.call('UNLINK', KEYS[key]) end
local version = redis.pcall('HGET', KEYS[1], 'version')
version = type(version) == 'string' and tonumber(version) or 0
redis.call('HSET', KEYS[2], 'token', ARGV[1], 'version', string.format('%.0f', version))
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1
