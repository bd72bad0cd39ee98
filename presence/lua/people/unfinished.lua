-- Job: says whether a shard's stream has entries that a consumer of a group did not acknowledge in time.
-- KEYS: a shard's stream. ARGV: group, ms. Returns 1 or 0.
local pending = redis.pcall('XPENDING', KEYS[1], ARGV[1], 'IDLE', ARGV[2], '-', '+', 1)
-- No announcement was read yet: there is no stream, or no group.
return not pending.err and #pending > 0 and 1 or 0
