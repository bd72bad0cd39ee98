-- Piece: the connections, settings and last announced state (state/snapshot.lua) of a person.
local function settings_of(person, state)
  local body = held(SETTINGS, person)
  if body then return cjson.decode(body) end
  return state ~= ABSENT and state[7] ~= -1 and {} or nil
end

local function connections_of(person)
  local body = held(CONNECTIONS, person)
  return body and cjson.decode(body) or {}
end

local function keep_connections(person, connections)
  keep(CONNECTIONS, person, next(connections) ~= nil and cjson.encode(connections))
end

local function state_of(person)
  local body = held(STATES, person)
  return body and cjson.decode(body) or ABSENT, body
end

local function count_state(state, by)
  if state[2] ~= 'offline' and state[6] == 'e' then count(state[2], by) end
end

local function keep_state(person, old, new, held)
  local body = new[1] ~= 'offline' and cjson.encode(new) or false
  if body == held then return end
  count_state(old, -1)
  count_state(new, 1)
  keep(STATES, person, body)
end
