-- Job: finds connections past their deadline, and those that stopped typing; changes nothing.
-- KEYS: a shard's deadlines, its typing. ARGV: limit.
-- Returns {{room␟person␟connection, ms, …} past the deadline, the same for typing}.
local now, due = string.format('%.0f', now_ms()), {}
for i = 1, 2 do
  due[i] = redis.call('ZRANGEBYSCORE', KEYS[i], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
end
return due
