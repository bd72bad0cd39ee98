-- Piece: access to the hashes by person. A batch reads them in advance, many people in one call. At its
-- end it writes once for all people: removals, counters, the position.
-- batch: {places: person -> place, counted: field of META -> by how much, [key]: place -> value}
local REMOVED = ''

local function held(key, person)
  local place = batch and batch.places[person]
  if not place then return redis.call('HGET', key, person) end
  local body = batch[key][place]
  return body ~= REMOVED and body
end

-- `body`: false to remove the held value.
local function keep(key, person, body)
  local place = batch and batch.places[person]
  if place then batch[key][place] = body or REMOVED end
  if body then
    redis.call('HSET', key, person, body)
  elseif not place then
    redis.call('HDEL', key, person)
  end
end

local function count(field, by)
  if not batch then return redis.call('HINCRBY', META, field, by) end
  batch.counted[field] = (batch.counted[field] or 0) + by
end

-- Runs `work` as a batch. If it fails, its changes so far are still written, because they were
-- announced.
local function in_batch(people, work)
  if #people < 2 then return work() end
  batch = {places = {}, counted = {}}
  for place, person in ipairs(people) do batch.places[person] = place end
  for _, key in ipairs({CONNECTIONS, STATES, SETTINGS}) do batch[key] = redis.call('HMGET', key, unpack(people)) end
  local done, answer = pcall(work)
  for _, key in ipairs({CONNECTIONS, STATES}) do
    local removed = {}
    for place, body in ipairs(batch[key]) do
      if body == REMOVED then removed[#removed + 1] = people[place] end
    end
    if #removed > 0 then redis.call('HDEL', key, unpack(removed)) end
  end
  for field, by in pairs(batch.counted) do redis.call('HINCRBY', META, field, by) end
  if last_position then keep_position(META) end
  if not done then error(answer, 0) end
  return answer
end
