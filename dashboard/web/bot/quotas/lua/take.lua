-- Takes from a quota that fills evenly, or takes nothing.
-- KEYS[1]  string: the time in ms at which the quota is full again; absent: it is full
-- ARGV     now in ms, ms in which an empty quota fills, ms that the amount to take is worth
-- Returns "" where it was taken, else the ms until it could be.
local now, whole, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local function hold(at)
  redis.call('SET', KEYS[1], string.format('%.3f', at), 'PX', math.ceil(whole) + 1000)
end
local held = tonumber(redis.call('GET', KEYS[1]) or 0)
-- At most empty: the clock may have been set back.
local full_at = math.min(math.max(held, now), now + whole)
local short = full_at + cost - now - whole
-- Half a millisecond is lost in rounding.
if short > 0.5 then
  if full_at < held then hold(full_at) end
  return tostring(math.ceil(short))
end
hold(full_at + cost)
return ''
