-- Piece: writes a state and announces it, if something changed; no other piece does either.
local function join(...)
  return table.concat({...}, SEPARATOR)
end

-- Everything that others can see, as one string; for an offline person only the row of last seen.
local function visible(state, rows)
  if state[2] ~= 'offline' then return join(unpack(state, 2, 7)) end
  local all, related = rows.left or rows.seen, rows.left_contacts or rows.contacts
  return join('offline', all and 'e' or related and 'c' or '', ms(all or related or 0))
end

local function truth(state)
  return join(state[1], state[3], state[4], state[5])
end

-- `beat`: the time of a beat that came with this, nil for none. Returns 1 if announced, else 0.
local function settle(person, connections, now, beat, new_settings)
  local old, held = state_of(person)
  local settings = new_settings or settings_of(person, old)
  local rows = rows_of(person)
  local derived = derive_state(connections, settings, rows, now)
  local filed = file(person, derived, rows, now, beat, old[2] ~= 'offline')
  local new = {derived.status, derived.public, derived.devices, derived.text, derived.activity,
    derived.audience, settings and (derived.shows and 1 or 0) or -1, old[8], old[9]}
  local open = new[2] ~= old[2] or visible(new, filed) ~= visible(old, rows)
  local changed = open or truth(new) ~= truth(old)
  local position = changed and next_position(META, EVENTS, now)
  if position then new[8], new[9] = position.version, now end
  keep_state(person, old, new, held)
  if not position then return 0 end
  local members = '"u":' .. cjson.encode(person) .. ',"b":' .. (open and '1,' or '0,') .. snapshot(new, filed)
  announce(position, EVENTS, CHANNEL, KEPT, members)
  return 1
end
