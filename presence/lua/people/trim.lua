-- Job: removes rows of people last seen long ago, some at a time. With the true time of an absent
-- person, removes the settings, too: they are loaded again when the person comes back.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, age ms, limit. Returns how many were removed.
local before, limit, removed = now_ms() - tonumber(ARGV[3]), tonumber(ARGV[4]), 0

local function remove(key, person, is_true_time)
  redis.call('ZREM', key, person)
  if is_true_time and redis.call('HEXISTS', CONNECTIONS, person) == 0 then
    redis.call('HDEL', SETTINGS, person)
    redis.call('ZREM', OVERRIDE_ENDS, person)
  end
end

for number = 1, last_group() do
  local first = number * GROUP_SIZE
  for name, key in pairs(LAST_SEEN_SETS) do
    local old = redis.call('ZRANGEBYSCORE', key, ms(first), '(' .. ms(first + before), 'LIMIT', 0, limit - removed)
    local frozen = name == 'left' or name == 'left_contacts'
    for _, person in ipairs(old) do remove(key, person, not frozen) end
    removed = removed + #old
  end
end
return removed
