-- Job: forgets who was last seen long ago, a slice at a time; with the truth about an absent
-- person go the settings, which are loaded again when they come back.
-- KEYS: a shard's (people.lua). ARGV: channel, kept, age ms, limit. Returns how many rows went.
local before, dropped = ms(now_ms() - tonumber(ARGV[3])), 0
for name, key in pairs(NAMED) do
  local old = redis.call('ZRANGEBYSCORE', key, '-inf', '(' .. before, 'LIMIT', 0, ARGV[4])
  for _, person in ipairs(old) do
    redis.call('ZREM', key, person)
    local frozen = name == 'left' or name == 'left_contacts'
    if not frozen and redis.call('HEXISTS', CONNECTIONS, person) == 0 then
      redis.call('HDEL', SETTINGS, person)
      redis.call('ZREM', DUE, person)
    end
  end
  dropped = dropped + #old
end
return dropped
