-- Puts threads, each once, on a list that is being built. The last of several calls for a thread counts.
-- KEYS[1]       next: token, version, filled (number of threads), progress; where admins are counted also
--               of:ADMIN -> number of the admin's threads, of:0: nobody
-- KEYS[2..n+1]  the sorts to fill: member -> score
-- KEYS[n+2]     where admins are counted: revisions: member -> `revision:admin`
-- ARGV[1]       token of this rebuild
-- ARGV[2]       lifetime of the filled keys in milliseconds, unless they are renewed
-- ARGV[3]       progress of the rebuild, 0 to 1
-- ARGV[4]       n
-- ARGV[5..n+4]  JSON for each sort: ["score", "member", "score", "member", ...]
-- ARGV[n+5]     JSON where admins are counted: ["member", "revision:admin", "member", "revision:admin", ...]
-- Returns 1; 0, and does nothing, if another rebuild took over or next is lost.
local next, sorts = KEYS[1], tonumber(ARGV[4])
if redis.call('HGET', next, 'token') ~= ARGV[1] then return 0 end
redis.call('HSET', next, 'progress', ARGV[3])
local added = 0
for sort = 1, sorts do
  local entries = cjson.decode(ARGV[sort + 4])
  if #entries == 0 then return 1 end
  added = redis.call('ZADD', KEYS[sort + 1], unpack(entries))
end
local is_first = redis.call('HINCRBY', next, 'filled', added) == added

local revisions = KEYS[sorts + 2]
if revisions then
  local fields, members, counts = cjson.decode(ARGV[sorts + 5]), {}, {}
  local function count(value, number)
    local admin = value and string.match(value, ':(%d+)$')
    if admin then counts[admin] = (counts[admin] or 0) + number end
  end
  for at = 1, #fields, 2 do
    members[#members + 1] = fields[at]
    count(fields[at + 1], 1)
  end
  for _, before in ipairs(redis.call('HMGET', revisions, unpack(members))) do count(before, -1) end
  redis.call('HSET', revisions, unpack(fields))
  for admin, number in pairs(counts) do redis.call('HINCRBY', next, 'of:' .. admin, number) end
end
if is_first then
  for key = 2, #KEYS do redis.call('PEXPIRE', KEYS[key], ARGV[2]) end
end
return 1
