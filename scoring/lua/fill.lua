-- Puts threads, each once, on the lists of a view that are being filled; again what was there: the last
-- call counts.
-- KEYS[1]       next: token, version; of:ADMIN -> how many threads the admin has, of:0: nobody
-- KEYS[2..n+1]  what is filled: the sorts: member -> score
-- KEYS[n+2]     what is filled: revisions: member -> `revision:admin`
-- ARGV[1]       token of this rebuild
-- ARGV[2]       milliseconds for which what is filled lives without being renewed
-- ARGV[3..n+2]  for each sort JSON: ["score", "member", "score", "member", ...]
-- ARGV[n+3]     JSON: ["member", "revision:admin", "member", "revision:admin", ...]
-- Returns 0, and nothing is done, if another rebuild took over or what was begun is lost.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
local sorts = #KEYS - 2
local revisions, counts, fields = KEYS[sorts + 2], {}, cjson.decode(ARGV[sorts + 3])
local is_first = redis.call('EXISTS', revisions) == 0
for sort = 1, sorts do redis.call('ZADD', KEYS[sort + 1], unpack(cjson.decode(ARGV[sort + 2]))) end

local function count(value, number)
  local admin = value and string.match(value, ':(%d+)$')
  if admin then counts[admin] = (counts[admin] or 0) + number end
end
local members = {}
for at = 1, #fields, 2 do
  members[#members + 1] = fields[at]
  count(fields[at + 1], 1)
end
for _, before in ipairs(redis.call('HMGET', revisions, unpack(members))) do count(before, -1) end
redis.call('HSET', revisions, unpack(fields))
if is_first then
  for key = 2, #KEYS do redis.call('PEXPIRE', KEYS[key], ARGV[2]) end
end
for admin, number in pairs(counts) do redis.call('HINCRBY', KEYS[1], 'of:' .. admin, number) end
return 1
