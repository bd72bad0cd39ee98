-- Piece: derives a person's state and its public side. All merge rules are here.
local function devices_of(connections)
  if next(connections) == nil then return '' end
  local types, listed = {}, {}
  for connection, one in pairs(connections) do
    local device = one[3] ~= '' and one[3] or connection
    if not types[device] or one[2] < types[device] then types[device] = one[2] end
  end
  for _, kind in pairs(types) do listed[#listed + 1] = kind end
  table.sort(listed)
  return table.concat(listed, ',')
end

-- The audience of the person: 'e'veryone, 'c'ontacts or 'n'obody. While settings are not loaded, the
-- last-seen rows tell the audience.
local function audience_of(settings, rows)
  if settings then return string.sub(settings.v or 'everyone', 1, 1) end
  if rows.seen or rows.left then return 'e' end
  return (rows.contacts or rows.left_contacts) and 'c' or 'n'
end

-- All people who have left and set nothing have the same state, which is derived once per script.
local plain
local function derive_state(connections, settings, rows, now)
  local is_plain = settings and next(connections) == nil and next(settings) == nil
  if is_plain and plain then return plain end
  local override = in_effect(settings or {}, now)
  local derived = {
    audience = audience_of(settings, rows),
    devices = devices_of(connections),
    shows = not settings or settings.l ~= 0,
    masked = not settings or override.s == 'invisible',
    status = 'offline', text = '', activity = '', public = 'offline',
  }
  if is_plain then plain = derived end
  if next(connections) == nil then return derived end
  local active = false
  for _, one in pairs(connections) do active = active or one[1] == 'a' end
  derived.status = override.s ~= 'invisible' and override.s or active and 'online' or 'away'
  derived.text, derived.activity = override.t or '', override.a or ''
  if not derived.masked and derived.audience ~= 'n' then derived.public = derived.status end
  return derived
end
