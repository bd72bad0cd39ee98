-- Places threads on the lists of queries, each with one sort, in one step.
-- KEYS[1]     touched: list id -> number of the call that last changed it
-- KEYS[2]     calls: how many calls changed a list
-- KEYS[3]     revisions: member -> revision that placed it last, for all lists together
-- KEYS[4]     left: member -> number of the call in which it left the last of these lists; the latest,
--             whose revisions are kept
-- then for each list, if any: its sort: member -> score; its log: member -> version of its last change;
--             its meta: epoch, version, floor, life, building (the token of the rebuild that makes it, over
--             where the key beside meta is gone: next, which that rebuild renews)
-- ARGV[1]     how many changes a log keeps
-- ARGV[2]     how many members `left` keeps
-- ARGV[3]     the list ids, in the order of their keys, separated by blanks
-- ARGV[4..]   for each thread: member, revision, and its places: `number=score` for each list, counted
--             from 1, `number=` where it leaves, separated by blanks; with + for = on a list that is
--             not in order: where the thread is on it, its score stays. First `stays` where it is on
--             such lists that are not named
-- A revision below 0 is that of a thread which is no more: it leaves, and its revision is forgotten.
-- An older revision than held is refused on all lists; the same one only repairs what differs; a newer
-- one always counts as a change of a thread that is on the list: its row has changed. While a list is
-- built, a thread that leaves it counts, too: it may stand on what is being filled.
-- A list with neither epoch nor building, of another life of the server (LIFE is this one), or with a
-- log that does not end at its version is lost: nothing is placed on it before it is built. A list that
-- is not in order has no readers of its log: version and log stay as they are, unless it is being built.
-- Returns how many threads changed, counted on each list, the numbers of lost lists, and the members
-- that were refused.
local touched, calls, revisions, left = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local keep, lists = tonumber(ARGV[1]), (#KEYS - 4) / 3

local heads, building, is_logged, is_lost, lost = {}, {}, {}, {}, {}
for list = 1, lists do
  local meta = KEYS[3 * list + 4]
  local head = redis.call('HMGET', meta, 'epoch', 'life', 'version', 'floor', 'building')
  -- The name of next is made here, and only now: it would be a key more for each of hundreds of lists.
  if head[5] and redis.pcall('EXISTS', (string.gsub(meta, 'meta$', 'next'))) == 0 then
    redis.call('HDEL', meta, 'building')
    head[5] = false
  end
  heads[list], building[list] = head, head[5]
  if not (head[1] or head[5]) or not LIVES[head[2]] then
    is_lost[list], lost[#lost + 1] = true, list
  end
end

-- From now on what changes on the list is logged.
local function log_changes(list)
  is_logged[list] = true
  local head = heads[list]
  local newest = redis.call('ZREVRANGE', KEYS[3 * list + 3], 0, 0, 'WITHSCORES')[2] or head[4]
  if not is_lost[list] and tonumber(newest or '') ~= tonumber(head[3]) then
    is_lost[list], lost[#lost + 1] = true, list
  end
end

local changed, total, refused, gone = {}, 0, {}, {}
for at = 4, #ARGV, 3 do
  local member, revision = ARGV[at], tonumber(ARGV[at + 1])
  local held = tonumber(redis.call('HGET', revisions, member) or '-1') or -1
  if revision >= held or revision < 0 then
    local is_on = string.find(ARGV[at + 2], '^stays') ~= nil
    for number, sign, score in string.gmatch(ARGV[at + 2], '(%d+)([=+])(%S*)') do
      local list = tonumber(number)
      is_on = is_on or score ~= ''
      if not is_logged[list] and (sign == '=' or building[list]) then log_changes(list) end
      if not is_lost[list] then
        local counts
        if score == '' then
          counts = redis.call('ZREM', KEYS[3 * list + 2], member) > 0 or building[list]
        elseif sign == '+' then
          counts = redis.call('ZADD', KEYS[3 * list + 2], 'NX', score, member) > 0
        else
          counts = redis.call('ZADD', KEYS[3 * list + 2], 'CH', score, member) > 0 or revision > held
        end
        if counts then
          local found = changed[list] or {}
          changed[list] = found
          found[#found + 1] = member
        end
      end
    end
    if revision < 0 then
      redis.call('HDEL', revisions, member)
    elseif revision > held then
      redis.call('HSET', revisions, member, ARGV[at + 1])
    end
    if is_on or revision < 0 then redis.call('ZREM', left, member) else gone[#gone + 1] = member end
  else
    refused[#refused + 1] = member
  end
end

local names, list = {}, 0
for name in string.gmatch(ARGV[3], '%S+') do
  list = list + 1
  local members = changed[list]
  if members and is_logged[list] then
    local log, meta = KEYS[3 * list + 3], KEYS[3 * list + 4]
    local version = redis.call('HINCRBY', meta, 'version', 1)
    local text = string.format('%.0f', version)
    local entries = {}
    for _, member in ipairs(members) do
      entries[#entries + 1], entries[#entries + 2] = text, member
    end
    redis.call('ZADD', log, unpack(entries))
    -- Only now and then: to cut costs as much as to add. A rebuild needs all since it began.
    if version % 64 == 0 and not building[list] then
      local oldest = redis.call('ZRANGE', log, -keep - 1, -keep - 1, 'WITHSCORES')
      if oldest[2] then
        redis.call('ZREMRANGEBYSCORE', log, '-inf', oldest[2])
        redis.call('HSET', meta, 'floor', oldest[2])
      end
    end
  end
  if members then
    total = total + #members
    names[#names + 1] = name
  end
end
if #names > 0 then
  local number = string.format('%.0f', redis.call('INCR', calls))
  local entries = {}
  for _, name in ipairs(names) do entries[#entries + 1], entries[#entries + 2] = number, name end
  redis.call('ZADD', touched, unpack(entries))
end
note_leaving(left, revisions, gone, tonumber(ARGV[2]))
return { total, lost, refused }
