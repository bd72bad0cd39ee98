-- Gives a rebuild the right to work, or renews the right.
-- lease    string: token of the rebuild that has the right; it expires unless it is renewed
-- builder  hash: its token, and overtaken: the number of rebuilds in a row that did not renew the lease in time
-- Each of these doubles the lease, up to `most_ms`, so that it gets long enough for a slow machine.
-- Returns the number of overtaken rebuilds; false if another rebuild has the right.
local function take_lease(lease, builder, token, first_ms, most_ms)
  local holder = redis.call('GET', lease)
  if holder and holder ~= token then return false end
  local before = redis.call('HMGET', builder, 'token', 'overtaken')
  local overtaken = tonumber(before[2] or '') or 0
  if before[1] and before[1] ~= token then overtaken = overtaken + 1 end
  local lease_ms = math.min(most_ms, first_ms * 2 ^ overtaken)
  redis.call('SET', lease, token, 'PX', string.format('%.0f', lease_ms))
  return overtaken
end
