-- Job: says whether it may be time to save a shard's last-seen times (people/claim_saving).
-- KEYS: a shard's meta. ARGV: interval ms. Returns 1 or 0.
local saved = tonumber(redis.call('HGET', KEYS[1], 'saved') or nil)
local age = saved and now_ms() - saved
return age and age >= 0 and age < tonumber(ARGV[1]) and 0 or 1
