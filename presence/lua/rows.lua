-- Piece: where the times of last seen are filed, so that a list never needs a filter.
local NAMED = {
  seen = SEEN, contacts = CONTACTS, hidden = HIDDEN, left = LEFT, left_contacts = LEFT_CONTACTS,
}

-- Whom everybody may know has one row; only others need all the sets.
local function rows_of(person)
  local seen, rows = redis.call('ZSCORE', SEEN, person), {}
  if seen then return {seen = tonumber(seen)} end
  for name, key in pairs(NAMED) do
    rows[name] = tonumber(redis.call('ZSCORE', key, person) or nil)
  end
  return rows
end

-- Files a person: `beat` is the time of a sign of life, `shown` whether others saw them so far.
local function file(person, is, rows, now, beat, shown)
  local truth = rows.hidden or rows.seen or rows.contacts
  if beat then truth = math.max(beat, truth or 0) end
  local left = rows.left or rows.left_contacts
  local filed, open = {}, is.audience ~= 'n' and is.shows
  if is.masked and open then
    filed.hidden, left = truth, left or shown and now or rows.seen or rows.contacts
  elseif not open or (is.status == 'offline' and left) then
    filed.hidden = truth        -- what was hidden stays so until they are next seen
  else
    filed[is.audience == 'e' and 'seen' or 'contacts'], left = truth, nil
  end
  if open and left then filed[is.audience == 'e' and 'left' or 'left_contacts'] = left end
  for name, key in pairs(NAMED) do
    if filed[name] ~= rows[name] then
      if filed[name] then
        redis.call('ZADD', key, ms(filed[name]), person)
      else
        redis.call('ZREM', key, person)
      end
    end
  end
  return filed
end
