-- Piece: the keys of one shard, in this order, for all jobs on people.
local DEADLINES = KEYS[1]     -- zset person␟connection -> deadline ms
local CONNECTIONS = KEYS[2]   -- hash person -> {connection: [a|i, type, device, worker, opened ms]}
local STATES = KEYS[3]        -- hash person -> the state last announced; absent: offline
local SETTINGS = KEYS[4]      -- hash person -> settings (state/overrides.lua)
local OVERRIDE_ENDS = KEYS[5]           -- zset person -> when the next override ends, ms
local EVENTS = KEYS[6]        -- stream of announcements
local META = KEYS[7]          -- hash n, v, epoch, beat, swept, outage, recovery_until, counters
-- zsets person -> last seen (state/groups.lua). SEEN and LEFT are shown to everyone, CONTACTS and
-- LEFT_CONTACTS to contacts. LEFT: when an invisible person appears to have left. HIDDEN: the true
-- time of people, if no row that others see has it.
local SEEN, CONTACTS, HIDDEN, LEFT, LEFT_CONTACTS = KEYS[8], KEYS[9], KEYS[10], KEYS[11], KEYS[12]
-- zset person␟connection -> when it was closed, ms: for late beats (people/open.lua)
local TOMBSTONES = KEYS[13]
local GROUPS = KEYS[14]       -- hash group -> its number in scores of last seen (state/groups.lua)
-- ARGV[1] and ARGV[2] are always the channel and how many announcements the stream keeps (`kept`).
local CHANNEL, KEPT = ARGV[1], ARGV[2]
local SEPARATOR = '\31'
