-- Job: opens a connection of a person, new or known; counts as a beat. A late call does not open a
-- connection that was closed since (its tombstone is later).
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, person, connection, lifetime ms, a|i,
-- type, device ('' if each connection is one), worker, most connections a person,
-- settings ('' if they are not loaded yet; used only if no later revision is held), ms of the
-- opening, '' for now, or -1: opened again, unless it has a tombstone.
-- Returns 1 if announced, else 0.
local person, connection, now = ARGV[3], ARGV[4], now_ms()
local of = tonumber(ARGV[12])
local at = of and of > 0 and math.min(now, of) or now
local closed = tonumber(redis.call('ZSCORE', TOMBSTONES, person .. SEPARATOR .. connection) or nil)
if of and closed and (of < 0 or closed >= at) then return 0 end

local connections = connections_of(person)
connections[connection] = {ARGV[6], ARGV[7], ARGV[8], ARGV[9], at}

local n, oldest = 0, nil
for name, one in pairs(connections) do
  n = n + 1
  local older = oldest and (one[5] < connections[oldest][5]
    or one[5] == connections[oldest][5] and name < oldest)
  if name ~= connection and (not oldest or older) then oldest = name end
end
if n > tonumber(ARGV[10]) then
  connections[oldest] = nil
  redis.call('ZREM', DEADLINES, person .. SEPARATOR .. oldest)
end
keep_connections(person, connections)

redis.call('ZADD', DEADLINES, ms(at + tonumber(ARGV[5])), person .. SEPARATOR .. connection)
redis.call('HSET', META, 'beat', ms(now))
local new_settings = ARGV[11] ~= '' and take_settings(person, ARGV[11], now) or nil
return settle(person, connections, now, at, new_settings)
