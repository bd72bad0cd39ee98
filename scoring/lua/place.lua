-- Places threads on the lists of a view in one step: its sorts, its log, its version, and how many of
-- its threads each admin has.
-- KEYS[1..n]  the sorts: member -> score
-- KEYS[n+1]   changes: member -> version of its last change
-- KEYS[n+2]   meta: epoch, version, floor (the version with which the epoch began), life; counted: how
--             many threads are counted, and of:ADMIN: how many of them the admin has, of:0: nobody
-- KEYS[n+3]   revisions: member -> revision that placed it last, `revision:admin` while it is counted;
--             the revision alone for a while after it left
-- KEYS[n+4]   next: there while a rebuild fills the lists
-- KEYS[n+5]   left: member -> number of the call in which it left; the latest, whose revisions are kept
-- KEYS[n+6]   assigned: admin -> version at which the number of their threads last changed
-- ARGV[1]     how many changes the log keeps
-- ARGV[2]     how many members `left` keeps
-- ARGV[3..]   n + 3 for each thread: member, revision, admin, n scores; empty ones where it leaves
-- A revision below 0 is that of a thread which is no more: it leaves, and its revision is forgotten.
-- An older revision than held is refused; the same one only repairs what differs; a newer one
-- always counts as a change of a thread that is on the lists: its row has changed.
-- Returns how many threads changed, all with one version; -1 if the view has no epoch, one of
-- a life that is not accepted (LIVES), or a log that does not end at its version: data are lost, and
-- nothing is placed before a rebuild.
local sorts = #KEYS - 6
local changes, meta, revisions = KEYS[sorts + 1], KEYS[sorts + 2], KEYS[sorts + 3]
local left, gone = KEYS[sorts + 5], {}
local head = redis.call('HMGET', meta, 'epoch', 'version', 'floor', 'life')
if not head[1] or not LIVES[head[4]] then return -1 end
local newest = redis.call('ZREVRANGE', changes, 0, 0, 'WITHSCORES')[2] or head[3]
if not newest or tonumber(newest) ~= tonumber(head[2]) then return -1 end

local changed, version, admins = {}, nil, {}
for at = 3, #ARGV, sorts + 3 do
  local member, revision, admin = ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2]
  local text, counted = string.match(redis.call('HGET', revisions, member) or '', '^(%d+):?(%d*)$')
  local held, is_on = tonumber(text or '-1'), admin ~= ''
  counted = counted or ''
  if revision >= held or revision < 0 then
    local moved = 0
    for sort = 1, sorts do
      if is_on then
        moved = moved + redis.call('ZADD', KEYS[sort], 'CH', ARGV[at + 2 + sort], member)
      else
        moved = moved + redis.call('ZREM', KEYS[sort], member)
      end
    end
    if counted ~= admin then
      moved = moved + 1
      if counted ~= '' then
        redis.call('HINCRBY', meta, 'of:' .. counted, -1)
        admins[#admins + 1] = counted
      end
      if is_on then
        redis.call('HINCRBY', meta, 'of:' .. admin, 1)
        admins[#admins + 1] = admin
      end
      if counted == '' or not is_on then redis.call('HINCRBY', meta, 'counted', is_on and 1 or -1) end
    end
    if revision < 0 then
      redis.call('HDEL', revisions, member)
    elseif revision > held or counted ~= admin then
      redis.call('HSET', revisions, member, is_on and ARGV[at + 1] .. ':' .. admin or ARGV[at + 1])
    end
    if is_on or revision < 0 then redis.call('ZREM', left, member) else gone[#gone + 1] = member end
    if moved > 0 or (revision > held and is_on) then
      version = version or string.format('%.0f', redis.call('HINCRBY', meta, 'version', 1))
      changed[#changed + 1], changed[#changed + 2] = version, member
    end
  end
end
for _, admin in ipairs(admins) do redis.call('ZADD', KEYS[sorts + 6], version, admin) end
-- One write for all of them: one keyspace notification.
if version then redis.call('ZADD', changes, unpack(changed)) end

-- Now and then the log is cut to what it keeps. A rebuild needs all changes since it began.
if version and tonumber(version) % 64 == 0 and redis.call('EXISTS', KEYS[sorts + 4]) == 0 then
  local keep = tonumber(ARGV[1])
  local oldest = redis.call('ZRANGE', changes, -keep - 1, -keep - 1, 'WITHSCORES')[2]
  if oldest then
    redis.call('ZREMRANGEBYSCORE', changes, '-inf', oldest)
    redis.call('HSET', meta, 'floor', oldest)
  end
end
note_leaving(left, revisions, gone, tonumber(ARGV[2]))
return #changed / 2
