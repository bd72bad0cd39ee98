-- Job: the connected people. KEYS: a shard's connections, meta and stream. ARGV: none.
-- Returns {epoch ms, person, …}.
local answer = redis.call('HKEYS', KEYS[1])
table.insert(answer, 1, epoch_of(KEYS[2], KEYS[3], now_ms()))
return answer
