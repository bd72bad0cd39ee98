-- Puts threads on the lists of a view that are being filled, again for the same one: the last counts.
-- KEYS[1]       next: token, version; of:ADMIN -> how many threads the admin has, of:0: nobody
-- KEYS[2..n+1]  what is filled: the sorts: member -> score
-- KEYS[n+2]     what is filled: revisions: member -> `revision:admin`
-- ARGV[1]       token of this rebuild
-- ARGV[2..]     n + 3 for each thread: member, revision, admin, n scores
-- Returns 0, and nothing is done, if another rebuild took over or what was begun is lost.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
local sorts = #KEYS - 2
local next, revisions = KEYS[1], KEYS[sorts + 2]
local pairs_of, counts = {}, {}
for sort = 1, sorts do pairs_of[sort] = {} end
for at = 2, #ARGV, sorts + 3 do
  local member, admin = ARGV[at], ARGV[at + 2]
  local before = string.match(redis.call('HGET', revisions, member) or '', ':(%d+)$')
  if before then counts[before] = (counts[before] or 0) - 1 end
  counts[admin] = (counts[admin] or 0) + 1
  redis.call('HSET', revisions, member, ARGV[at + 1] .. ':' .. admin)
  for sort = 1, sorts do
    local found = pairs_of[sort]
    found[#found + 1], found[#found + 2] = ARGV[at + 2 + sort], member
  end
end
for sort = 1, sorts do redis.call('ZADD', KEYS[sort + 1], unpack(pairs_of[sort])) end
for admin, count in pairs(counts) do redis.call('HINCRBY', next, 'of:' .. admin, count) end
return 1
