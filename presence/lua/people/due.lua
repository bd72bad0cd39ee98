-- Job: looks for due items in shards of people and of rooms, and for the time of the next one.
-- Stores in meta that it looked, and the result: others that come soon after need not look. Removes
-- old tombstones.
-- KEYS: for each shard eight: deadlines, override ends and meta of people; deadlines and typing of
-- rooms; tombstones; connections and states of people. ARGV: two ages in ms: a shard looked at
-- less than the first ago is skipped, less than the second ago only while nothing found then is due;
-- the four of held_back (state/outage.lua); ms that a tombstone is kept.
-- Returns {the shards (from 0) with due people}, {those with due rooms}, the number of shards with
-- people held back, ms until the next item, or -1 if none is known.
local now = now_ms()
local skip, skip_idle, kept = tonumber(ARGV[1]), tonumber(ARGV[2]), ms(now - tonumber(ARGV[7]))

-- Returns whether the first entry of a set is due, and when the next one after now will be.
local function due(key)
  local at = tonumber(redis.call('ZRANGE', KEYS[key], 0, 0, 'WITHSCORES')[2] or nil) or math.huge
  if at > now then return false, at end
  local after = redis.call('ZRANGEBYSCORE', KEYS[key], '(' .. ms(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return true, tonumber(after[2] or nil) or math.huge
end

local function look(at)
  local meta, TOMBSTONES = KEYS[at + 2], KEYS[at + 5]
  local known = redis.call('HMGET', meta, 'beat', 'swept', 'outage', 'recovery_until', 'next')
  local since, next = now - (tonumber(known[2] or nil) or 0), tonumber(known[5] or nil)
  -- Less than 0: the clock was set back, and `next` is of the time before.
  local is_recent = since >= 0 and (since < skip or since < skip_idle and next and now < next)
  if is_recent then return false, false, false, next end
  drop_rest(KEYS[at], KEYS[at + 6], KEYS[at + 7], meta)
  local is_held = held_back(KEYS[at], meta, now, known)
  if redis.call('EXISTS', KEYS[at], KEYS[at + 1], KEYS[at + 3], KEYS[at + 4], TOMBSTONES) == 0 then
    redis.call('HSET', meta, 'swept', ms(now), 'next', 'inf')
    return false, false, is_held
  end
  local old = redis.call('ZCOUNT', TOMBSTONES, '-inf', kept)
  if old > 0 then redis.call('ZREMRANGEBYRANK', TOMBSTONES, 0, math.min(old, 1000) - 1) end
  local connections, first = due(at)
  local overrides, second = due(at + 1)
  local rooms, third = due(at + 3)
  local typing, fourth = due(at + 4)
  next = math.min(first, second, third, fourth)
  redis.call('HSET', meta, 'swept', ms(now), 'next', next < math.huge and ms(next) or 'inf')
  return not is_held and (connections or overrides), rooms or typing, is_held, next
end

local people, rooms, held, first = {}, {}, 0, math.huge
for at = 1, #KEYS, 8 do
  local people_due, rooms_due, is_held, next = look(at)
  if people_due then people[#people + 1] = (at - 1) / 8 end
  if rooms_due then rooms[#rooms + 1] = (at - 1) / 8 end
  if is_held then held = held + 1 end
  first = math.min(first, next or math.huge)
end
return {people, rooms, held, first < math.huge and math.max(0, first - now) or -1}
