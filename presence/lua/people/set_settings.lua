-- Job: sets a person's settings: overrides, visibility, switches.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, person, settings (state/overrides.lua).
-- A revision not above the held one changes nothing. Returns 1 if announced, else 0.
local person, now = ARGV[3], now_ms()
local new_settings = take_settings(person, ARGV[4], now)
return settle(person, connections_of(person), now, nil, new_settings)
