-- Job: a page of a shard's rows of last seen, newest first (equal times: greatest name first).
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, audience (everyone, contacts or truth),
-- oldest ms, newest ms, limit, ms and name of the row to go on after ('' and '': from the start),
-- then the wanted group; without it all.
-- Returns {epoch ms or '', how many rows there are (0 unless from the start), name, ms, …}.
local SETS = {everyone = {SEEN, LEFT}, contacts = {CONTACTS, LEFT_CONTACTS}, truth = {SEEN, CONTACTS, HIDDEN}}
local from, to, limit = tonumber(ARGV[4]), math.min(tonumber(ARGV[5]), GROUP_SIZE - 1), tonumber(ARGV[6])
local after, group = ARGV[7] ~= '' and {tonumber(ARGV[7]), ARGV[8]}, ARGV[9]
local rows, total, oldest, CHUNK = {}, 0, from, limit + 10

-- If a range has as many rows as wanted, older ones of other ranges are not needed.
local function read(key, first)
  local found, offset, most = 0, 0, ms(first + (after and after[1] or to))
  repeat
    local got = redis.call('ZREVRANGEBYSCORE', key, most, ms(first + oldest), 'WITHSCORES', 'LIMIT', offset, CHUNK)
    for i = 1, #got, 2 do
      local row = {time_of(got[i + 1]), got[i]}
      local is_wanted = (not after or newer(after, row)) and (not group or group_of(row[2]) == group)
      if found < limit and is_wanted then found, rows[#rows + 1] = found + 1, row end
    end
    offset = offset + CHUNK
  until found == limit or #got < 2 * CHUNK
  if found == limit then oldest = math.max(oldest, rows[#rows][1]) end
end

local function count(key, first)
  local least, most, counted = ms(first + from), ms(first + to), 0
  if not group or first < LAST_GROUP * GROUP_SIZE then return redis.call('ZCOUNT', key, least, most) end
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', key, least, most)) do
    counted = counted + (group_of(name) == group and 1 or 0)
  end
  return counted
end

local number, last = 1, last_group()
if group then last = tonumber(redis.call('HGET', GROUPS, group) or 0); number = math.max(1, last) end
for _, key in ipairs(from <= to and SETS[ARGV[3]] or {}) do
  for number = number, redis.call('EXISTS', key) == 1 and last or 0 do
    if not after then total = total + count(key, number * GROUP_SIZE) end
    read(key, number * GROUP_SIZE)
  end
end
local answer, kept = {redis.call('HGET', META, 'epoch') or '', total}, {}
for _, row in ipairs(rows) do if row[1] >= oldest then kept[#kept + 1] = row end end
table.sort(kept, newer)
for i = 1, math.min(limit, #kept) do answer[2 * i + 1], answer[2 * i + 2] = kept[i][2], ms(kept[i][1]) end
return answer
