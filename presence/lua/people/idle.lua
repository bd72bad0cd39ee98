-- Job: sets whether a connection is idle or active.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, person, connection, a|i.
-- Returns -1 if the connection is unknown, 1 if announced, else 0.
local person, now = ARGV[3], now_ms()
local connections = connections_of(person)
local one = connections[ARGV[4]]
if not one then return -1 end
if one[1] == ARGV[5] then return 0 end
one[1] = ARGV[5]
keep_connections(person, connections)
return settle(person, connections, now)
