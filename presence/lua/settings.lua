-- Job: what a person has set: claims, visibility, switches.
-- KEYS: a shard's (people.lua). ARGV: channel, kept, person, settings (claims.lua).
-- An older revision changes nothing. Returns 1 if announced, else 0.
local person, now = ARGV[3], now_ms()
local given = take_settings(person, ARGV[4], now)
return settle(person, connections_of(person), now, nil, given)
