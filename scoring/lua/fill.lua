-- Puts threads, each once, on the lists of a view that are being filled; again what was there: the last
-- call counts.
-- KEYS[1]       next: token, version; of:ADMIN -> how many threads the admin has, of:0: nobody
-- KEYS[2..n+1]  what is filled: the sorts: member -> score
-- KEYS[n+2]     what is filled: revisions: member -> `revision:admin`
-- ARGV[1]       token of this rebuild
-- ARGV[2..]     for each sort `score member ...` of all threads, then their `member revision:admin ...`
-- Returns 0, and nothing is done, if another rebuild took over or what was begun is lost.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
local sorts = #KEYS - 2
local part = (#ARGV - 1) / (sorts + 1)
for sort = 1, sorts do
  redis.call('ZADD', KEYS[sort + 1], unpack(ARGV, 2 + (sort - 1) * part, 1 + sort * part))
end

local revisions, first, counts = KEYS[sorts + 2], 2 + sorts * part, {}
local function count(value, number)
  local admin = value and string.match(value, ':(%d+)$')
  if admin then counts[admin] = (counts[admin] or 0) + number end
end
local members = {}
for at = first, #ARGV, 2 do
  members[#members + 1] = ARGV[at]
  count(ARGV[at + 1], 1)
end
for _, before in ipairs(redis.call('HMGET', revisions, unpack(members))) do count(before, -1) end
redis.call('HSET', revisions, unpack(ARGV, first))
for admin, number in pairs(counts) do redis.call('HINCRBY', KEYS[1], 'of:' .. admin, number) end
return 1
