-- Job: removes rows of people last seen long ago, some at a time; with the true time of an absent
-- person the settings go, which are loaded again when the person comes back.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, age ms, limit. Returns how many rows were removed.
local before, removed = ms(now_ms() - tonumber(ARGV[3])), 0
for name, key in pairs(LAST_SEEN_SETS) do
  local old = redis.call('ZRANGEBYSCORE', key, '-inf', '(' .. before, 'LIMIT', 0, ARGV[4])
  for _, person in ipairs(old) do
    redis.call('ZREM', key, person)
    local frozen = name == 'left' or name == 'left_contacts'
    if not frozen and redis.call('HEXISTS', CONNECTIONS, person) == 0 then
      redis.call('HDEL', SETTINGS, person)
      redis.call('ZREM', OVERRIDE_ENDS, person)
    end
  end
  removed = removed + #old
end
return removed
