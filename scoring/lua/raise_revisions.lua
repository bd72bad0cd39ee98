-- Raises held revisions, so that placements older than the filled ones are refused. Stores half a revision
-- less, so that the placement of the filled revision itself still counts as newer on the other lists.
-- KEYS[1]  revisions: member -> revision that placed it last
-- KEYS[2]  left: members that left the last of their lists
-- ARGV[1]  `member revision member revision ...`
for member, text in string.gmatch(ARGV[1], '(%S+) (%S+)') do
  local revision = tonumber(text) - 0.5
  local held = tonumber(redis.call('HGET', KEYS[1], member) or '-1') or -1
  redis.call('ZREM', KEYS[2], member)
  if held < revision then redis.call('HSET', KEYS[1], member, string.format('%.1f', revision)) end
end
