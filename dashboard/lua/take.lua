-- Job: takes tokens from a bucket that begins full and fills evenly; or takes none.
-- KEYS: the bucket, a string: its level and the ms since 1970 at which it had that; a full one is not
-- kept. ARGV: size, ms in which it fills, tokens, now in ms since 1970.
-- Returns '' if they were taken, else the ms to wait. A clock that is behind fills nothing.
local size, fills_ms, cost, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local held, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
now = math.max(now, tonumber(at) or now)
local level = held and math.min(size, held + (now - at) * size / fills_ms) or size
if cost > level then
  return string.format('%.3f', (math.min(cost, size) - level) * fills_ms / size)
end
redis.call('SET', KEYS[1], string.format('%.17g %.0f', level - cost, now), 'PX', fills_ms)
return ''
