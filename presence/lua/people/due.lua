-- Job: looks what is past its time in a shard of people and of rooms, and when the next thing will be.
-- Notes in meta that it looked, and what it found: others who come soon after need not look. Removes
-- old tombstones.
-- KEYS: of the people deadlines, override ends, meta; of the rooms deadlines, typing; tombstones.
-- ARGV: ms: not looked at if somebody did more recently than this; ms: the same, while nothing that
-- was found then is due; as for held_back (state/outage.lua); ms that a tombstone is kept.
-- Returns {1 if people are due, 1 if rooms are, 1 if people are held back, ms until the next thing, or
-- -1 where none is known}.
local now = now_ms()
local known = redis.call('HMGET', KEYS[3], 'beat', 'swept', 'outage', 'recovery_until', 'next')
local since, next = now - (tonumber(known[2] or nil) or 0), tonumber(known[5] or nil)
if since < tonumber(ARGV[1]) or since < tonumber(ARGV[2]) and next and now < next then
  return {0, 0, 0, next and next < math.huge and math.max(0, next - now) or -1}
end
local old = redis.call('ZCOUNT', KEYS[6], '-inf', ms(now - tonumber(ARGV[7])))
if old > 0 then redis.call('ZREMRANGEBYRANK', KEYS[6], 0, math.min(old, 1000) - 1) end
local changed, is_held = held_back(now, known)

local first = math.huge
local function is_due(key)
  local entry = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  local at = tonumber(entry[2] or nil) or math.huge
  if at > now then first = math.min(first, at) end
  return at <= now
end

local connections, overrides = is_due(KEYS[1]), is_due(KEYS[2])
local rooms, typing = is_due(KEYS[4]), is_due(KEYS[5])
changed[#changed + 1] = 'next'
changed[#changed + 1] = first < math.huge and ms(first) or 'inf'
redis.call('HSET', KEYS[3], unpack(changed))
return {
  not is_held and (connections or overrides) and 1 or 0, (rooms or typing) and 1 or 0,
  is_held and 1 or 0, first < math.huge and first - now or -1,
}
