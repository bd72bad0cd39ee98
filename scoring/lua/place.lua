-- Places threads on the lists of a group in one step: writes sorts, logs and versions, and the number of
-- each admin's threads.
-- KEYS[1]     revisions: member -> revision that placed it last, for all lists of the group; where admins
--             are counted `revision:admin` while it is on the list
-- KEYS[2]     left: member -> number of the call in which it left its last list of the group; it has the
--             members that left most recently, and their revisions are kept
-- then for each list, if any: its sorts: member -> score; and if it has a group of its own its log: member ->
--             version of its last change;
--             its meta: epoch, version, floor, life, building (the token of the rebuild that makes it; the
--             rebuild is over if the key next, beside meta, is gone); where admins are counted also counted:
--             the number of counted threads, and of:ADMIN: the number of the admin's threads, of:0: nobody;
--             and there assigned: admin -> version at which the number of their threads last changed
-- and if lists share the group, touched: list id -> number of the call that last changed it; and
--             calls: number of the last call that changed a list. Beside calls is building: the ids of lists
--             that a rebuild makes, or has abandoned
-- ARGV[1]     number of changes that a log keeps
-- ARGV[2]     number of members that `left` keeps
-- ARGV[3]     number of sorts of each list
-- ARGV[4]     1 where admins are counted
-- ARGV[5]     the list ids, in the order of their keys, separated by blanks; empty if the list has a group of its own
-- ARGV[6..]   for each thread: member, revision, and its places, separated by blanks: `number=score,score` for
--             each list, counted from 1, with a score for each sort, or `number=` if the thread leaves it;
--             with + for = on a list that is not in order: a thread that is on it keeps its score.
--             First `stays` if it is on such lists that are not named, or `@admin` where admins are counted
-- A revision below 0 means that the thread was deleted: it leaves, and its revision is forgotten.
-- A revision older than the held one is refused on all lists; the same one only repairs differences; a newer
-- one always counts as a change of a thread that is on the list: its row has changed. While a list is
-- built, a thread that leaves it counts, too: it may be on the list that is being filled.
-- A list with neither epoch nor building, of a life that is not accepted (LIVES), or with a log that does
-- not end at its version is lost: nothing is placed on it before it is built. A list that is not in order
-- has no readers of its log: version and log stay as they are, unless it is being built. It need not
-- be known whether it is lost: if so, placements on it are lost, too. So only its members are read.
-- Returns the number of threads that changed, counted on each list, the numbers of lost lists, and the
-- members that were refused.
local revisions, left = KEYS[1], KEYS[2]
local keep, sorts, counts_admins, shares = tonumber(ARGV[1]), tonumber(ARGV[3]), ARGV[4] == '1', ARGV[5] ~= ''
local width = shares and 1 or sorts + (counts_admins and 3 or 2)
local lists = math.floor((#KEYS - (shares and 4 or 2)) / width)
local pattern = '^(%d+)' .. string.rep(',(%d+)', sorts - 1) .. '$'

-- Finds the names of log and meta. If lists share the group the names are made from the list's key, and
-- only if needed: as keys they would be two more for each of hundreds of lists.
local logs, metas = {}, {}
local function name_of(list)
  if logs[list] then return end
  if shares then
    local start = string.sub(KEYS[2 + list], 1, -5)
    logs[list], metas[list] = start .. 'log', start .. 'meta'
  else
    local last = 2 + (list - 1) * width + sorts
    logs[list], metas[list] = KEYS[last + 1], KEYS[last + 2]
  end
end

local heads, building, is_logged, is_lost, lost = {}, {}, {}, {}, {}
-- Reads, once, the head of a list, whether a rebuild makes it, and whether it is lost.
local function look(list)
  if heads[list] then return end
  name_of(list)
  local meta = metas[list]
  local head = redis.call('HMGET', meta, 'epoch', 'life', 'version', 'floor', 'building')
  if head[5] and redis.pcall('EXISTS', (string.gsub(meta, 'meta$', 'next'))) == 0 then
    redis.call('HDEL', meta, 'building')
    head[5] = false
  end
  heads[list], building[list] = head, head[5]
  if not (head[1] or head[5]) or not LIVES[head[2]] then
    is_lost[list], lost[#lost + 1] = true, list
  end
end
if not shares then
  for list = 1, lists do look(list) end
end

-- Whether a rebuild may be making the list: read once for all lists of the group.
local names, built
local function may_be_built(list)
  if not built then
    names, built = {}, {}
    local found = redis.call('SMEMBERS', (string.gsub(KEYS[#KEYS], 'calls$', 'building')))
    for _, name in ipairs(found) do built[name] = true end
    if #found > 0 then
      for name in string.gmatch(ARGV[5], '%S+') do names[#names + 1] = name end
    end
  end
  return built[names[list]]
end

-- Logs changes of the list from now on.
local function log_changes(list)
  is_logged[list] = true
  if is_lost[list] then return end
  local log, head = logs[list], heads[list]
  local newest = redis.call('ZREVRANGE', log, 0, 0, 'WITHSCORES')[2] or head[4]
  if tonumber(newest or '') ~= tonumber(head[3]) then
    is_lost[list], lost[#lost + 1] = true, list
  end
end

-- A list with a group of its own has its own revisions: if it is lost, they are, too.
if not shares and lists == 1 then
  log_changes(1)
  if is_lost[1] then return { 0, lost, {} } end
end

-- Moves the count of a thread from one admin to another; '': it was, or is, not on the list.
local admins = {}
local function recount(meta, before, after)
  if before ~= '' then
    redis.call('HINCRBY', meta, 'of:' .. before, -1)
    admins[#admins + 1] = before
  end
  if after ~= '' then
    redis.call('HINCRBY', meta, 'of:' .. after, 1)
    admins[#admins + 1] = after
  end
  if before == '' or after == '' then redis.call('HINCRBY', meta, 'counted', before == '' and 1 or -1) end
end

local changed, total, refused, gone = {}, 0, {}, {}
for at = 6, #ARGV, 3 do
  local member, revision, places = ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2]
  local text, counted, admin = redis.call('HGET', revisions, member), '', ''
  if counts_admins then
    text, counted = string.match(text or '', '^(%d+):?(%d*)$')
    counted = counted or ''
  end
  local held = tonumber(text or '') or -1
  if revision >= held or revision < 0 then
    local is_on = string.find(places, '^stays') ~= nil
    for number, sign, scores in string.gmatch(places, '(%d+)([=+])(%S*)') do
      local list = tonumber(number)
      local first = 3 + (list - 1) * width
      local enters = scores ~= ''
      is_on = is_on or enters
      if sign == '=' or may_be_built(list) then look(list) end
      if not is_logged[list] and (sign == '=' or building[list]) then log_changes(list) end
      if not is_lost[list] then
        local moved = 0
        if not enters then
          for sort = first, first + sorts - 1 do moved = moved + redis.call('ZREM', KEYS[sort], member) end
        elseif sign == '+' then
          moved = redis.call('ZADD', KEYS[first], 'NX', scores, member)
        elseif sorts == 1 then
          moved = redis.call('ZADD', KEYS[first], 'CH', scores, member)
        else
          local found = { string.match(scores, pattern) }
          for sort = 1, sorts do
            moved = moved + redis.call('ZADD', KEYS[first + sort - 1], 'CH', found[sort], member)
          end
        end
        if counts_admins then
          admin = enters and string.match(places, '^@(%d+)') or ''
          if counted ~= admin then
            moved = moved + 1
            recount(KEYS[first + sorts + 1], counted, admin)
          end
        end
        if moved > 0 or (enters and sign == '=' and revision > held) or (not enters and building[list]) then
          local members = changed[list] or {}
          changed[list] = members
          members[#members + 1] = member
        end
      end
    end
    if revision < 0 then
      redis.call('HDEL', revisions, member)
    elseif revision > held or counted ~= admin then
      redis.call('HSET', revisions, member, admin == '' and ARGV[at + 1] or ARGV[at + 1] .. ':' .. admin)
    end
    if is_on or revision < 0 then redis.call('ZREM', left, member) else gone[#gone + 1] = member end
  else
    refused[#refused + 1] = member
  end
end

for list = 1, lists do
  local members = changed[list]
  if members then total = total + #members end
  if members and is_logged[list] then
    local first = 3 + (list - 1) * width
    local log, meta = logs[list], metas[list]
    local version = redis.call('HINCRBY', meta, 'version', 1)
    local text = string.format('%.0f', version)
    local entries = {}
    for _, member in ipairs(members) do
      entries[#entries + 1], entries[#entries + 2] = text, member
    end
    for _, admin in ipairs(admins) do redis.call('ZADD', KEYS[first + sorts + 2], text, admin) end
    -- One write for all entries: one keyspace notification.
    redis.call('ZADD', log, unpack(entries))
    -- Only now and then: cutting costs as much as adding. A rebuild needs all entries since it began.
    if version % 64 == 0 and not building[list] then
      local oldest = redis.call('ZRANGE', log, -keep - 1, -keep - 1, 'WITHSCORES')
      if oldest[2] then
        redis.call('ZREMRANGEBYSCORE', log, '-inf', oldest[2])
        redis.call('HSET', meta, 'floor', oldest[2])
      end
    end
  end
end
if shares then
  local entries, list = {}, 0
  local number
  for name in string.gmatch(ARGV[5], '%S+') do
    list = list + 1
    if changed[list] then
      number = number or string.format('%.0f', redis.call('INCR', KEYS[#KEYS]))
      entries[#entries + 1], entries[#entries + 2] = number, name
    end
  end
  if number then redis.call('ZADD', KEYS[#KEYS - 1], unpack(entries)) end
end
note_leaving(left, revisions, gone, tonumber(ARGV[2]))
return { total, lost, refused }
