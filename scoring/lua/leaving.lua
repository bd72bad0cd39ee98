-- Notes in `left` (member -> number of the call in which it left) that these members have left all
-- lists of the group. `left` keeps `most` members; forgets the revisions of the earliest ones.
local function note_leaving(left, revisions, gone, most)
  if #gone == 0 then return end
  local number = (tonumber(redis.call('ZREVRANGE', left, 0, 0, 'WITHSCORES')[2] or '0') or 0) + 1
  local entries = {}
  for _, member in ipairs(gone) do
    entries[#entries + 1], entries[#entries + 2] = string.format('%.0f', number), member
  end
  redis.call('ZADD', left, unpack(entries))
  local over = math.min(redis.call('ZCARD', left) - most, 1000)
  if over > 0 then
    redis.call('HDEL', revisions, unpack(redis.call('ZRANGE', left, 0, over - 1)))
    redis.call('ZREMRANGEBYRANK', left, 0, over - 1)
  end
end
