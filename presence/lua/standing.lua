-- Piece: what is so of a person, and what others may know. The one place of the merge rules.
local function devices_of(connections)
  local types, listed = {}, {}
  for connection, one in pairs(connections) do
    local device = one[3] ~= '' and one[3] or connection
    if not types[device] or one[2] < types[device] then types[device] = one[2] end
  end
  for _, kind in pairs(types) do listed[#listed + 1] = kind end
  table.sort(listed)
  return table.concat(listed, ',')
end

-- Who may know: 'e'veryone, 'c'ontacts or 'n'obody. Unloaded settings uncover nothing: a person
-- stays as the rows have them, as if invisible.
local function audience_of(settings, rows)
  if settings then return string.sub(settings.v or 'everyone', 1, 1) end
  if rows.seen or rows.left then return 'e' end
  return (rows.contacts or rows.left_contacts) and 'c' or 'n'
end

local function standing(connections, settings, rows, now)
  local claim = in_force(settings or {}, now)
  local is = {
    audience = audience_of(settings, rows),
    devices = devices_of(connections),
    shows = not settings or settings.l ~= 0,
    masked = not settings or claim.s == 'invisible',
    status = 'offline', text = '', activity = '', public = 'offline',
  }
  if next(connections) == nil then return is end
  local active = false
  for _, one in pairs(connections) do active = active or one[1] == 'a' end
  is.status = claim.s ~= 'invisible' and claim.s or active and 'online' or 'away'
  is.text, is.activity = claim.t or '', claim.a or ''
  if not is.masked and is.audience ~= 'n' then is.public = is.status end
  return is
end
