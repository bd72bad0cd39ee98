-- Piece: a person's state as it is announced and read.
-- A state: [status, public, devices, text, activity, audience, shows, version, since ms]; shows is
-- 1, 0 (last seen is hidden) or -1 (settings are not loaded: all is hidden).
local ABSENT = {'offline', 'offline', '', '', '', 'n', 1, 0, 0}

-- JSON of one side. Written here, because cjson writes each number as a fraction, which takes more
-- time than all else. Cached, because many who leave at once are offline since the same time.
local offline_since, offline
local function side(status, state, last)
  if status == 'offline' then
    if not offline or last ~= offline_since then
      local at = ms(last or 0)
      offline_since = last
      offline = '{"s":"offline","d":"","x":"","a":"","at":' .. at .. (last and ',"l":' .. at or '') .. '}'
    end
    return offline
  end
  return '{"s":"' .. status .. '","d":' .. cjson.encode(state[3]) .. ',"x":' .. cjson.encode(state[4])
    .. ',"a":' .. cjson.encode(state[5]) .. ',"at":' .. ms(state[9]) .. ',"v":' .. ms(state[8])
    .. (last and ',"l":' .. ms(last) or '') .. '}'
end

-- Both sides of a person, as members of a JSON object: o: the audience of p, the public side; t:
-- the truth if it differs.
local function snapshot(state, rows)
  local all, related = rows.left or rows.seen, rows.left_contacts or rows.contacts
  local audience = state[2] ~= 'offline' and state[6] or all and 'e' or related and 'c' or 'n'
  local truth = rows.hidden and ',"t":' .. side(state[1], state, rows.hidden) or ''
  return '"o":"' .. audience .. '","p":' .. side(state[2], state, all or related) .. truth
end
