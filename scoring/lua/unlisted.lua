-- Notes changed threads that are on no view, so that no view's log tells of the change.
-- KEYS[1]     unlisted: member -> number of the call that noted it last
-- ARGV[1]     number of members that it keeps
-- ARGV[2..n]  members
-- Returns 0.
local newest = tonumber(redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or '0')
-- Begins with the current time in microseconds: no number comes twice, even if Redis has lost its data.
if newest == 0 then
  local now = redis.call('TIME')
  newest = now[1] * 1000000 + now[2]
end
local number, noted = string.format('%.0f', newest + 1), {}
for at = 2, #ARGV do noted[#noted + 1], noted[#noted + 2] = number, ARGV[at] end
redis.call('ZADD', KEYS[1], unpack(noted))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -ARGV[1] - 1)
return 0
