-- Piece: what the jobs on people share. KEYS of one shard, in this order, for each of them:
local DEADLINES = KEYS[1]     -- zset person␟connection -> deadline ms
local CONNECTIONS = KEYS[2]   -- hash person -> {connection: [a|i, type, device, worker, opened ms]}
local STATES = KEYS[3]        -- hash person -> what was announced last; absent: offline
local SETTINGS = KEYS[4]      -- hash person -> settings, as written by settings.lua
local DUE = KEYS[5]           -- zset person -> when the next claim ends, ms
local EVENTS = KEYS[6]        -- stream of announcements
local META = KEYS[7]          -- hash n, v, epoch, beat, swept, calm_until, counters
-- When somebody was last seen, ms. Everybody may know SEEN and LEFT, those related also
-- CONTACTS and LEFT_CONTACTS. LEFT: when an invisible person seems to have left. HIDDEN: the truth
-- about those whose row, if any, does not tell it.
local SEEN, CONTACTS, HIDDEN, LEFT, LEFT_CONTACTS = KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12]
-- zset person␟connection -> when it said goodbye, ms: for beats that are told late (open.lua)
local GONE = KEYS[13]
-- ARGV[1] and ARGV[2] are always the channel and how many announcements the stream keeps.
local CHANNEL, KEPT = ARGV[1], ARGV[2]
local SEPARATOR = '\31'

local function connections_of(person)
  local held = redis.call('HGET', CONNECTIONS, person)
  return held and cjson.decode(held) or {}
end

local function keep_connections(person, connections)
  if next(connections) == nil then
    redis.call('HDEL', CONNECTIONS, person)
  else
    redis.call('HSET', CONNECTIONS, person, cjson.encode(connections))
  end
end

-- A sign of life moves the one row that tells the truth, and never back.
local function touch(person, at)
  local time = string.format('%.0f', at)
  if redis.call('ZADD', SEEN, 'XX', 'GT', 'CH', time, person) == 1 then return end
  if redis.call('ZADD', HIDDEN, 'XX', 'GT', 'CH', time, person) == 1 then return end
  redis.call('ZADD', CONTACTS, 'XX', 'GT', time, person)
end
