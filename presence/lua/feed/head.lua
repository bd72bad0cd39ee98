-- Job: the last announcement of a shard. KEYS: meta[, stream]. ARGV: none.
-- Returns {epoch ms, n, now ms}.
local now = now_ms()
local epoch = epoch_of(KEYS[1], KEYS[2], now)
return {epoch, redis.call('HGET', KEYS[1], 'n') or '0', ms(now)}
