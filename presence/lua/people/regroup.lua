-- Job: updates the scores of rows of last seen that an earlier version wrote with only the time; some
-- of them at a time.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, limit. Returns how many rows were changed.
local changed = 0
for _, key in pairs(LAST_SEEN_SETS) do
  local found = redis.call('ZRANGEBYSCORE', key, '-inf', '(' .. ms(GROUP_SIZE), 'WITHSCORES', 'LIMIT', 0, ARGV[3])
  for i = 1, #found, 2 do
    redis.call('ZADD', key, score_of(found[i], tonumber(found[i + 1])), found[i])
  end
  changed = changed + #found / 2
end
return changed
