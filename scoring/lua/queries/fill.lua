-- Puts threads on the list of a query that is being built, again for the same one: the last counts.
-- KEYS[1]  next: token, version, filled (how many threads), progress
-- KEYS[2]  what is filled: member -> score
-- ARGV[1]  token of this rebuild
-- ARGV[2]  milliseconds for which what is filled lives without being renewed
-- ARGV[3]  how far the rebuild is, 0 to 1
-- ARGV[4]  JSON: ["score", "member", "score", "member", ...]
-- Returns 0, and nothing is done, if another rebuild took over or what was begun is lost.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
local entries = cjson.decode(ARGV[4])
if #entries > 0 then
  local added = redis.call('ZADD', KEYS[2], unpack(entries))
  local is_first = redis.call('HINCRBY', KEYS[1], 'filled', added) == added
  if is_first then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
end
redis.call('HSET', KEYS[1], 'progress', ARGV[3])
return 1
