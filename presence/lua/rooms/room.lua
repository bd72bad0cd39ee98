-- Piece: the keys of a shard, then of the room, and functions for the jobs on a room.
local DEADLINES = KEYS[1]   -- zset room␟person␟connection -> deadline ms
local TYPING = KEYS[2]      -- zset, the same members -> when typing ends, ms
local META = KEYS[3]        -- hash epoch, n, v
local ROOM = KEYS[4]        -- hash person -> {j: joined ms, c: {connection: {m: mode, b: mode that
                            -- typing falls back to, k: clock, x: cursor JSON, y: its ms}}}
-- ARGV[1] and ARGV[2] are always the channel and the room.
local CHANNEL, NAME = ARGV[1], ARGV[2]
local RANK = {away = 1, viewing = 2, editing = 3, typing = 4}

local function member(person, connection)
  return NAME .. '\31' .. person .. '\31' .. connection
end

local function entry_of(person)
  local held = redis.call('HGET', ROOM, person)
  return held and cjson.decode(held)
end

-- A person's mode: the busiest of their connections.
local function mode_of(entry)
  local mode
  for _, one in pairs(entry.c) do
    if not mode or RANK[one.m] > RANK[mode] then mode = one.m end
  end
  return mode
end

local function announce_member(kind, person, mode, now, more)
  local event = more or {}
  event.t, event.r, event.u, event.m = kind, NAME, person, mode
  event.c = redis.call('HLEN', ROOM)
  announce(next_position(META, nil, now), nil, CHANNEL, nil, string.sub(cjson.encode(event), 2, -2))
  return 1
end

-- Stores an entry, and announces its changes; `was`: its mode before.
local function keep_entry(person, entry, was, now)
  if next(entry.c) == nil then
    redis.call('HDEL', ROOM, person)
    return announce_member('leave', person, nil, now)
  end
  redis.call('HSET', ROOM, person, cjson.encode(entry))
  local mode = mode_of(entry)
  return mode ~= was and announce_member(was and 'mode' or 'join', person, mode, now) or 0
end
