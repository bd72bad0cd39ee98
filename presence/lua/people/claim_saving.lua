-- Job: says whether it is time to save the last-seen times of a shard's people; tells only one caller
-- each time.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, interval ms.
-- Returns {ms of the last time or 0, ms now}, or {} if the interval has not passed.
local now = now_ms()
local saved = tonumber(redis.call('HGET', META, 'saved') or nil)
if saved and saved > now then saved = now - tonumber(ARGV[3]) end -- the clock was set back
if saved and now - saved < tonumber(ARGV[3]) then return {} end
redis.call('HSET', META, 'saved', ms(now))
return {ms(saved or 0), ms(now)}
