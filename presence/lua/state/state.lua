-- Piece: a person's state as it is kept, and as it is announced and read.
-- A state: [status, public, devices, text, activity, audience, shows, version, since ms]; shows is
-- 1, 0 (last seen is hidden) or -1 (settings are not loaded: all is hidden).
local ABSENT = {'offline', 'offline', '', '', '', 'n', 1, 0, 0}

local function settings_of(person, state)
  local held = redis.call('HGET', SETTINGS, person)
  if held then return cjson.decode(held) end
  return state ~= ABSENT and state[7] ~= -1 and {} or nil
end

local function state_of(person)
  local held = redis.call('HGET', STATES, person)
  return held and cjson.decode(held) or ABSENT, held
end

local function count(state, by)
  if state[2] ~= 'offline' and state[6] == 'e' then redis.call('HINCRBY', META, state[2], by) end
end

local function keep_state(person, old, new, held)
  local body = new[1] ~= 'offline' and cjson.encode(new) or false
  if body == held then return end
  count(old, -1)
  count(new, 1)
  if body then redis.call('HSET', STATES, person, body) else redis.call('HDEL', STATES, person) end
end

local function side(status, state, last)
  local here = status ~= 'offline'
  return {s = status, l = last, d = here and state[3] or '', x = here and state[4] or '',
    a = here and state[5] or '', at = here and state[9] or last or 0, v = here and state[8] or nil}
end

-- Both sides of a person: o: who may see p, the public side; t: the truth where it differs.
local function snapshot(state, rows)
  local all, related = rows.left or rows.seen, rows.left_contacts or rows.contacts
  local audience = state[2] ~= 'offline' and state[6] or all and 'e' or related and 'c' or 'n'
  return {o = audience, p = side(state[2], state, all or related),
    t = rows.hidden and side(state[1], state, rows.hidden) or nil}
end
