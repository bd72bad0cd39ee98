-- Piece: the only place that writes a state and announces. It compares before it speaks.
local function join(...)
  return table.concat({...}, SEPARATOR)
end

-- All that others can see, as one string; of an offline person, the row of last seen alone.
local function visible(state, rows)
  if state[2] ~= 'offline' then return join(unpack(state, 2, 7)) end
  local all, related = rows.left or rows.seen, rows.left_contacts or rows.contacts
  return join('offline', all and 'e' or related and 'c' or '', ms(all or related or 0))
end

local function truth(state)
  return join(state[1], state[3], state[4], state[5])
end

-- `beat`: the time of a sign of life that came with this, if one did. Returns 1 if announced.
local function settle(person, connections, now, beat, given)
  local old, held = state_of(person)
  local settings = given or settings_of(person, old)
  local rows = rows_of(person)
  local is = standing(connections, settings, rows, now)
  local filed = file(person, is, rows, now, beat, old[2] ~= 'offline')
  local new = {is.status, is.public, is.devices, is.text, is.activity, is.audience,
    settings and (is.shows and 1 or 0) or -1, old[8], old[9]}
  local open = visible(new, filed) ~= visible(old, rows)
  local changed = open or truth(new) ~= truth(old)
  local place = changed and next_place(META, EVENTS, now)
  if place then new[8], new[9] = place.version, now end
  keep_state(person, old, new, held)
  if not place then return 0 end
  local event = portray(new, filed)
  event.u, event.b = person, open and 1 or 0
  announce(place, EVENTS, CHANNEL, KEPT, event)
  return 1
end
