-- Reads the lengths of the lists of a group that changed since a call.
-- KEYS[1]  touched: list id -> number of the call that last changed it
-- KEYS[2]  calls: number of the last call
-- ARGV[1]  number of a call; ARGV[2]  prefix of the keys of lists, which lie on the same node
-- Returns the number of the last call, {list id, ...}, {length, ...}; leaves out lists that are lost,
-- not built yet, or of a life that is not accepted (LIVES).
local names, totals = {}, {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf')) do
  local list = ARGV[2] .. name
  local head = redis.pcall('HMGET', list .. '|meta', 'epoch', 'life')
  local total = redis.pcall('ZCARD', list .. '|list')
  if not head.err and head[1] and LIVES[head[2]] and type(total) == 'number' then
    names[#names + 1], totals[#totals + 1] = name, total
  end
end
return { tonumber(redis.call('GET', KEYS[2]) or '0'), names, totals }
