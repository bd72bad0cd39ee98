-- Job: sets a person's settings: overrides, visibility, switches.
-- KEYS: a shard's (state/keys.lua). ARGV: channel, kept, person, settings (state/overrides.lua), 1 to set
-- them only for a person with settings, connections or a time of last seen here.
-- A revision not above the held one changes nothing. Returns 1 if announced, else 0.
local person, now = ARGV[3], now_ms()
local function is_known() return held(SETTINGS, person) or held(CONNECTIONS, person) or next(rows_of(person)) end
if ARGV[5] == '1' and not is_known() then return 0 end
local new_settings = take_settings(person, ARGV[4], now)
return settle(person, connections_of(person), now, nil, new_settings)
