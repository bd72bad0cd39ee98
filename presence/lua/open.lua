-- Job: a connection of a person is there, new or again; counts as a beat. One that is told late
-- does not bring back what has said goodbye since.
-- KEYS: a shard's (people.lua). ARGV: channel, kept, person, connection, lifetime ms or inf, a|i,
-- type, device ('' where each connection is one), worker, most connections a person,
-- settings ('' where they are not loaded yet; they count only if no later ones are held), ms it is
-- of, '' for now, or -1: opened anew, if it has not said goodbye.
-- Returns 1 if announced, else 0.
local person, connection, now = ARGV[3], ARGV[4], now_ms()
local of = tonumber(ARGV[12])
local at = of and of > 0 and math.min(now, of) or now
local gone = tonumber(redis.call('ZSCORE', GONE, person .. SEPARATOR .. connection) or nil)
if of and gone and (of < 0 or gone >= at) then return 0 end

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

local lifetime = ARGV[5] == 'inf' and 'inf' or ms(at + tonumber(ARGV[5]))
redis.call('ZADD', DEADLINES, lifetime, person .. SEPARATOR .. connection)
redis.call('HSET', META, 'beat', ms(now))
local given = ARGV[11] ~= '' and take_settings(person, ARGV[11], now) or nil
return settle(person, connections, now, at, given)
