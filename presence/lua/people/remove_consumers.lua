-- Job: removes consumers of a group that have nothing to acknowledge and have read nothing for
-- long. In one step: entries that a consumer read in between would be acknowledged by its removal.
-- KEYS: a shard's stream. ARGV: group, idle ms, limit. Returns how many consumers were removed.
local consumers = redis.pcall('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])
-- No announcement was read yet: there is no stream, or no group.
if consumers.err then return 0 end
local removed = 0
for _, flat in ipairs(consumers) do
  local one = {}
  for at = 1, #flat, 2 do one[flat[at]] = flat[at + 1] end
  if one.pending == 0 and one.idle >= tonumber(ARGV[2]) and removed < tonumber(ARGV[3]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], one.name)
    removed = removed + 1
  end
end
return removed
